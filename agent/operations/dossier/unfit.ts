/** What does not fit by a rule that the ledger applies too: it says so in a clause. */
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import { RecordFaultError } from '../../ledger/shown/logged-facts.ts';

export const unfit = (clause: string): UnfitDossierError =>
  new UnfitDossierError(`${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`);

/** @throws UnfitDossierError where the rule finds a fault */
export function fitting<T>(rule: () => T): T {
  try {
    return rule();
  } catch (error) {
    if (error instanceof RecordFaultError) throw unfit(error.message);
    throw error;
  }
}
