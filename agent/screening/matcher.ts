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
 *
 * Where a text can be read in several ways (`reading.ts`), the first has these severities; a hit of another way alone leads
 * to a reviewer.
 */
import type { WordHit } from '../../shared/wire/console/console.ts';
import { Automaton } from './automaton.ts';
import { CLOSES, fold, type Folded, GAP, kept, loosen, OPENS } from './fold.ts';
import { holdsHanja } from './hanja.ts';
import type { ForbiddenWord, WordException } from './policy.ts';
import { readExpression, readingsOf, type Reading } from './reading.ts';

/** Increased whenever the same text and policy could give other findings than before; stored with every screening. */
export const MATCHER_VERSION = '4';

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
  const findIn = (text: string, reading: Reading): WordHit[] => {
    const folded = fold(reading.read?.text ?? text);
    const certain = strict.search(folded);
    const likely = loose.search(loosen(folded));
    if (certain.length === 0 && likely.length === 0) return [];
    const known = new Set(certain.map(place));
    const told = withoutCovered(certain);
    const others = withoutCovered(likely).filter((found) => !known.has(place(found)));
    return [
      ...told.map((found) => hit(text, reading, found, 'strict')),
      ...withoutTold(others, told).map((found) => hit(text, reading, found, 'loose')),
    ];
  };
  return {
    find: (text) => {
      const [first, ...others] = readingsOf(text);
      const hits = findIn(text, first);
      for (const reading of others) {
        // What the first reads in the same letters it has judged, exceptions included.
        const further = findIn(text, reading).filter(
          (hit) => lettersIn(reading, text, hit) !== lettersIn(first, text, hit),
        );
        hits.push(...notInside(further, hits).map(asDoubtful));
      }
      return hits.sort((a, b) => a.start - b.start || b.end - a.end);
    },
  };
}

/** A hit of one way to read the text, and not of the first. */
const asDoubtful = (hit: WordHit): WordHit => ({ ...hit, severity: 'REVIEW' });

/** The hits that lie inside of no place where the same word is already found. */
function notInside(hits: readonly WordHit[], told: readonly WordHit[]): WordHit[] {
  const toldOf = Map.groupBy(told, ({ wordId }) => wordId);
  return [...Map.groupBy(hits, ({ wordId }) => wordId)].flatMap(([wordId, group]) =>
    outside(group, toldOf.get(wordId) ?? []),
  );
}

/**
 * Finds whether a text holds one of some expressions, read as narrowly as a CLEAR exception: a match exposes the text. So
 * it has to be in the first way to read the text: what a page does not show is not there.
 */
export function createFinder(expressions: readonly string[]): (text: string) => boolean {
  const searcher = new Searcher(expressions.map((text): Sought => ({ role: 'CLEAR', folded: foldedOf(text) })));
  return (text) => searcher.search(fold(readingsOf(text)[0].read?.text ?? text)).length > 0;
}

const foldedOf = (expression: string): Folded => kept(fold(readExpression(expression)));

function patternsOf(word: ForbiddenWord): Pattern[] {
  const exceptions = word.exceptions.map(({ text, becomes }): Pattern => ({
    role: becomes,
    word,
    text,
    folded: foldedOf(text),
  }));
  return [{ role: 'WORD', word, text: word.word, folded: foldedOf(word.word) }, ...exceptions];
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
  return [...byWord(occurrences)].flatMap(([word, group]) => outside(group, toldOf.get(word) ?? []));
}

interface Placed {
  start: number;
  end: number;
}

/** The hits that lie in none of the others, by their places in the text: passes and readings count letters differently. */
function outside<Hit extends Placed>(hits: readonly Hit[], others: readonly Placed[]): Hit[] {
  const placed = <One extends Placed>(group: readonly One[]) =>
    group.map((found) => ({ found, from: found.start, to: found.end })).sort((a, b) => a.from - b.from);
  return uncovered(placed(hits), placed(others)).map(({ found }) => found);
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

function hit(text: string, reading: Reading, found: Occurrence, pass: Pass): WordHit {
  const { pattern } = found;
  const { word } = pattern;
  const { start, end } = received(reading, found);
  const matched = text.slice(start, end);
  const how = howRead(matched, reading, found);
  return {
    wordId: word.id,
    word: word.word,
    severity: pass === 'loose' || pattern.role === 'REVIEW' ? 'REVIEW' : word.severity,
    ...(word.reason === undefined ? {} : { reason: word.reason }),
    start,
    end,
    matched,
    pass,
    ...(how === undefined ? {} : { reading: how }),
    exception: pattern.role === 'REVIEW' ? pattern.text : null,
    isExact: matched === pattern.text,
    why: reason(pattern, matched, pass, how),
  };
}

/** The letters at a place of the received text as they are read. */
function lettersIn({ read }: Reading, text: string, { start, end }: Placed): string {
  return read === null
    ? text.slice(start, end)
    : read.text.slice(firstFrom(read.starts, start), firstFrom(read.starts, end));
}

/** Where the first of some rising numbers stands that is at least `least`. */
function firstFrom(rising: readonly number[], least: number): number {
  let [from, to] = [0, rising.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rising[middle] ?? 0) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The place of an occurrence in the text as it was received. */
function received({ read }: Reading, { start, end }: Occurrence): Placed {
  return read === null ? { start, end } : { start: read.starts[start] ?? 0, end: read.ends[end - 1] ?? 0 };
}

/** How the letters were read; undefined where they were read as they are. */
function howRead(matched: string, { as, read, isSecond }: Reading, { start, end }: Occurrence): WordHit['reading'] {
  if (as === 'PLAIN' && isSecond) return 'SOURCE';
  if (read === null || read.text.slice(start, end) === matched) return undefined;
  return as === 'PAGE' && !holdsHanja(matched) ? 'PAGE' : 'HANJA';
}

const READ: Record<NonNullable<WordHit['reading']>, string> = {
  HANJA: '한자를 한글로 읽어 비교했습니다.',
  PAGE: '마크업을 해석하여 화면에 표시되는 대로 비교했습니다.',
  SOURCE: '마크업을 해석하지 않은 원문에만 있어 심사로 보냅니다.',
};

/** The cause of a hit, for the reviewer. */
function reason(pattern: Pattern, matched: string, pass: Pass, how: WordHit['reading']): string {
  const named = `금지어 “${pattern.word.word}”`;
  const what =
    pattern.role === 'REVIEW'
      ? `${named}의 예외 표현 “${pattern.text}”에 해당하지만 담당자의 확인이 필요합니다.`
      : `${named}에 해당합니다.`;
  const read = how === undefined ? '' : ` ${READ[how]}`;
  if (pass === 'loose') return `문장 부호와 기호를 빼고 읽으면 ${what} 우연일 수 있어 심사로 보냅니다.${read}`;
  if (matched === pattern.text || how === 'HANJA' || how === 'PAGE') return `${what}${read}`;
  return `${what} 띄어쓰기, 대소문자, 보이지 않는 문자, 자모 분리의 차이는 무시하고 비교했습니다.${read}`;
}
