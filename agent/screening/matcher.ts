/**
 * Finds the forbidden words of a policy version in a text (D14, D15) and gives the place and the cause of every hit.
 *
 * Two passes. The strict one folds by D15, and its hits have the word's own severity. The loose one leaves out
 * punctuation as well; its additional hits may be chance (`구매, 수익`), so they only ever lead to a reviewer. A word with
 * a strict hit gets no second hit inside the same place (`보장!` is `보장` without its punctuation).
 *
 * An exception counts only where it covers the hit. A CLEAR exception exposes text, so it is read narrowly: white space
 * may stand in it only where the policy has it, or `국내 최고 가성비` would pass as `최고가`. A REVIEW exception is a finding by
 * itself (`원금이 보장되지 않` does not even contain `원금 보장`), and replaces the hits that it covers.
 */
import type { WordHit } from '../../shared/wire/console/console.ts';
import { Automaton } from './automaton.ts';
import { CLOSES, fold, type Folded, GAP, kept, loosen, OPENS } from './fold.ts';
import type { ForbiddenWord, WordException } from './policy.ts';

/** Increased whenever the same text and policy could give other hits than before; stored with every screening. */
export const MATCHER_VERSION = '3';

export interface Matcher {
  /** Every hit, by where it begins. @throws TooManyHitsError */
  find(text: string): WordHit[];
}

type Pass = WordHit['pass'];
type Role = 'WORD' | WordException['becomes'];

/** An expression to find, and how widely it is read. */
interface Sought {
  role: Role;
  folded: Folded;
}

/** The meaning of a pattern of the automaton. */
interface Pattern extends Sought {
  word: ForbiddenWord;
  /** The text as in the policy. */
  text: string;
}

/** An occurrence of a pattern: positions in the folded text and, decisive, in the original. */
interface Occurrence<P extends Sought = Pattern> {
  pattern: P;
  from: number;
  to: number;
  start: number;
  end: number;
}

/** Far more than any sane list finds in a text within the limits; each hit costs memory. */
const MOST_OCCURRENCES = 100_000;

/** A text and a word list with excessive hits: the check fails, and a person reviews the text (D14). */
export class TooManyHitsError extends Error {
  override name = 'TooManyHitsError';
  constructor() {
    super(`More than ${MOST_OCCURRENCES} words and exceptions stand in the text.`);
  }
}

/** Builds the automatons of a policy version's active words. To be done once per version. */
export function createMatcher(words: readonly ForbiddenWord[]): Matcher {
  const patterns = words.filter((word) => word.active).flatMap(patternsOf);
  const strict = new Searcher(patterns);
  const loose = new Searcher(
    patterns
      .map((pattern) => ({ ...pattern, folded: kept(loosen(pattern.folded)) }))
      // The rest of `C++` would be found everywhere.
      .filter((pattern) => characters(pattern.folded) > 1),
  );
  return {
    find: (text) => {
      const folded = fold(text);
      const certain = strict.search(folded);
      const likely = loose.search(loosen(folded));
      if (certain.length === 0 && likely.length === 0) return [];
      const known = new Set(certain.map(place));
      const told = withoutCovered(certain);
      const others = withoutCovered(likely).filter((found) => !known.has(place(found)));
      return [
        ...told.map((found) => hit(text, found, 'strict')),
        ...withoutTold(others, told).map((found) => hit(text, found, 'loose')),
      ].sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

/**
 * Finds whether a text holds one of some expressions, read as narrowly as a CLEAR exception: a match exposes the text.
 */
export function createFinder(expressions: readonly string[]): (text: string) => boolean {
  const searcher = new Searcher(expressions.map((text): Sought => ({ role: 'CLEAR', folded: kept(fold(text)) })));
  return (text) => searcher.search(fold(text)).length > 0;
}

function patternsOf(word: ForbiddenWord): Pattern[] {
  const exceptions = word.exceptions.map(({ text, becomes }): Pattern => ({
    role: becomes,
    word,
    text,
    folded: kept(fold(text)),
  }));
  return [{ role: 'WORD', word, text: word.word, folded: kept(fold(word.word)) }, ...exceptions];
}

class Searcher<P extends Sought> {
  readonly #patterns: readonly P[];
  readonly #automaton: Automaton;

  constructor(patterns: readonly P[]) {
    this.#patterns = patterns;
    this.#automaton = new Automaton(patterns.map((pattern) => pattern.folded.codes));
  }

  /** @throws TooManyHitsError */
  search(text: Folded): Occurrence<P>[] {
    const occurrences: Occurrence<P>[] = [];
    this.#automaton.scan(text.codes, (index, from, to) => {
      const pattern = this.#patterns[index];
      if (pattern === undefined || !isWhole(text, from, to)) return;
      if (pattern.role === 'CLEAR' && !isSpacedAlike(text, from, pattern.folded)) return;
      if (occurrences.length === MOST_OCCURRENCES) throw new TooManyHitsError();
      occurrences.push({ pattern, from, to, start: text.starts[from] ?? 0, end: text.ends[to - 1] ?? 0 });
    });
    return occurrences;
  }
}

/** Whether a range begins and ends with whole characters. */
function isWhole(text: Folded, from: number, to: number): boolean {
  return ((text.marks[from] ?? 0) & OPENS) !== 0 && ((text.marks[to - 1] ?? 0) & CLOSES) !== 0;
}

/** Whether the text has gaps inside the pattern only where the pattern has them. */
function isSpacedAlike(text: Folded, from: number, pattern: Folded): boolean {
  for (let i = 1; i < pattern.codes.length; i += 1) {
    if (((text.marks[from + i] ?? 0) & GAP) !== 0 && ((pattern.marks[i] ?? 0) & GAP) === 0) return false;
  }
  return true;
}

/** Keeps the words that none of their exceptions covers, and the REVIEW exceptions that no CLEAR one covers. */
function withoutCovered(occurrences: readonly Occurrence[]): Occurrence[] {
  return [...byWord(occurrences).values()].flatMap((group) => {
    const of = (role: Role): Occurrence[] =>
      group.filter((one) => one.pattern.role === role).sort((a, b) => a.from - b.from);
    const clear = of('CLEAR');
    const review = uncovered(of('REVIEW'), clear);
    return [...uncovered(uncovered(of('WORD'), clear), review), ...review];
  });
}

/** Removes occurrences inside a place where the same word is already found. */
function withoutTold(occurrences: readonly Occurrence[], told: readonly Occurrence[]): Occurrence[] {
  const toldOf = byWord(told);
  // The two passes count folded characters differently; the places in the original are comparable.
  const placed = (group: readonly Occurrence[]) =>
    group.map((found) => ({ found, from: found.start, to: found.end })).sort((a, b) => a.from - b.from);
  return [...byWord(occurrences)].flatMap(([word, group]) =>
    uncovered(placed(group), placed(toldOf.get(word) ?? [])).map(({ found }) => found),
  );
}

function byWord(occurrences: readonly Occurrence[]): Map<ForbiddenWord, Occurrence[]> {
  return Map.groupBy(occurrences, ({ pattern }) => pattern.word);
}

interface Stretch {
  from: number;
  to: number;
}

/** The `hits` that lie in none of `covers`; both sorted by their begin. One walk over both. */
function uncovered<Hit extends Stretch>(hits: readonly Hit[], covers: readonly Stretch[]): Hit[] {
  let next = 0;
  let reach = 0;
  return hits.filter((one) => {
    for (let cover = covers[next]; cover !== undefined && cover.from <= one.from; cover = covers[next]) {
      reach = Math.max(reach, cover.to);
      next += 1;
    }
    return one.to > reach;
  });
}

/** The number of characters of a folded text. */
function characters(folded: Folded): number {
  return folded.marks.reduce((count, marks) => count + (marks & OPENS), 0);
}

function place({ pattern, start, end }: Occurrence): string {
  return JSON.stringify([pattern.word.id, pattern.text, start, end]);
}

function hit(text: string, { pattern, start, end }: Occurrence, pass: Pass): WordHit {
  const { word } = pattern;
  const matched = text.slice(start, end);
  return {
    wordId: word.id,
    word: word.word,
    severity: pass === 'loose' || pattern.role === 'REVIEW' ? 'REVIEW' : word.severity,
    ...(word.reason === undefined ? {} : { reason: word.reason }),
    start,
    end,
    matched,
    pass,
    exception: pattern.role === 'REVIEW' ? pattern.text : null,
    isExact: matched === pattern.text,
    why: reason(pattern, matched, pass),
  };
}

/** The cause of a hit, for the reviewer. */
function reason(pattern: Pattern, matched: string, pass: Pass): string {
  const named = `금지어 “${pattern.word.word}”`;
  const what =
    pattern.role === 'REVIEW'
      ? `${named}의 예외 표현 “${pattern.text}”에 해당하지만 담당자의 확인이 필요합니다.`
      : `${named}에 해당합니다.`;
  if (pass === 'loose') return `문장 부호와 기호를 빼고 읽으면 ${what} 우연일 수 있어 심사로 보냅니다.`;
  if (matched === pattern.text) return what;
  return `${what} 띄어쓰기, 대소문자, 보이지 않는 문자, 자모 분리의 차이는 무시하고 비교했습니다.`;
}
