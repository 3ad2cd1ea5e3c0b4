/** What a reviewer has written is screened like anything else before it can be shown (D14, D15). */
import type { LedgerReader } from '../../agent/ledger/ledger.ts';
import { activePolicy, activePolicyVersion } from '../../agent/ledger/policy-versions.ts';
import { createScreener, type Screener } from '../../agent/screening/screen.ts';
import { ApiError } from '../../shared/wire/envelope.ts';

/** The screener of the active policy version. A version never changes, so its screener is built once. */
export class ActiveScreener {
  #known: Screener | undefined;

  of(reader: LedgerReader): Screener {
    if (this.#known === undefined || this.#known.policyVersion !== activePolicyVersion(reader)) {
      this.#known = createScreener(activePolicy(reader) ?? null);
    }
    return this.#known;
  }
}

/**
 * Words of severity BLOCK are refused whoever wrote them; for words of severity REVIEW a person must
 * look, and the reviewer has just done that. Without a policy nothing can be screened, so nothing new
 * may be written (fail closed).
 *
 * @throws ApiError COMMON409 with every blocking hit
 */
export function refuseBlockedWords(screener: Screener, editedText: string): void {
  if (screener.policyVersion === null) {
    throw new ApiError(
      'COMMON409',
      'No screening policy is active: an edited text cannot be screened, so it cannot be approved.',
    );
  }
  const blocking = screener.findWords(editedText).filter((hit) => hit.severity === 'BLOCK');
  if (blocking.length === 0) return;
  throw new ApiError(
    'COMMON409',
    'The edited text contains words that the screening policy blocks.',
    blocking.map((hit) => ({
      path: 'body.edited_summary',
      message: `${hit.start}-${hit.end} “${hit.matched}”: ${hit.why}`,
    })),
  );
}
