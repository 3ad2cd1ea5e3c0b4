/**
 * Locks for work that only one process may do at a time on a ledger. A second Intake does no harm (see
 * `agent/intake/receive/reception.ts`), but pulls in vain; so it ends and says that another one runs. Commands that
 * change received records exclude one another, and two of them exclude an Intake.
 */
import Database from 'better-sqlite3';
import { LedgerError, refuseAnothersLedger } from './errors.ts';
import { realPath } from './real-path.ts';

/** The ledger has an Intake already. */
export class IntakeRunsAlreadyError extends Error {
  override name = 'IntakeRunsAlreadyError';
  constructor(ledger: string) {
    super(`Another Intake receives into the ledger ${ledger} already: this one is not needed.`);
  }
}

/** Another command changes the same ledger. */
export class UpkeepRunsAlreadyError extends LedgerError {
  override name = 'UpkeepRunsAlreadyError';
  constructor(ledger: string) {
    super(`Another command works on the ledger ${ledger}: wait until it has ended. Nothing was changed.`);
  }
}

/**
 * Holds the reception of a ledger until the release or the end of the process, however it ends.
 *
 * @throws IntakeRunsAlreadyError
 */
export function lockReception(ledger: string): () => void {
  return hold(ledger, 'intake', () => new IntakeRunsAlreadyError(ledger));
}

/**
 * The same for the commands that change received records.
 *
 * @throws UpkeepRunsAlreadyError
 */
export function lockMaintenance(ledger: string): () => void {
  return hold(ledger, 'upkeep', () => new UpkeepRunsAlreadyError(ledger));
}

/** The command needs the Intake to be stopped. */
export class IntakeInTheWayError extends LedgerError {
  override name = 'IntakeInTheWayError';
  constructor(ledger: string) {
    super(
      `The Intake receives into the ledger ${ledger}: stop it first, and start it again afterwards. Nothing was changed.`,
    );
  }
}

/**
 * Holds the reception, for a command.
 *
 * @throws IntakeInTheWayError
 */
export function lockOutIntake(ledger: string): () => void {
  return hold(ledger, 'intake', () => new IntakeInTheWayError(ledger));
}

/** Another process writes the decision journal of the same ledger. */
export class JournalWriterRunsError extends LedgerError {
  override name = 'JournalWriterRunsError';
  constructor(ledger: string) {
    super(
      `The console API of the ledger ${ledger} runs and writes its decision journal: stop it first. Nothing was changed.`,
    );
  }
}

/**
 * Holds the decision journal of a ledger until the release or the end of the process: records that a writer appends
 * behind the place at which another one begins the journal anew would not count.
 *
 * @throws JournalWriterRunsError
 */
export function lockJournal(ledger: string): () => void {
  return hold(ledger, 'decisions', () => new JournalWriterRunsError(ledger));
}

/** Holds a lock beside the ledger, the same one by each of its names. */
function hold(ledger: string, end: string, taken: () => Error): () => void {
  const file = `${realPath(ledger)}-${end}`;
  refuseAnothersLedger(file);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('SQLITE_BUSY')) throw taken();
    // Any other fault here is a fault of the ledger too, and is reported when the ledger is opened.
    return () => undefined;
  }
  const held = lock;
  return () => void held.close();
}
