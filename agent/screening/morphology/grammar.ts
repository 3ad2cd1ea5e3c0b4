/**
 * What grammar says of places in a text: which claims a sentence makes, whether a hit is part of other words, whether its
 * meaning is turned, and whether an exception covers whole morphemes. A sentence is analysed once, when it is asked about:
 * most texts need none.
 */
import { holdsInvisible } from '../../../shared/wire/invisible.ts';
import { asReceived, Rewriting, type ReadText } from '../reading/read-text.ts';
import { analyse, isGuess } from './analyser.ts';
import { claimsIn, type Claim, type PartedWord } from './claims.ts';
import { asksToAct, beginsWithCourtesy, isCourtesy, speaksToReader } from './requests.ts';
import { reserveIn } from './reserves.ts';
import { joined } from './split-parts.ts';
import { behindNoun, lastDenied, LONGEST_WORD, morphemesOf, type Morpheme } from './sentence.ts';
import { isContent, isDenial } from './tags.ts';

/** A place in the text: UTF-16 units, end exclusive. */
export interface Place {
  start: number;
  end: number;
}

/**
 * How a hit stands in its sentence. `WORD`: it begins and ends where words do. `INSIDE`: it is part of other words, and the
 * analyser is sure of them. `DOUBTFUL`: it is part of others by a guess. `UNREAD`: the sentence is too long for the analyser.
 */
export type WordRole = 'WORD' | 'INSIDE' | 'DOUBTFUL' | 'UNREAD';

export class Grammar {
  readonly #text: string;
  /** The text without invisible characters and with usual forms of letters, as the analyser wants it. */
  #made: ReadText | null = null;
  #split: readonly Place[] | null = null;
  readonly #known = new Map<number, Morpheme[] | null>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The claims that a sentence makes, by its number; null where it cannot be read. @throws as `analyse` */
  claims<Word>(sentence: number, words: readonly PartedWord<Word>[]): Claim<Word>[] | null {
    const morphemes = this.#morphemes(sentence);
    if (morphemes === null) return null;
    const claims = claimsIn(this.#legible.text, morphemes, words);
    const others = this.#claimsOfSplit(sentence, words);
    if (others === null) return null;
    const isTold = (one: Claim<Word>) =>
      claims.some(({ word, start, end }) => word === one.word && start < one.end && end > one.start);
    return [...claims, ...others.filter((one) => !isTold(one))].map((claim) => ({
      ...claim,
      ...this.#received(claim),
    }));
  }

  /** The claims of a sentence that writes parts with gaps inside, in places of the legible text; null where it cannot be read. */
  #claimsOfSplit<Word>(sentence: number, words: readonly PartedWord<Word>[]): Claim<Word>[] | null {
    const whole = this.sentences[sentence] ?? { start: 0, end: 0 };
    const [start, end] = [this.#legibleAt(whole.start), this.#legibleAt(whole.end)];
    const read = joined(
      this.#legible.text.slice(start, end),
      words.flatMap(({ parts }) => parts),
    );
    if (read === null) return [];
    const { text, starts, ends } = read;
    const morphemes = morphemesOf(text, 0, text.length);
    if (morphemes === null) return null;
    return claimsIn(text, morphemes, words).map((claim) => ({
      ...claim,
      start: start + (starts[claim.start] ?? 0),
      end: start + (ends[claim.end - 1] ?? 0),
    }));
  }

  /** @param expression what stands there, as in the policy. @throws as `analyse` */
  standing(place: Place, expression = ''): WordRole {
    const around = this.#around(place);
    if (around === null) return 'UNREAD';
    const { first, last, start, end } = around;
    const cuts = [cutAt(first, start, 'START'), cutAt(last, end, 'END')];
    const [begin, close] = cuts;
    if (begin === undefined && close === undefined) return 'WORD';
    // Letters that begin a word and end inside a later one are none of it: `무위 험한`.
    if (begin === undefined && first[0]?.word !== undefined && close?.word !== wordAt(first, start)) return 'DOUBTFUL';
    // A longer word in a request may be the hit with an ending after all.
    if (begin === undefined && this.#holds(asksToAct, place)) return 'DOUBTFUL';
    // What ends a statement to the reader is a word of its own: `돌려드립니다`, `맡기시면 됩니다`.
    if (close === undefined && isEnd(this.#legible.text, last, end) && this.#holds(speaksToReader, place))
      return 'DOUBTFUL';
    // So is the courtesy of any verb, with what follows it: `나오실 시점`.
    const isOfVerb = first.some((one) => isCourtesy(one) && one.start <= start && start < one.end);
    if (isOfVerb && close === undefined && beginsWithCourtesy(expression) && this.#holds(asksToAct, place))
      return 'DOUBTFUL';
    if (this.#legible.text.startsWith(MORE_OF_IT, start - 1) && close === undefined) return 'DOUBTFUL';
    if (isContraryDenied(this.#legible.text, start - 1, end)) return 'DOUBTFUL';
    return cuts.every((cut) => cut === undefined || isSure(cut)) ? 'INSIDE' : 'DOUBTFUL';
  }

  /**
   * What turns the meaning of a hit: a prefix before it; a denial, or a word that only speaks of it (`여부`, `금지`), after its
   * begin in the clause; an ending or the mark of a question; or quotation marks around it. @throws as `analyse`
   */
  turnedBy(place: Place, ownDenials = 0): string | null {
    const around = this.#around(place);
    if (around === null) return null;
    const { first, last, start, end } = around;
    const before = first.findLast((one) => one.end === start && one.start >= wordAt(first, start));
    if (before !== undefined && PREFIX.test(before.text)) return before.text;
    const clause = last.findLast((one) => one.start < end)?.clause ?? 0;
    const reach = lastDenied(last, clause);
    const said = last.filter((one) => one.clause >= clause && one.clause <= reach);
    const denials = said.filter((one) => one.start >= (ownDenials === 0 ? end : start) && isDenial(one));
    const { text } = this.#legible;
    const reserve = reserveIn(text.slice(end, said.at(-1)?.end), text.slice(end, last.at(-1)?.end));
    const asking = said.find((one) => one.start >= end && asks(one));
    const asked = asking === undefined ? null : text.slice(asking.start, asking.end).replace(/[^가-힣]+$/, '');
    return denials[ownDenials]?.text ?? reserve ?? asked ?? quotedBy(text, start, end) ?? this.#questionMark(place);
  }

  /**
   * Whether an exception counts: it covers whole morphemes, its last letter is no particle of the next verb (`최고가 되었다`), it is no
   * contrary that is denied (`불확실하지 않다`), and its sentence does not ask the reader to act. @throws as `analyse`
   */
  isExcepted(place: Place): boolean {
    const around = this.#around(place);
    if (around === null) return false;
    const { first, last, start, end } = around;
    if (cutAt(first, start, 'START') !== undefined) return false;
    if (cutAt(last, end, 'END') !== undefined && !hasCopula(this.#legible.text, end)) return false;
    if (isSubjectOfVerb(this.#legible.text, last, end)) return false;
    if (isContraryDenied(this.#legible.text, start, end)) return false;
    return !this.#holds(asksToAct, place);
  }

  /** Whether a place ends with a noun that a space follows, so that the next noun goes on with it. @throws as `analyse` */
  isBareNoun(place: Place): boolean {
    const around = this.#around(place);
    if (around === null) return false;
    const { last, end } = around;
    return (
      last.findLast(({ start }) => start < end)?.tag.startsWith('N') === true &&
      /\s/.test(this.#legible.text.charAt(end))
    );
  }

  #questionMark(place: Place): string | null {
    const end = this.sentences[this.sentenceAt(place.end - 1)]?.end ?? place.end;
    return this.#text.slice(place.start, end).includes('?') ? '?' : null;
  }

  /** Whether a rule about sentences holds for one in which the place lies. */
  #holds(rule: typeof asksToAct, place: Place): boolean {
    return this.#sentencesOf(place).some((n) => rule(this.sentence(n), this.#morphemes(n) ?? []));
  }

  get sentences(): readonly Place[] {
    return (this.#split ??= sentencesOf(this.#text));
  }

  get #legible(): ReadText {
    return (this.#made ??= legible(this.#text));
  }

  /** A sentence by its number. */
  sentence(n: number): string {
    const { start, end } = this.sentences[n] ?? { start: 0, end: 0 };
    return this.#text.slice(start, end);
  }

  /** The number of the sentence that holds a place. */
  sentenceAt(place: number): number {
    return Math.max(
      0,
      this.sentences.findIndex(({ end }) => place < end),
    );
  }

  #sentencesOf({ start, end }: Place): number[] {
    const [from, to] = [this.sentenceAt(start), this.sentenceAt(end - 1)];
    return from === to ? [from] : [from, to];
  }

  /** The morphemes of the sentences in which a place begins and ends, and the place in the legible text. */
  #around(place: Place): { first: Morpheme[]; last: Morpheme[]; start: number; end: number } | null {
    const [from = 0, to = from] = this.#sentencesOf(place);
    const [first, last] = [this.#morphemes(from), this.#morphemes(to)];
    if (first === null || last === null) return null;
    return { first, last, start: this.#legibleAt(place.start), end: this.#legibleAt(place.end) };
  }

  #morphemes(sentence: number): Morpheme[] | null {
    const known = this.#known.get(sentence);
    if (known !== undefined) return known;
    const { start, end } = this.sentences[sentence] ?? { start: 0, end: 0 };
    const read = morphemesOf(this.#legible.text, this.#legibleAt(start), this.#legibleAt(end));
    this.#known.set(sentence, read);
    return read;
  }

  #legibleAt(place: number): number {
    return firstFrom(this.#legible.starts, place);
  }

  #received({ start, end }: Place): Place {
    return { start: this.#legible.starts[start] ?? 0, end: this.#legible.ends[end - 1] ?? 0 };
  }
}

/** Where the first of some rising numbers stands that is at least `least`. */
export function firstFrom(rising: readonly number[], least: number): number {
  let [from, to] = [0, rising.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rising[middle] ?? 0) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

const PREFIX = /^[미불비]$/;

/** Whether an ending asks: `되나요`, `일까`, `되는지`. */
const asks = ({ tag, text }: Morpheme): boolean =>
  (tag === 'EF' && /(?:까|[는은ㄴ]가|나|냐)$/.test(text)) || (tag.startsWith('E') && /[는은ㄴㄹ을]지$/.test(text));

/** The quotation marks around a place that a noun follows: the text speaks of the words (`‘원금 보장’ 문구`). */
function quotedBy(text: string, start: number, end: number): string | null {
  const [open = '', close = ''] = [text[start - 1], text[end]];
  return QUOTES.includes(open + close) && /^(?:이?라는)?\s[가-힣]/.test(text.slice(end + 1)) ? open + close : null;
}
const QUOTES = ['""', "''", '“”', '‘’', '「」', '『』', '《》'];

/** A prefix that makes a word stronger, and no other word of it, though the analyser may read one: `초고|수익`. */
const MORE_OF_IT = '초';

/** Ends of sentences. A point inside a number or a name is none. */
const SENTENCE_END = /[.!?…。]+["'”’)\]]*(?=\s|$)|\n/gu;

/** The sentences of a text, one after the other. */
export function sentencesOf(text: string): Place[] {
  const sentences: Place[] = [];
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    if (mark === '\n' && goesOn(text.slice(Math.max(start, index - LONGEST_WORD), index))) continue;
    if (mark === '?' && index - start < LONGEST_TOPIC && isTopic(text.slice(start, index + 1))) continue;
    const end = index + mark.length;
    sentences.push({ start, end });
    start = end;
  }
  sentences.push({ start, end: text.length });
  return sentences;
}

/** Whether a line ends in the midst of a sentence: with a particle, an adverb or a verb before its noun (`원금이`). */
function goesOn(line: string): boolean {
  const word = /\S+$/.exec(line.trimEnd())?.[0];
  const last = word === undefined ? undefined : analyse(word).at(-1);
  return last !== undefined && /^(?:J|ETM|M)/.test(last.pos) && last.text !== '요';
}

/** Whether a question only names what the next sentence speaks of: `손실? 없습니다`, `원금이요? 보장됩니다`. */
function isTopic(question: string): boolean {
  const told = analyse(question).filter(({ pos }) => !pos.startsWith('S'));
  const [last, before] = [told.at(-1), told.at(-2)];
  const noun = last?.text === '어요' && before?.pos === 'VCP' ? told.slice(0, -2) : told;
  return noun.length > 0 && noun.every(({ pos }) => /^(?:N|J|XPN|XSN)/.test(pos));
}
const LONGEST_TOPIC = 20;

/** Whether letters are written as people write them: nothing hidden, split or of another width. */
export const isUsual = (text: string): boolean => !UNUSUAL.test(text);

const UNUSUAL = /[^\t\n\r\x20-\x7e가-힣一-鿿·‘’“”–—…]/u;
/** A character with what joins it: a syllable of joining letters is one. */
const CLUSTER = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.\p{M}{0,64}/gsu;

function legible(text: string): ReadText {
  const received = asReceived(text);
  if (isUsual(text)) return received;
  const made = new Rewriting(received);
  for (const { index, 0: cluster } of text.matchAll(CLUSTER)) {
    const end = index + cluster.length;
    if (/^\s$/u.test(cluster)) made.replace(index, end, ' ');
    else if (!holdsInvisible(cluster)) made.replace(index, end, cluster.normalize('NFKC'));
  }
  return made.done();
}

/** The morpheme that a place begins or ends inside of; undefined where it begins or ends with a word. */
function cutAt(morphemes: readonly Morpheme[], place: number, side: 'START' | 'END'): Morpheme | undefined {
  const inside = side === 'START' ? place : place - 1;
  const one = morphemes.find(({ start, end }) => start <= inside && inside < end);
  if (one === undefined) return undefined;
  if (side === 'END') return one.end === place || !one.isWhole || isDerived(one, place) ? undefined : one;
  if (one.word === place || (one.start === place && isContent(one.tag))) return undefined;
  // An ending belongs to what it ends: `줄이고` is one word.
  return isContent(one.tag) ? one : morphemes.findLast(({ tag, start }) => isContent(tag) && start <= one.start);
}

/** What is made of a word by a suffix or a verb is that word still: `확실히`, `확실하다`, `확실시`, `으뜸가다`. */
const isDerived = ({ text, tag, start }: Morpheme, place: number): boolean =>
  !isContent(tag) || (tag.startsWith('V') ? VERB : SUFFIX).test(text.slice(place - start));

const SUFFIX = /^(?:히|이|하|되|시|시하|시되|스럽|롭|적|성|화|률|율|형)$/;
/** What makes a verb of a noun, beside these. */
const VERB = new RegExp(`${SUFFIX.source}|^(?:가|나|받|당하|시키|없|있|지)$`);

/** Whether a place ends with the ending of a statement. The analyser counts a mark behind it in, where letters melt: `돌려드립니다.` */
const isEnd = (text: string, morphemes: readonly Morpheme[], place: number): boolean =>
  morphemes.some(
    ({ tag, start, end }) =>
      tag === 'EF' && start < place && place <= end && !/[\p{L}\p{N}]/u.test(text.slice(place, end)),
  );

const wordAt = (morphemes: readonly Morpheme[], place: number): number =>
  morphemes.findLast(({ word }) => word <= place)?.word ?? 0;

/** Whether the analyser knows a morpheme, and it begins a space-separated word. */
const isSure = ({ tag, text, start, word }: Morpheme): boolean => start === word && !(tag === 'NNG' && isGuess(text));

/**
 * Whether a noun that ends at a place is followed by a copula or a particle, though the analyser reads other words there:
 * `최고가인` as 최고|가인.
 */
function hasCopula(text: string, end: number): boolean {
  const tail = /^[가-힣]+/.exec(text.slice(end))?.[0];
  if (tail === undefined) return false;
  return behindNoun(tail)?.every(({ pos }) => /^(?:J|E|VCP)/.test(pos)) === true;
}

/** Whether a place holds the contrary of a word and is denied at once, so that the word is meant: `불확실하지 않다`. */
const isContraryDenied = (text: string, start: number, end: number): boolean =>
  PREFIX.test(text[start] ?? '') && DENIED_AT_ONCE.test(text.slice(end, end + LONGEST_DENIAL));

const DENIED_AT_ONCE =
  /^(?:(?:하|스럽|롭)지[는도]?\s?(?:않|못)|(?:성|률|[한할] (?:것|점|일))?[이가은는도]?\s?(?:전혀 |아예 )?(?:아니|아닌|아닙|없(?!어[지져졌질]|애|앴|앨)))/;
const LONGEST_DENIAL = 20;

/** Whether the last letter before a place is the particle of a verb in the next word, and no part of a noun. */
function isSubjectOfVerb(text: string, morphemes: readonly Morpheme[], end: number): boolean {
  if (!/[가이]/.test(text[end - 1] ?? '')) return false;
  const at = morphemes.findIndex(({ start }) => start >= end);
  const [last, next] = [morphemes[at - 1], morphemes.find(({ tag }, n) => n >= at && !tag.startsWith('MA'))];
  if (last === undefined || next === undefined || last.text.length > 1) return false;
  return /^(?:V|XSV)/.test(next.tag) && next.tag !== 'VCP';
}
