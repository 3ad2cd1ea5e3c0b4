/**
 * Finds the required notices of a policy that a text lacks. A term is read narrowly, because a match lets the text
 * through; the words that make a notice required are read as widely as forbidden words, because a missed one would.
 */
import { createFinder, createMatcher } from './matcher.ts';
import type { RequiredNotice } from './policy.ts';

/**
 * The hits that stand in none of the firm's own notices. A notice speaks of what it denies, and a text that repeats one letter
 * for letter is not held for it.
 */
export function outsideNotices<Hit extends { start: number; end: number }>(
  hits: readonly Hit[],
  text: string,
  notices: readonly string[],
): Hit[] {
  if (hits.length === 0) return [];
  const places = notices.flatMap((notice) => placesOf(text, notice));
  return hits.filter((hit) => !places.some(({ start, end }) => start <= hit.start && hit.end <= end));
}

function placesOf(text: string, notice: string): { start: number; end: number }[] {
  const places = [];
  for (let at = text.indexOf(notice); at !== -1; at = text.indexOf(notice, at + notice.length))
    places.push({ start: at, end: at + notice.length });
  return places;
}

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
