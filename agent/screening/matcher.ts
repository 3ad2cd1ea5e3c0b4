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
import { USUALLY_APART } from '../../shared/wire/console/console.ts';
import { Automaton } from './letters/automaton.ts';
import { fold, type Folded, GAP, isWhole, kept, loosen, OPENS } from './letters/fold.ts';
import { hitOf, type Finding } from './hits.ts';
import type { ForbiddenWord, WordException } from './policy.ts';
import type { RecordedHit } from './recorded.ts';
import type { PartedWord } from './morphology/claims.ts';
import { firstFrom, Grammar, isUsual } from './morphology/grammar.ts';
import { percentInWords } from './letters/percent.ts';
import { isWholeNumber } from './letters/whole-number.ts';
import { PartSearch } from './morphology/part-search.ts';
import { holdsLoneSyllables } from './morphology/split-parts.ts';
import { spaced } from './morphology/sentence.ts';
import { readExpression, readingsOf, type Reading } from './reading/reading.ts';

/** Increased whenever the same text and policy could give other findings than before; stored with every screening. */
export const MATCHER_VERSION = '9';

export interface Matcher {
  /** Every hit, by where it begins. @throws TooManyHitsError, and where the morphological analyser fails */
  find(text: string): RecordedHit[];
}

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

/**
 * Builds the automatons of a policy version's active words. To be done once per version.
 *
 * @param insidePasses whether a hit that is surely part of other words is none; else it leads to review
 * @throws where the morphological analyser fails
 */
export function createMatcher(words: readonly ForbiddenWord[], insidePasses = true): Matcher {
  const active = words.filter((word) => word.active);
  const patterns = active.flatMap(patternsOf);
  const strict = new Searcher(patterns);
  const loose = new Searcher(
    patterns
      .map((pattern) => ({ ...pattern, folded: kept(loosen(pattern.folded)) }))
      // The rest of `C++` would be found everywhere, and that of `100%` in every name with a number.
      .filter(({ folded }) => characters(folded) > 1 && !isNumber(folded)),
  );
  const parts = new PartSearch(active, ({ word, apart = USUALLY_APART }) => ({ text: readExpression(word), apart }));

  const findIn = (text: string, reading: Reading): RecordedHit[] => {
    const shown = reading.read?.text ?? text;
    const grammar = new Grammar(shown);
    const folded = fold(shown);
    const certain = strict.search(shown, folded);
    const inSentences = parts.search(shown, folded, grammar);
    const loosened = loosen(folded);
    const likely = loose.search(shown, loosened);
    if (holdsLoneSyllables(shown))
      for (const [sentence, words] of parts.search(shown, loosened, grammar))
        inSentences.set(sentence, [...new Set([...(inSentences.get(sentence) ?? []), ...words])]);
    if (certain.length === 0 && likely.length === 0 && inSentences.size === 0) return [];
    const known = new Set(certain.map(place));
    const counts = (one: Occurrence): boolean => one.pattern.role === 'WORD' || grammar.isExcepted(one);
    const counting = { certain: certain.filter(counts), likely: likely.filter(counts) };
    const told = withoutCovered(counting.certain);
    const others = withoutCovered(counting.likely).filter((found) => !known.has(place(found)));
    const finding =
      (pass: RecordedHit['pass']) =>
      (one: Occurrence): Finding[] => {
        const judged = judge(one, shown, grammar, insidePasses);
        const { start, end, pattern } = one;
        const { word, role, text: expression } = pattern;
        return judged === null
          ? []
          : [{ word, expression, isException: role === 'REVIEW', start, end, pass, ...judged }];
      };
    const byLetters = [...told.flatMap(finding('strict')), ...withoutFound(others, told).flatMap(finding('loose'))];
    const exceptions = [...counting.certain, ...counting.likely].filter(({ pattern }) => pattern.role !== 'WORD');
    // A claim of a word that is found there already, or is excepted there, says nothing new; unless what is excepted is the
    // first of several nouns without a particle between them (`시장 예상 급등`).
    const byParts = claimsOf(inSentences, grammar).filter(
      (claim) =>
        !byLetters.some((found) => found.word === claim.word && overlaps(found, claim)) &&
        !exceptions.some(
          (one) =>
            one.pattern.word === claim.word &&
            overlaps(one, claim) &&
            !(one.end < claim.end && grammar.isBareNoun(one)),
        ),
    );
    return [...byLetters, ...byParts].map((found) => hitOf(text, reading, found));
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

const overlaps = (one: Placed, other: Placed): boolean => one.start < other.end && one.end > other.start;

/** What grammar makes of a hit of the letters; null where it is none. An unusual spelling is meant, whatever it looks like. */
function judge(
  one: Occurrence,
  text: string,
  grammar: Grammar,
  insidePasses: boolean,
): Pick<Finding, 'grammar' | 'turnedBy'> | null {
  if (one.pattern.role !== 'WORD' || !isUsual(text.slice(one.start, one.end))) return {};
  const standing = grammar.standing(one, one.pattern.text);
  if (standing === 'INSIDE' && insidePasses) return null;
  if (standing === 'UNREAD') return { grammar: 'UNREAD' };
  if (standing !== 'WORD') return { grammar: 'INSIDE' };
  const turnedBy = grammar.turnedBy(one);
  return turnedBy === null ? {} : { grammar: 'TURNED', turnedBy };
}

/** The claims of the sentences that hold all parts of a word. One that cannot be read makes each of them. */
function claimsOf(inSentences: ReadonlyMap<number, PartedWord<ForbiddenWord>[]>, grammar: Grammar): Finding[] {
  return [...inSentences].flatMap(([sentence, words]) => {
    const found = (word: ForbiddenWord, { start, end }: Placed): Finding => ({
      word,
      expression: word.word,
      isException: false,
      start,
      end,
      pass: 'morphemes',
    });
    const claims = grammar.claims(sentence, words);
    if (claims === null) {
      const whole = grammar.sentences[sentence] ?? { start: 0, end: 0 };
      return words.map(({ word }) => ({ ...found(word, whole), grammar: 'UNREAD' as const }));
    }
    return claims.map((claim) => {
      const turnedBy = grammar.turnedBy(claim, claim.ownDenials);
      return { ...found(claim.word, claim), ...(turnedBy === null ? {} : { grammar: 'TURNED' as const, turnedBy }) };
    });
  });
}

/** A hit of one way to read the text, and not of the first. */
const asDoubtful = (hit: RecordedHit): RecordedHit => ({ ...hit, severity: 'REVIEW' });

/** The hits that lie inside of no place where the same word is already found. */
function notInside(hits: readonly RecordedHit[], told: readonly RecordedHit[]): RecordedHit[] {
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
  return (text) => {
    const shown = readingsOf(text)[0].read?.text ?? text;
    return searcher.search(shown, fold(shown)).length > 0;
  };
}

const foldedOf = (expression: string): Folded => kept(fold(readExpression(expression)));

function patternsOf(word: ForbiddenWord): Pattern[] {
  const exceptions = word.exceptions.map(({ text, becomes }): Pattern => ({
    role: becomes,
    word,
    text,
    folded: foldedOf(becomes === 'CLEAR' ? spaced(text) : text),
  }));
  const spellings = [word.word, ...percentInWords(word.word)];
  return [
    ...spellings.map((text): Pattern => ({ role: 'WORD', word, text: word.word, folded: foldedOf(text) })),
    ...exceptions,
  ];
}

class Searcher<P extends Sought> {
  readonly #patterns: readonly P[];
  readonly #automaton: Automaton;

  constructor(patterns: readonly P[]) {
    this.#patterns = patterns;
    this.#automaton = new Automaton(patterns.map((pattern) => pattern.folded.codes));
  }

  /** @param text what `folded` is made of. @throws TooManyHitsError */
  search(text: string, folded: Folded): Occurrence<P>[] {
    const occurrences: Occurrence<P>[] = [];
    this.#automaton.scan(folded.codes, (index, from, to) => {
      const pattern = this.#patterns[index];
      if (pattern === undefined || !isWhole(folded, from, to)) return;
      if (pattern.role === 'CLEAR' && !isSpacedAlike(folded, from, pattern.folded)) return;
      if (occurrences.length === MOST_OCCURRENCES) throw new TooManyHitsError();
      const place = { start: folded.starts[from] ?? 0, end: folded.ends[to - 1] ?? 0 };
      if (isWholeNumber(text, place)) occurrences.push({ pattern, from, to, ...place });
    });
    return occurrences;
  }
}

const isNumber = ({ codes }: Folded): boolean => codes.every((code) => code >= 0x30 && code <= 0x39);

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
function withoutFound(occurrences: readonly Occurrence[], told: readonly Occurrence[]): Occurrence[] {
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

/** The letters at a place of the received text as they are read. */
function lettersIn({ read }: Reading, text: string, { start, end }: Placed): string {
  return read === null
    ? text.slice(start, end)
    : read.text.slice(firstFrom(read.starts, start), firstFrom(read.starts, end));
}
