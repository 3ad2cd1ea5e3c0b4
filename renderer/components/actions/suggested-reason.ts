/**
 * The preselected reason of a refusal form. It is visible as the choice, and the reviewer sends it or chooses another.
 */
import type { CheckResult, ReasonCode, WordHit } from '../../../shared/wire/console/console.ts';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';

/** The other way to fail a check: a text with too weak grounds. */
const WEAK: readonly CheckResult['check'][] = ['SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE'];

/**
 * Whether a text may say what the reason of the word is about. An exception is another expression, mostly the word's
 * denial, and a word whose meaning is turned says the opposite; one inside of other words says nothing of it.
 */
const saysIt = ({ exception, grammar }: WordHit): boolean =>
  exception === null && grammar !== 'TURNED' && grammar !== 'INSIDE';

/**
 * The most severe hit that says what its word says, and whose word names a reason, comes first, then a figure that the evidence contradicts, then a
 * missing notice, then a failed check of the grounds. A figure without a supporting value contradicts nothing. Null: no
 * suggestion.
 */
export function suggestedReason(
  checks: readonly Pick<CheckResult, 'check' | 'verdict' | 'hits'>[],
  figures: readonly Pick<CheckedFigure, 'support'>[],
): ReasonCode | null {
  const hits = checks.flatMap(({ hits: found }) => found).filter((one) => one.reason !== undefined && saysIt(one));
  const hit = hits.find(({ severity }) => severity === 'BLOCK') ?? hits[0];
  if (hit?.reason !== undefined) return hit.reason;
  if (figures.some(({ support: { state } }) => state === 'opposite' || state === 'unit')) return 'NUMBER_MISMATCH';
  const failed = checks.filter(({ verdict }) => verdict !== 'PASS').map(({ check }) => check);
  if (failed.includes('REQUIRED_NOTICE')) return 'RISK_NOTICE_MISSING';
  return failed.some((check) => WEAK.includes(check)) ? 'WEAK_GROUNDS' : null;
}
