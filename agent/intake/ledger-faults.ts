/**
 * Faults of the ledger itself while the Intake runs: no space, a read-only or failing disk, damage. The Intake tries the step
 * again; meanwhile the sync status says why, as far as that small write still succeeds.
 */
import type { Clock } from '../../shared/time/clock.ts';
import {
  asLedgerError,
  LedgerDamagedError,
  LedgerDiskError,
  LedgerFullError,
  LedgerReadOnlyError,
} from '../ledger/storage/errors.ts';
import type { Ledger, LedgerTransaction } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { leaveReserve } from '../ledger/storage/reserve.ts';
import { recordApplyFault, recordPullFailure } from '../ledger/inbox/sync-state.ts';

interface Fault {
  at: string;
  code: string;
  message: string;
}

const CODES = [
  { kind: LedgerFullError, code: 'LEDGER_FULL' },
  { kind: LedgerReadOnlyError, code: 'LEDGER_READ_ONLY' },
  { kind: LedgerDiskError, code: 'LEDGER_DISK' },
  { kind: LedgerDamagedError, code: 'LEDGER_DAMAGED' },
] as const;

/**
 * Runs one step of applying (`applyNext`). Reports its fault until a batch is applied, or nothing is left to apply.
 *
 * @throws LedgerError, and the errors of the step
 */
export function applyTelling(ledger: Ledger, clock: Clock, step: () => boolean): boolean {
  try {
    leaveReserve(ledger.file);
    const hasWorked = step();
    if (!hasWorked) endFault(ledger);
    return hasWorked;
  } catch (error) {
    throw told(ledger, clock, error, recordApplyFault);
  }
}

/**
 * Runs one pull (`pullOnce`). Reports its fault until a pull succeeds.
 *
 * @param nextBy the latest beginning of the next pull
 */
export async function receiveTelling<T>(
  ledger: Ledger,
  clock: Clock,
  nextBy: () => string,
  step: () => Promise<T>,
): Promise<T> {
  try {
    leaveReserve(ledger.file);
    return await step();
  } catch (error) {
    throw told(ledger, clock, error, (tx, fault) =>
      recordPullFailure(tx, { ...fault, state: 'RETRYING', nextBy: nextBy() }),
    );
  }
}

function told(
  ledger: Ledger,
  clock: Clock,
  error: unknown,
  record: (tx: LedgerTransaction, fault: Fault) => void,
): unknown {
  const named = asLedgerError(ledger.file, error);
  const code = CODES.find(({ kind }) => named instanceof kind)?.code;
  if (code === undefined || !(named instanceof Error)) return named;
  const { message } = named;
  try {
    ledger.write((tx) => record(tx, { at: clock.now().toISOString(), code, message }));
  } catch {
    // The status cannot be written either: the log reports the fault.
  }
  return named;
}

function endFault(ledger: Ledger): void {
  const now = ledger.first(
    sqlite.selectFrom('sync_state').select('apply_error_code').where('id', '=', 1),
  )?.apply_error_code;
  if (CODES.some(({ code }) => code === now)) ledger.write((tx) => recordApplyFault(tx, null));
}
