/**
 * Whether an explanation stands as its history tells. A row that was altered past the program must not lead to a decision
 * in good faith, after which nothing tells of it any more (D199).
 */
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { sqlite, type LedgerReader } from '../storage/ledger.ts';

/** Row and records differ: nobody lets the text out before a rebuild. */
export class NotAsToldError extends Error {
  override name = 'NotAsToldError';
  constructor(id: string, what: string) {
    super(
      `${what} of ${id} is not as its records tell: "intake verify" names what differs, "intake rebuild" mends it.`,
    );
  }
}

const lastMove = (id: string) =>
  sqlite
    .selectFrom('state_history')
    .select('to_status as status')
    .where('explanation_id', '=', id)
    .orderBy('id', 'desc')
    .limit(1);

/** @throws NotAsToldError */
export function refuseOtherState(reader: LedgerReader, id: string, status: ExplanationStatus): void {
  if (reader.first(lastMove(id))?.status !== status) throw new NotAsToldError(id, 'The state');
}
