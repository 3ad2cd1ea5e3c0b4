/**
 * Finds the notices that a policy wants in a text and that are missing. A term is read narrowly, because finding it lets
 * the text through; the words on which a notice depends are read as widely as forbidden words, because missing them would.
 */
import { createFinder, createMatcher } from './matcher.ts';
import type { RequiredNotice } from './policy.ts';

export interface MissingNotice {
  notice: RequiredNotice;
  severity: RequiredNotice['severity'];
}

export interface FoundNotices {
  /** How many notices the text had to hold. */
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

/** How grave it is that a text lacks a notice; null where the text does not need it. */
function condition({ id, onlyWith, severity }: RequiredNotice): (text: string) => RequiredNotice['severity'] | null {
  if (onlyWith.length === 0) return () => severity;
  const matcher = createMatcher(onlyWith.map((word) => ({ id, word, severity, active: true, exceptions: [] })));
  return (text) => {
    const hits = matcher.find(text);
    if (hits.length === 0) return null;
    // A word that only the loose pass finds may be chance: it leads to a person at most.
    return hits.some((hit) => hit.severity === 'BLOCK') ? 'BLOCK' : 'REVIEW';
  };
}
