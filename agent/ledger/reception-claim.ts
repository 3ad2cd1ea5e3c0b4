/**
 * One Intake for a ledger. Two do no harm (see `agent/intake/reception.ts`), but the second one only asks in vain; so it ends,
 * and whoever started it knows that reception is taken care of.
 */
import Database from 'better-sqlite3';

/** The ledger has an Intake already. */
export class IntakeRunsAlreadyError extends Error {
  override name = 'IntakeRunsAlreadyError';
  constructor(ledger: string) {
    super(`Another Intake receives into the ledger ${ledger} already: this one is not needed.`);
  }
}

/**
 * Holds a lock beside the ledger until it is given back or the process is gone, however it ends.
 *
 * @throws IntakeRunsAlreadyError
 */
export function claimReception(ledger: string): () => void {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(`${ledger}-intake`, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('SQLITE_BUSY')) throw new IntakeRunsAlreadyError(ledger);
    // What else is wrong there is wrong with the ledger too, and is told by what opens it.
    return () => undefined;
  }
  const held = lock;
  return () => void held.close();
}
