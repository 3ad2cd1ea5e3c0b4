import type { DossierAudit, DossierRecord, DossierShown, Manifest } from '../../ledger/dossier/contents.ts';

/** The parts of a dossier, in their form. */
export interface Opened {
  manifest: Manifest;
  files: ReadonlyMap<string, Uint8Array>;
  record: DossierRecord;
  shown: DossierShown[];
  audit: DossierAudit;
}
