/**
 * Every change of an explanation's state, with all features that take part in it (D12): all processes move explanations
 * through this file, so that none can leave a feature out. `explanations/transition-table.ts` holds the moves and states,
 * `explanations/transitions.ts` writes state, history and audit together.
 *
 * Before it: `electron/console-api/review/review.ts` for decisions, `agent/intake/apply/apply.ts` for the vendor's
 * entries. After it: `agent/ledger/serving/visibility.ts`.
 */
import { putExplanation } from './explanations/explanations.ts';
import { transitionsWith } from './explanations/transitions.ts';
import { blindReviews } from './review/blind-reviews.ts';
import { handOvers } from './review/hand-overs.ts';
import { secondOpinions } from './review/open-opinions.ts';
import { samples } from './review/samples.ts';
import { fourEyes } from './review/waiting-edits.ts';
import type { LedgerTransaction } from './storage/ledger.ts';

/** Four eyes come first: a person who may not decide alone gets that refusal before any other. */
export const { applyMove, recordReceived, recordFoundWithdrawn } = transitionsWith([
  fourEyes,
  secondOpinions,
  handOvers,
  blindReviews,
  samples,
]);

/** Inserts a new explanation in the state that its screening gave, with screening, history and audit. Returns its id. */
export function insertExplanation(tx: LedgerTransaction, ...explanation: TailOf<typeof putExplanation>): string {
  const received = putExplanation(tx, ...explanation);
  recordReceived(tx, received);
  return received.id;
}

type TailOf<F> = F extends (tx: LedgerTransaction, ...rest: infer R) => unknown ? R : never;
