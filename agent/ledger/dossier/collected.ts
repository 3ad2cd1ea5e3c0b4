import type { ConsoleActionLogTable } from '../storage/tables.ts';
import type { Received } from './bundles.ts';
import type { DossierRecord, DossierShown, DossierSubject } from './contents.ts';

/** All that a dossier holds, beside the proofs. */
export interface Collected {
  subject: DossierSubject;
  record: DossierRecord;
  shown: DossierShown[];
  bundles: Received[];
  /** Rows of the audit log, ascending. */
  rows: ConsoleActionLogTable[];
}
