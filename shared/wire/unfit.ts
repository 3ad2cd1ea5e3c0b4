/**
 * Texts that are no finished Korean sentences for readers (D210): markup, placeholders, broken characters, another language,
 * or the phrases of an assistant. The engine's door refuses such a v2 text, since nobody reviews it; the screening sends such
 * a v1 text to a reviewer. No policy is asked.
 *
 * One walk over the letters says which of the rules can apply, so that an ordinary text pays next to nothing. Every rule is
 * read in time that is linear in the text.
 */
import { codeOf, unreadIn } from './characters.ts';
import { isBlank, oneLine } from './invisible.ts';
import { UNFIT_KINDS, type UnfitKind } from './unfit-kinds.ts';
import {
  ASSISTANT_AT_START,
  ASSISTANT_ENGLISH,
  ASSISTANT_KOREAN,
  GARBLED,
  MARKUP,
  PLACEHOLDER,
  PLACEHOLDER_PHRASE,
  PLACEHOLDER_WORD,
  TAG,
} from './unfit-patterns.ts';

/** What makes a text unfit, with the first place of its kind, in UTF-16 units, end exclusive. */
export interface Unfitness {
  kind: UnfitKind;
  start: number;
  end: number;
}

/** What a letter counts as, and which rules it calls for. */
const HANGUL = 1;
const LATIN = 2;
/** Hangul that hardly any word has: none of the 2,350 syllables of KS X 1001. */
const RARE = 4;
const HAN = 8;
/** A small Latin letter. */
const SMALL = 16;
/** Anything that an ordinary text does not hold. */
const ODD = 32;
/** Stands in markup, placeholders or broken characters. */
const SIGN = 64;
/** Stands in a phrase of an assistant. */
const SPOKEN = 128;

const classes = new Uint8Array(0x1_0000).fill(ODD);
const mark = (letters: string, bit: number): void => {
  for (const letter of letters) {
    const code = letter.charCodeAt(0);
    classes[code] = (classes[code] ?? 0) | bit;
  }
};
for (let code = 0x20; code < 0x7f; code += 1) classes[code] = 0;
for (const code of [0x09, 0x0a, 0x0d]) classes[code] = 0;
for (let code = 0xac00; code <= 0xd7a3; code += 1) classes[code] = HANGUL | RARE;
for (let code = 0x4e00; code <= 0x9fff; code += 1) classes[code] = HAN;
for (const letter of commonSyllables()) classes[letter.charCodeAt(0)] = HANGUL;
for (let code = 0x41; code <= 0x5a; code += 1) classes[code] = LATIN;
for (let code = 0x61; code <= 0x7a; code += 1) classes[code] = LATIN | SMALL;
for (const letter of '·‘’“”–—…△▲▼▽→') classes[letter.charCodeAt(0)] = 0;
mark('<&[*`{}\\$#@_?=○〇◯●《〈【', SIGN);
// One letter of each phrase: 죄송, 모델, 드릴, 드렸, 하겠, 궁금, 접근, 조회, 답변, 응답, 조언, 챗봇, 요청, 말씀, 질문, 부탁, 도움, 필요, 지식, 훈련, 입력.
mark('죄델릴렸겠궁접회답언봇청씀질부움필훈력', SPOKEN);

/** The syllables of KS X 1001. */
function commonSyllables(): string {
  const bytes = Array.from({ length: 25 }, (_, row) =>
    Array.from({ length: 94 }, (__, cell) => [0xb0 + row, 0xa1 + cell]),
  ).flat(2);
  return new TextDecoder('euc-kr').decode(Uint8Array.from(bytes));
}

interface Counts {
  seen: number;
  hangul: number;
  latin: number;
  rare: number;
  small: number;
}

function count(text: string): Counts {
  let [seen, hangul, latin, rare, small] = [0, 0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const bits = classes[text.charCodeAt(at)] ?? 0;
    seen |= bits;
    hangul += bits & HANGUL;
    latin += (bits & LATIN) >> 1;
    rare += (bits & RARE) >> 2;
    small += (bits & SMALL) >> 4;
  }
  return { seen, hangul, latin, rare, small };
}

/** Everything that makes a text unfit, at most one of each kind. */
export function unfitnessOf(text: string): Unfitness[] {
  const counts = count(text);
  const found: Unfitness[] = [];
  for (const kind of UNFIT_KINDS) {
    const place = FINDERS[kind](text, counts);
    if (place !== null) found.push({ kind, ...place });
  }
  return found;
}

interface Place {
  start: number;
  end: number;
}

const FINDERS: Record<UnfitKind, (text: string, counts: Counts) => Place | null> = {
  CHARACTERS: (text, { seen }) => {
    const found = (seen & ODD) === 0 ? null : unreadIn('text', text);
    return found === null ? null : { start: found.at, end: found.at + found.character.length };
  },
  MARKUP: (text, { seen }) => ((seen & SIGN) === 0 ? null : placeOf(MARKUP, text, isNoName)),
  PLACEHOLDER: (text, { seen, hangul, latin }) =>
    (hangul === 0 && latin === 0 ? wordless(text) : null) ??
    ((seen & SIGN) === 0 && !text.includes('%') ? null : placeOf(PLACEHOLDER, text, isPlaceholder)) ??
    (latin === 0 ? null : placeOf(PLACEHOLDER_WORD, text, (_, at) => !LETTER.test(text.charAt(at - 1)))) ??
    ((seen & SPOKEN) === 0 ? null : placeOf(PLACEHOLDER_PHRASE, text)),
  GARBLED: garbled,
  FOREIGN: foreign,
  ASSISTANT: (text, { seen, small }) =>
    placeOf(ASSISTANT_AT_START, text) ??
    ((seen & SPOKEN) !== 0 || text.includes('지식') || text.includes('학습')
      ? placeOf(ASSISTANT_KOREAN, text)
      : null) ??
    (small < SHORTEST_PHRASE && (seen & SIGN) === 0 ? null : placeOf(ASSISTANT_ENGLISH, text)),
};

const LETTER = /[\p{L}\p{N}]/u;
/** `...` and the like stand where a text was to come. */
const wordless = (text: string): Place | null =>
  isBlank(text) || LETTER.test(text) ? null : { start: 0, end: text.length };
/** Small letters of the shortest English phrase of an assistant. */
const SHORTEST_PHRASE = 3;

/** @param pattern global; without the copy that `matchAll` makes of it, which costs more than most searches */
function placeOf(
  pattern: RegExp,
  text: string,
  isMeant?: (found: string, at: number, text: string) => boolean,
): Place | null {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { index, 0: part } = found;
    if (isMeant === undefined || isMeant(part, index, text)) return { start: index, end: index + part.length };
  }
  return null;
}

/** A tag of no element of HTML (`<NAME>`) is a placeholder. */
const isNoName = (found: string): boolean => !found.startsWith('<') || !isNameTag(found);

function isNameTag(found: string): boolean {
  const name = TAG.exec(found)?.[1];
  return name !== undefined && !ELEMENTS.has(name.toLowerCase());
}

function isPlaceholder(found: string, at: number, text: string): boolean {
  if (found.startsWith('<')) return !TAG.test(found) || isNameTag(found);
  // `3%s` is no more than a rate with a letter.
  return !found.startsWith('%') || !/\d/.test(text.charAt(at - 1));
}

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br ' +
    'button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed ' +
    'fieldset figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe ' +
    'image img input ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noembed noframes ' +
    'noscript object ol optgroup option output p param path picture plaintext pre progress q rp rt ruby s samp script ' +
    'search section select slot small source span strike strong style sub summary sup svg table tbody td template ' +
    'textarea tfoot th thead time title tr track tt u ul use var video wbr xmp'
  ).split(' '),
);

function garbled(text: string, { seen, hangul, rare }: Counts): Place | null {
  if ((seen & (ODD | SIGN)) !== 0 || text.includes('%')) {
    const place = placeOf(GARBLED, text);
    if (place !== null) return place;
  }
  // UTF-8 read as CP949 turns into syllables that no word has.
  if (rare < 2 || rare * 6 < hangul) return null;
  const at = Array.from(text, (letter) => classes[letter.charCodeAt(0)] ?? 0).findIndex((bits) => (bits & RARE) !== 0);
  return { start: at, end: at + 1 };
}

const WORD = /[\p{Script=Latin}][\p{Script=Latin}\p{M}'’-]*/gu;
/** The same where a text has no other letters. */
const ASCII_WORD = /[A-Za-z][A-Za-z'’-]*/g;
const BETWEEN_WORDS = /^[^\p{L}]{0,12}$/u;
const BEGINS_SMALL = /^\p{Ll}/u;
/** Words of grammar, which count in capitals too. */
const GRAMMAR: ReadonlySet<string> = new Set(
  'are as at be by from has have if in is it no not on or our that this to was we will with you your'.split(' '),
);
/** Small words that names have. */
const IN_NAMES: ReadonlySet<string> = new Set('a an and da de del der di du en et for la le of the van von'.split(' '));
/** A sentence, and no name: so many words in a row, and so many of them small, and of those so many in no name. */
const SENTENCE = { letters: 16, words: 5, small: 3, telling: 2 };
/** Letters of a language that are more than a name or a unit. */
const FEW_LETTERS = 4;
const MANY_LETTERS = 12;

function foreign(text: string, { seen, hangul, latin }: Counts): Place | null {
  const whole = { start: 0, end: text.length };
  if (hangul === 0 || (seen & (HAN | ODD)) !== 0) {
    const letters = text.match(FOREIGN_LETTER)?.length ?? 0;
    const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
    if (hangul === 0 && letters + han + latin >= FEW_LETTERS) return whole;
    if (letters >= FEW_LETTERS && letters * 4 > hangul) return placeOf(FOREIGN_RUN, text);
    if (han >= MANY_LETTERS && han > hangul * 2) return placeOf(/\p{Script=Han}+/gu, text);
  }
  if (latin < SENTENCE.letters) return null;
  return sentenceOf(text, hangul, (seen & ODD) === 0 ? ASCII_WORD : WORD);
}

const FOREIGN_LETTER = /[\p{L}--\p{Script=Hangul}--\p{Script=Han}--\p{Script=Latin}--\p{Script=Greek}--\p{Lm}]/gv;
const FOREIGN_RUN = /[\p{L}--\p{Script=Hangul}--\p{Script=Han}--\p{Script=Latin}--\p{Script=Greek}--\p{Lm}]+/gv;

const OPENING_QUOTE = /[‘“"'「『]/;

/** The first sentence of Latin letters, or all of a text with far more small Latin letters than Hangul, quotations apart. */
function sentenceOf(text: string, hangul: number, words: RegExp): Place | null {
  const none = { start: 0, end: 0, words: 0, small: 0, telling: 0, isQuoted: false };
  let run = none;
  let letters = 0;
  words.lastIndex = 0;
  for (let found = words.exec(text); found !== null; found = words.exec(text)) {
    const { index, 0: word } = found;
    const end = index + word.length;
    if (isInAddress(text, index, end)) continue;
    if (!BETWEEN_WORDS.test(text.slice(run.end, Math.min(index, run.end + 13)))) run = none;
    const isSmall = word.length > 1 && BEGINS_SMALL.test(word);
    const isTelling = GRAMMAR.has(word.toLowerCase()) || (isSmall && !IN_NAMES.has(word));
    run = {
      start: run.words === 0 ? index : run.start,
      end,
      words: run.words + 1,
      small: run.small + (isSmall || isTelling ? 1 : 0),
      telling: run.telling + (isTelling ? 1 : 0),
      isQuoted: run.words === 0 ? OPENING_QUOTE.test(text.charAt(index - 1)) : run.isQuoted,
    };
    if (run.words >= SENTENCE.words && run.small >= SENTENCE.small && run.telling >= SENTENCE.telling)
      return { start: run.start, end };
    if (isSmall && !run.isQuoted) letters += word.length;
  }
  return letters >= MANY_LETTERS && letters > hangul * 2 ? { start: 0, end: text.length } : null;
}

/** A word of `www.example.com` or of a mail address. */
function isInAddress(text: string, start: number, end: number): boolean {
  return (
    /[./@:]/.test(text.charAt(start - 1)) ||
    (/[.@/:]/.test(text.charAt(end)) && /[\p{L}\p{N}/]/u.test(text.charAt(end + 1)))
  );
}

/** Longest part of a text that a sentence about it quotes, in characters. */
const QUOTED = 40;

/** The unfit part of a text and its place, in any language: `“<b>” (3-6)`, `U+FFFD (3-4)`. */
export function quoteOf(text: string, { kind, start, end }: Unfitness): string {
  const found = text.slice(start, end);
  if (kind === 'CHARACTERS') return `${codeOf(found)} (${start}-${end})`;
  const shown = Array.from(found.slice(0, 2 * QUOTED))
    .slice(0, QUOTED)
    .join('');
  return `“${oneLine(shown)}${shown === found ? '' : '…'}” (${start}-${end})`;
}
