/**
 * A sentence as its morphemes, each with its place in the text. The analyser tells places of whole words only, so the
 * letters are found here again: a noun, a particle and most endings stand in the word as they are; a contracted form
 * (`했` of `하` and `았`) keeps the place of all that it is contracted of.
 */
import { FIRST_SYLLABLE } from '../letters/hangul.ts';
import { analyse, isGuess, type Told } from './analyser.ts';
import { isContent } from './tags.ts';

export interface Morpheme {
  /** In its dictionary form. */
  text: string;
  tag: string;
  /** UTF-16 places in the text, end exclusive. */
  start: number;
  end: number;
  /** Whether its letters stand there as they are. */
  isWhole: boolean;
  /** Where its space-separated word begins. */
  word: number;
  /** Which clause of the sentence it belongs to, from 0. */
  clause: number;
}

/** Longer ones are not read: the analyser's time grows with their square. */
const LONGEST_SENTENCE = 600;
export const LONGEST_WORD = 60;

/** The morphemes of one sentence of a text; null where it is too long to be read. @throws as `analyse` */
export function morphemesOf(text: string, start: number, end: number): Morpheme[] | null {
  if (end - start > LONGEST_SENTENCE) return null;
  const sentence = text.slice(start, end).replaceAll(SEPARATES, ' ');
  const words = Array.from(sentence.matchAll(/\S+/gu), ({ index, 0: word }) => ({ at: index, word }));
  if (words.some(({ word }) => word.length > LONGEST_WORD)) return null;
  const units = unitsOfCodePoints(sentence);
  const told = Map.groupBy(analyse(sentence), (one) => units[one.start] ?? sentence.length);
  const morphemes = words.flatMap(({ at, word }, n) => {
    const next = words[n + 1]?.at ?? sentence.length;
    const here = [...told].filter(([from]) => from >= at && from < next).flatMap(([, some]) => some);
    return placed(here.flatMap(refined), word, start + at);
  });
  return numbered(morphemes);
}

/** White space, and marks that join words: the analyser takes `예·적금` for one it does not know. */
const SEPARATES = /[\s·ㆍ/]|(?<=[가-힣])-(?=[가-힣])/gu;

/** For each code point of a text its UTF-16 place. */
function unitsOfCodePoints(text: string): number[] {
  const places: number[] = [];
  let at = 0;
  for (const { length } of text) {
    places.push(at);
    at += length;
  }
  return places;
}

/**
 * A guessed noun is often a known one with a prefix that the analyser has not met (`순매수했다`), an unknown one with its
 * particle or ending (`팔란티어가`), a verb in a courteous form (`키우실`) or a word with one (`보장받으실`): what is known of it is
 * split off.
 */
function refined(told: Told, n: number, word: readonly Told[]): readonly Told[] {
  const { text, pos } = told;
  // No word begins with a copula: interest (이자) is read as one.
  if (n === 0 && pos === 'VCP' && word[1]?.text === '자') return [{ ...told, text: '이자', pos: 'NNG' }];
  if (n === 1 && text === '자' && word[0]?.pos === 'VCP') return [];
  if (!isGuessed(told)) return [told];
  return withPrefix(told) ?? withCourtesy(told) ?? withTail(told) ?? withVerb(told) ?? [told];
}

const isGuessed = ({ text, pos }: Told): boolean => pos === 'NNG' && isGuess(text);

const PREFIXES = new Set('순총미불비무초고저재신대최전');

function withPrefix(told: Told): Told[] | null {
  const [prefix = ''] = told.text;
  if (!PREFIXES.has(prefix)) return null;
  const rest = analyse(told.text.slice(1));
  const first = rest[0];
  if (first === undefined || !first.pos.startsWith('NN') || first.text.length < 2) return null;
  if (rest.some(isGuessed)) return null;
  return [{ ...told, text: prefix, pos: 'XPN' }, ...rest.map((one) => at(told, one))];
}

/** A noun that every ending of a verb made of a noun may follow. */
const KNOWN_NOUN = '기록';

/** What letters are behind a noun; null where they make other words with one. @throws as `analyse` */
export function behindNoun(letters: string): readonly Told[] | null {
  const [noun, ...tail] = analyse(KNOWN_NOUN + letters);
  return noun?.text === KNOWN_NOUN && tail.length > 0 ? tail : null;
}

/** Endings of a courteous verb, and what they are without the courtesy; with a consonant before them they need a vowel. */
const COURTEOUS: Readonly<Record<string, number>> = { 실: 8, 신: 4 };

function withCourtesy(told: Told): Told[] | null {
  const ending = COURTEOUS[told.text.at(-1) ?? ''];
  const stem = told.text.slice(0, -1);
  const last = stem.charCodeAt(stem.length - 1);
  if (ending === undefined || (last - FIRST_SYLLABLE) % 28 !== 0) return null;
  const [verb, plain, ...more] = analyse(stem.slice(0, -1) + String.fromCharCode(last + ending));
  if (verb?.pos !== 'VV' || plain?.pos !== 'ETM' || more.length > 0) return null;
  return [at(told, verb), { ...told, text: '시', pos: 'EP' }, at(told, plain)];
}

function withTail(told: Told): Told[] | null {
  for (let length = 2; length < told.text.length; length += 1) {
    const tail = behindNoun(told.text.slice(length));
    if (tail?.every(({ pos }) => /^(?:J|E|XSV|VCP|VX)/.test(pos)) === true)
      return [{ ...told, text: told.text.slice(0, length) }, ...tail.map((one) => at(told, one))];
  }
  return null;
}

function withVerb(told: Told): Told[] | null {
  for (let length = 2; length < told.text.length - 1; length += 1) {
    const [verb, ...endings] = analyse(told.text.slice(length));
    if (verb?.pos !== 'VV' || endings.length === 0 || !endings.every(({ pos }) => pos.startsWith('E'))) continue;
    const before = analyse(told.text.slice(0, length));
    if (before.some(isGuessed)) continue;
    return [...before, verb, ...endings].map((one) => at(told, one));
  }
  return null;
}

const at = ({ start, end }: Told, { text, pos }: Told): Told => ({ text, pos, start, end });

/** Finds the letters of the morphemes of one space-separated word. */
function placed(told: readonly Told[], word: string, begin: number): Morpheme[] {
  const morphemes: Morpheme[] = [];
  let from = 0;
  let waiting: Told[] = [];
  const contracted = (to: number): void => {
    for (const { text, pos } of waiting)
      morphemes.push({ text, tag: pos, start: begin + from, end: begin + to, isWhole: false, word: begin, clause: 0 });
    waiting = [];
  };
  for (const one of told) {
    const place = one.text === '' ? -1 : word.indexOf(one.text, from);
    // Behind a contraction only what has letters of its own says where it ends.
    if (place === -1 || (waiting.length === 0 ? place > from : !isContent(one.pos))) waiting.push(one);
    else {
      contracted(place);
      from = place + one.text.length;
      const [start, end] = [begin + place, begin + from];
      morphemes.push({ text: one.text, tag: one.pos, start, end, isWhole: true, word: begin, clause: 0 });
    }
  }
  contracted(word.length);
  return morphemes;
}

/** Endings of a statement that another one is set against or beside: what denies that one may deny both. */
const SET_AGAINST = '지만 으나 나 는데 은데 ㄴ데 거나'.split(' ');
/**
 * Endings after which another statement begins. `라도` and its like are none: what they begin stands inside of a statement
 * (`원금은 주가가 내려도 보장됩니다`).
 */
const NEXT_CLAUSE = new Set([...'고 며 으며 면서 으면서 으니 니 므로 으므로 자 더니'.split(' '), ...SET_AGAINST]);

/** Numbers the clauses. */
function numbered(morphemes: Morpheme[]): Morpheme[] {
  let clause = 0;
  return morphemes.map((one, n) => {
    const numbered = { ...one, clause };
    if (one.tag === 'EC' && NEXT_CLAUSE.has(one.text) && !saysMore(morphemes, n)) clause += 1;
    return numbered;
  });
}

/**
 * Whether what follows an ending speaks of the same things: an auxiliary verb (`보장하고 있다`), a verb without nouns of its own
 * (`원금을 책임지고 보장합니다`), or what comes on top (`원금은 물론이고 이자도`).
 */
function saysMore(morphemes: readonly Morpheme[], ending: number): boolean {
  if (morphemes[ending - 1]?.tag === 'VCP' && morphemes[ending - 2]?.text === '물론') return true;
  const next = morphemes.findIndex(({ tag }, n) => n > ending && !/^(?:MA|S)/.test(tag));
  const [first, second] = [morphemes[next]?.tag ?? '', morphemes[next + 1]?.tag ?? ''];
  return /^V[VAX]/.test(first) || (/^(?:NNG|XR)/.test(first) && /^XS[VA]/.test(second));
}

/** The last clause that a denial may speak of together with this one: `보장이라고 하지만 그렇지 않다`. */
export function lastDenied(morphemes: readonly Morpheme[], clause: number): number {
  const ending = morphemes.findLast((one) => one.clause === clause);
  const goesOn = ending?.tag === 'EC' && SET_AGAINST.includes(ending.text);
  return goesOn ? lastDenied(morphemes, clause + 1) : clause;
}

/**
 * An expression with a space between its nouns: it may be written together or not (`최고 경영자`). A letter alone stays with what
 * it stands beside: `매수 세` is no 매수세. @throws as `analyse`
 */
export function spaced(expression: string): string {
  const morphemes = morphemesOf(expression, 0, expression.length) ?? [];
  const isNoun = ({ tag, end, start }: Morpheme): boolean => tag.startsWith('NN') && end - start > 1;
  return morphemes.reduceRight(
    (text, one, n) =>
      n > 0 && isNoun(one) && morphemes[n - 1]?.end === one.start && isNoun(morphemes[n - 1] ?? one)
        ? `${text.slice(0, one.start)} ${text.slice(one.start)}`
        : text,
    expression,
  );
}
