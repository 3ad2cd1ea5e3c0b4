/** Whatever a person is about to show to customers is screened once more before it is (D14, D15). */
import type { LedgerReader } from '../../agent/ledger/ledger.ts';
import type { LookedAt } from '../../agent/ledger/moves.ts';
import { activePolicy, activePolicyVersion } from '../../agent/ledger/policy-versions.ts';
import { MATCHER_VERSION } from '../../agent/screening/matcher.ts';
import { createScreener, type Screener } from '../../agent/screening/screen.ts';
import type { WordHit } from '../../shared/wire/console.ts';
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

export interface CheckedText {
  text: string;
  /** Where the text stands in the request or the object, for the errors. */
  field: 'summary' | 'body.edited_summary' | 'body.published_summary';
  /** Ids of words that the person has looked at and lets stand. */
  acknowledged: readonly string[];
}

/**
 * Words of severity BLOCK are refused whoever wrote them. Words of severity REVIEW may stand once the
 * person says that they have looked at each of them.
 *
 * @throws ApiError COMMON409 with every hit that stands in the way: the blocked ones under the text's own
 * path, the others under `body.acknowledgedWords.{wordId}`
 */
function refuseUnfit(screener: Screener, { text, field, acknowledged }: CheckedText): void {
  const hits = screener.findWords(text);
  const blocking = hits.filter((hit) => hit.severity === 'BLOCK');
  if (blocking.length > 0) {
    throw new ApiError(
      'COMMON409',
      'The text contains words that the screening policy blocks.',
      blocking.map((hit) => ({ path: field, message: describeHit(hit) })),
    );
  }
  const open = hits.filter((hit) => !acknowledged.includes(hit.wordId));
  if (open.length > 0) {
    throw new ApiError(
      'COMMON409',
      'The text contains words that a person must look at: acknowledge each of them.',
      open.map((hit) => ({ path: `body.acknowledgedWords.${hit.wordId}`, message: describeHit(hit) })),
    );
  }
}

/**
 * A text that a person has written cannot be shown where nothing can be screened (fail closed).
 *
 * @throws ApiError COMMON409
 */
function refuseWithoutPolicy(screener: Screener): void {
  if (screener.policyVersion !== null) return;
  throw new ApiError(
    'COMMON409',
    'No screening policy is active: a text that a person has written cannot be screened, so it cannot be shown.',
  );
}

/**
 * Does that by which a person puts a text on show, or lets it wait for a second person, with what they let stand in it
 * on record. State and version come before the text (D6); where the text is refused, the caller's transaction must not
 * be committed.
 *
 * @throws ApiError COMMON409, and whatever `put` throws
 */
export function showText(screener: Screener, checked: CheckedText, put: (looked: LookedAt) => void): void {
  const words = new Set(screener.findWords(checked.text).map(({ wordId }) => wordId));
  put({ matcherVersion: MATCHER_VERSION, wordsLetStand: [...words] });
  // A text as it was received may go out on a reviewer's word alone.
  if (checked.field !== 'summary') refuseWithoutPolicy(screener);
  refuseUnfit(screener, checked);
}

/** What stands there, as which word it counts where that is another, and where it stands; in no language. */
export function describeHit({ start, end, matched, word }: WordHit): string {
  return `“${matched}”${matched === word ? '' : ` = “${word}”`} (${start}-${end})`;
}
