/**
 * The moves of an explanation with every feature that takes part in them (D12). Every change of a state comes through
 * here, so that no process can leave a feature out. Before it comes the caller (`agent/intake/apply/apply.ts` for what
 * the vendor sends, `electron/console-api/review/review.ts` for what people decide); after it comes what may be shown
 * (`agent/ledger/serving/visibility.ts`).
 */
import { putExplanation } from './explanations/explanations.ts';
import { transitionsWith } from './explanations/transitions.ts';
import { blindReviews } from './review/blind-reviews.ts';
import { secondOpinions } from './review/open-opinions.ts';
import { samples } from './review/samples.ts';
import { fourEyes } from './review/waiting-edits.ts';
import type { LedgerTransaction } from './storage/ledger.ts';

/** Four eyes come first: a person who may not decide alone is told that before anything else. */
export const { applyMove, recordReceived, recordFoundWithdrawn } = transitionsWith([
  fourEyes,
  secondOpinions,
  blindReviews,
  samples,
]);

/**
 * Takes in a new explanation in the state that its screening gave, with screening, history and audit. Returns its id.
 */
export function insertExplanation(tx: LedgerTransaction, ...explanation: TailOf<typeof putExplanation>): string {
  const received = putExplanation(tx, ...explanation);
  recordReceived(tx, received);
  return received.id;
}

type TailOf<F> = F extends (tx: LedgerTransaction, ...rest: infer R) => unknown ? R : never;
