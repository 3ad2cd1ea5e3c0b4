/** Faults of the ledger's file as an API answers them: the reason and what to do, without a path of the host (D7). */
import { ApiError } from '../../../shared/wire/envelope.ts';
import { HELD_BY_ANOTHER } from './write-lock.ts';
import {
  asLedgerError,
  isLedgerFault,
  LedgerDamagedError,
  LedgerFullError,
  LedgerLockedError,
  LedgerReadOnlyError,
  LedgerUnreachableError,
} from './errors.ts';

export const DAMAGED =
  'The ledger is damaged, so nothing was told and nothing was changed. Ask the administrator to run "intake verify" and to restore the ledger from a backup.';

/** The failure to answer, with the fault as its cause for the log; null where the ledger's file is not at fault. */
export function ledgerAnswer(error: unknown): ApiError | null {
  const named = isLedgerFault(error) ? asLedgerError('', error) : error;
  const message = messageOf(named);
  if (message === null) return null;
  const answer = new ApiError('COMMON503', message);
  answer.cause = error;
  return answer;
}

function messageOf(named: unknown): string | null {
  if (named instanceof LedgerLockedError) return HELD_BY_ANOTHER;
  if (named instanceof LedgerDamagedError) return DAMAGED;
  if (named instanceof LedgerFullError)
    return 'There is no free space left for the ledger, so nothing was changed. Texts can be read and stopped. Ask the administrator to make room.';
  if (named instanceof LedgerReadOnlyError)
    return 'The disk of the ledger cannot be written, so nothing was changed. Ask the administrator to look at it.';
  if (named instanceof LedgerUnreachableError)
    return 'The disk of the ledger does not read or write, so nothing was told and nothing was changed. Ask the administrator to look at it.';
  return null;
}
