/**
 * A sentence as its morphemes, each with its place in the text. The analyser tells places of whole words only, so the
 * letters are found here again: a noun, a particle and most endings stand in the word as they are; a contracted form
 * (`했` of `하` and `았`) keeps the place of all that it is contracted of.
 */
import { FIRST_SYLLABLE } from '../letters/hangul.ts';
import { analyse, isGuess, type AnalysedMorpheme } from './analyser.ts';
import { knowing } from './known.ts';
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
function refined(told: AnalysedMorpheme, n: number, word: readonly AnalysedMorpheme[]): readonly AnalysedMorpheme[] {
  const { text, pos } = told;
  // No word begins with a copula: interest (이자) is read as one.
  if (n === 0 && pos === 'VCP' && word[1]?.text === '자') return [{ ...told, text: '이자', pos: 'NNG' }];
  if (n === 1 && text === '자' && word[0]?.pos === 'VCP') return [];
  // Behind another verb nothing vanishes (가시다): it is 가다 with its courtesy.
  if (text === '가시' && pos === 'VV' && word[n - 1]?.pos === 'EC')
    return [
      { ...told, text: '가', pos: 'VX' },
      { ...told, text: '시', pos: 'EP' },
    ];
  if (!isGuessed(told)) return [told];
  return withPrefix(told) ?? withCourtesy(told) ?? withTail(told) ?? withVerb(told) ?? [told];
}

const isGuessed = ({ text, pos }: AnalysedMorpheme): boolean => pos === 'NNG' && isGuess(text);

const PREFIXES = new Set('순총미불비무초고저재신대최전');

function withPrefix(told: AnalysedMorpheme): AnalysedMorpheme[] | null {
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
export function behindNoun(letters: string): readonly AnalysedMorpheme[] | null {
  const [noun, ...tail] = analyse(KNOWN_NOUN + letters);
  return noun?.text === KNOWN_NOUN && tail.length > 0 ? tail : null;
}

/** Endings of a courteous verb, and what they are without the courtesy; with a consonant before them they need a vowel. */
const COURTEOUS: Readonly<Record<string, number>> = { 실: 8, 신: 4 };

function withCourtesy(told: AnalysedMorpheme): AnalysedMorpheme[] | null {
  const ending = COURTEOUS[told.text.at(-1) ?? ''];
  const stem = told.text.slice(0, -1);
  const last = stem.charCodeAt(stem.length - 1);
  if (ending === undefined || (last - FIRST_SYLLABLE) % 28 !== 0) return null;
  const plain = analyse(stem.slice(0, -1) + String.fromCharCode(last + ending));
  const [first, end] = [plain[0], plain.at(-1)];
  if (first?.pos !== 'VV' || end?.pos !== 'ETM' || !plain.slice(1, -1).every(({ pos }) => /^(?:V|EC)/.test(pos)))
    return null;
  return [...plain.slice(0, -1).map((one) => at(told, one)), { ...told, text: '시', pos: 'EP' }, at(told, end)];
}

function withTail(told: AnalysedMorpheme): AnalysedMorpheme[] | null {
  for (let length = 2; length < told.text.length; length += 1) {
    const tail = behindNoun(told.text.slice(length));
    if (tail?.every(({ pos }) => /^(?:J|E|XSV|VCP|VX)/.test(pos)) === true)
      return [{ ...told, text: told.text.slice(0, length) }, ...tail.map((one) => at(told, one))];
  }
  return null;
}

function withVerb(told: AnalysedMorpheme): AnalysedMorpheme[] | null {
  for (let length = 2; length < told.text.length - 1; length += 1) {
    const [verb, ...endings] = analyse(told.text.slice(length));
    if (verb?.pos !== 'VV' || endings.length === 0 || !endings.every(({ pos }) => pos.startsWith('E'))) continue;
    const before = analyse(told.text.slice(0, length));
    if (before.some(isGuessed)) continue;
    return [...before, verb, ...endings].map((one) => at(told, one));
  }
  return null;
}

const at = ({ start, end }: AnalysedMorpheme, { text, pos }: AnalysedMorpheme): AnalysedMorpheme => ({
  text,
  pos,
  start,
  end,
});

/** Finds the letters of the morphemes of one space-separated word. */
function placed(told: readonly AnalysedMorpheme[], word: string, begin: number): Morpheme[] {
  const morphemes: Morpheme[] = [];
  let from = 0;
  let waiting: AnalysedMorpheme[] = [];
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

/** Endings of what is granted or supposed. What stands before them stands inside of the statement that follows. */
const SUPPOSES = /^(?:[아어]도|더라도|라도|이라도|[ㄹ을]지라도|[ㄹ을]지언정|든|든지|건|면|으면|[ㄹ을]수록)$/;

/** Numbers the clauses. */
function numbered(morphemes: Morpheme[]): Morpheme[] {
  let clause = 0;
  let begin = 0;
  return morphemes.map((one, n) => {
    const numbered = { ...one, clause };
    if (isNextClause(one) && !saysMore(morphemes, begin, n) && !isSupposed(morphemes, begin, n)) {
      clause += 1;
      begin = n + 1;
    }
    return numbered;
  });
}

const isNextClause = ({ tag, text }: Morpheme): boolean => tag === 'EC' && NEXT_CLAUSE.has(text);

/**
 * Whether what follows an ending speaks of the same things: an auxiliary verb (`보장하고 있다`), a verb without nouns of its own
 * (`원금을 책임지고 만기에 보장합니다`), or what comes on top (`원금은 물론이고 이자도`, `원금도 챙기고 보장도 받는`).
 */
function saysMore(morphemes: readonly Morpheme[], begin: number, ending: number): boolean {
  if (morphemes[ending - 1]?.tag === 'VCP' && morphemes[ending - 2]?.text === '물론') return true;
  const next = afterAdverbials(morphemes, ending + 1);
  const [first, second] = [morphemes[next], morphemes[next + 1]];
  if (first === undefined) return false;
  if (/^V[VAX]/.test(first.tag) || isNominal(first, second)) return true;
  if (!/^(?:NNG|XR)/.test(first.tag) || second === undefined) return false;
  return /^XS[VA]/.test(second.tag) || isOnTop(morphemes, begin, second);
}

/** Where the phrases of time, place and means and the adverbs end that begin somewhere. */
function afterAdverbials(morphemes: readonly Morpheme[], from: number): number {
  const next = morphemes.findIndex(({ tag }, n) => n >= from && !/^(?:MA|S)/.test(tag));
  const noun = morphemes.findIndex(({ tag }, n) => n >= next && !/^(?:N|S[NLH]|XSN)/.test(tag));
  if (next === -1 || noun <= next || morphemes[noun]?.tag !== 'JKB') return next;
  return afterAdverbials(morphemes, morphemes[noun + 1]?.tag === 'JX' ? noun + 2 : noun + 1);
}

/** Whether a verb in its nominal form ends the sentence (`보장됨`): the analyser takes it for a noun. */
const isNominal = ({ tag, text }: Morpheme, next: Morpheme | undefined): boolean =>
  tag === 'NNG' && /..[됨함]$/.test(text) && (next === undefined || next.tag.startsWith('S'));

/** Whether a particle says that its noun comes on top of what the clause before has said. */
const isOnTop = (morphemes: readonly Morpheme[], begin: number, particle: Morpheme): boolean =>
  particle.tag === 'JX' &&
  (particle.text === '까지' ||
    (particle.text === '도' && morphemes.slice(begin).find(({ tag }) => tag.startsWith('J'))?.text === '도'));

/**
 * Whether a clause and the next one are what is supposed inside of a statement (`원금은 지수가 내리고 금리가 올라도 보장됩니다`).
 */
function isSupposed(morphemes: readonly Morpheme[], begin: number, ending: number): boolean {
  if (ownSubject(morphemes, begin, ending) === -1) return false;
  const after = morphemes.slice(ending + 1);
  const end = after.findIndex(isNextClause);
  return after.slice(0, end === -1 ? after.length : end).some((_, n) => supposes(after, n));
}

/** Where the clause of a subject of its own begins, behind the noun that a statement is of; -1 where there is none. */
function ownSubject(morphemes: readonly Morpheme[], begin: number, end: number): number {
  const topic = morphemes.findIndex(({ tag }, n) => n >= begin && n < end && /^J(?:X|KS)$/.test(tag));
  const subject = morphemes.findIndex(({ tag }, n) => n > topic && n < end && tag === 'JKS');
  return topic === -1 || subject === -1 ? -1 : topic + 1;
}

const supposes = (morphemes: readonly Morpheme[], at: number): boolean => {
  const { tag, text } = morphemes[at] ?? { tag: '', text: '' };
  return tag === 'EC' && (SUPPOSES.test(text) || (/^[아어]$/.test(text) && morphemes[at + 1]?.text === '도'));
};

/** Whether a morpheme is in what a statement only supposes: it takes the place of no part of a claim. */
export function isInSupposition(morphemes: readonly Morpheme[], at: number): boolean {
  const clause = morphemes[at]?.clause;
  const begin = morphemes.findIndex((one) => one.clause === clause);
  const end = morphemes.findIndex((one, n) => n > at && (one.clause !== clause || supposes(morphemes, n)));
  if (end === -1 || morphemes[end]?.clause !== clause) return false;
  const from = ownSubject(morphemes, begin, end);
  return from !== -1 && at >= from;
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
export const spaced = knowing((expression: string): string => {
  const morphemes = morphemesOf(expression, 0, expression.length) ?? [];
  const isNoun = ({ tag, end, start }: Morpheme): boolean => tag.startsWith('NN') && end - start > 1;
  return morphemes.reduceRight(
    (text, one, n) =>
      n > 0 && isNoun(one) && morphemes[n - 1]?.end === one.start && isNoun(morphemes[n - 1] ?? one)
        ? `${text.slice(0, one.start)} ${text.slice(one.start)}`
        : text,
    expression,
  );
});
