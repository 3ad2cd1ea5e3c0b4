/**
 * The migration before a service opens its ledger (D183): it runs in a thread of the same program, so that the service
 * says how far it is and can be stopped meanwhile.
 */
import { progressOfThread, STOPPED_EXIT_CODE, StoppedError } from '../../../shared/service/long-work/progress.ts';
import { supervise, type LongCommand } from '../../../shared/service/long-work/supervise.ts';
import { LedgerError } from './errors.ts';
import { MIGRATED, openLedger } from './ledger.ts';
import { LEDGER_VERSION, schemaVersion } from './migrate.ts';
import { lookInto } from './read-only.ts';

/** The argument by which the thread of a program knows its work: see `migrateInThread`. */
export const MIGRATE = 'migrate';

/** What a stop of the migration leaves. */
const MIGRATED_SO_FAR = 'The steps that are done stay done, and the copy from before is kept; the next start goes on.';

/**
 * Migrates the ledger where it is of an earlier schema. A failure is not told here: it comes again where the service
 * opens the ledger. The service takes signals itself meanwhile: one that comes with the last step stops nothing here.
 *
 * @returns whether a signal has stopped it; the service ends then
 */
export async function isStoppedInMigration(file: string, parts: Pick<LongCommand, 'env' | 'say'>): Promise<boolean> {
  const version = lookInto(file, schemaVersion) ?? LEDGER_VERSION;
  if (version === 0 || version >= LEDGER_VERSION) return false;
  return (await supervise({ ...parts, args: [MIGRATE], again: MIGRATED_SO_FAR, isQuiet: true })) > 128;
}

/** The work of the thread. @returns its exit code */
export function migrateInThread(file: string, say: (line: string) => void): number {
  try {
    const ledger = openLedger(file, { create: false, progress: progressOfThread() });
    if (ledger.migrated !== null) say(`${MIGRATED}: ${ledger.migrated.copy}`);
    ledger.close();
    return 0;
  } catch (error) {
    if (error instanceof StoppedError) return STOPPED_EXIT_CODE;
    if (!(error instanceof LedgerError)) throw error;
    return 1;
  }
}
