/**
 * Finds the required notices of a policy that a text lacks. A term is read narrowly, because a match lets the text
 * through; the words that make a notice required are read as widely as forbidden words, because a missed one would.
 */
import { createFinder, createMatcher } from './matcher.ts';
import type { RequiredNotice } from './policy.ts';

export interface MissingNotice {
  notice: RequiredNotice;
  severity: RequiredNotice['severity'];
}

export interface FoundNotices {
  /** The number of notices that the text must hold. */
  needed: number;
  missing: MissingNotice[];
}

/** Builds the search for the active notices of a policy version. To be done once per version. */
export function createNoticeCheck(notices: readonly RequiredNotice[]): (text: string) => FoundNotices {
  const rules = notices
    .filter(({ active }) => active)
    .map((notice) => ({ notice, severityFor: condition(notice), isPresent: createFinder(notice.terms) }));
  return (text) => {
    const needed = rules.flatMap(({ notice, severityFor, isPresent }) => {
      const severity = severityFor(text);
      return severity === null ? [] : [{ notice, severity, isPresent }];
    });
    const missing = needed.filter(({ isPresent }) => !isPresent(text));
    return { needed: needed.length, missing: missing.map(({ notice, severity }) => ({ notice, severity })) };
  };
}

/** The severity of a missing notice; null where the text does not need it. */
function condition({ id, onlyWith, severity }: RequiredNotice): (text: string) => RequiredNotice['severity'] | null {
  if (onlyWith.length === 0) return () => severity;
  const matcher = createMatcher(onlyWith.map((word) => ({ id, word, severity, active: true, exceptions: [] })));
  return (text) => {
    const hits = matcher.find(text);
    if (hits.length === 0) return null;
    // A word found only by the loose pass may be chance: it leads to a person at most.
    return hits.some((hit) => hit.severity === 'BLOCK') ? 'BLOCK' : 'REVIEW';
  };
}
