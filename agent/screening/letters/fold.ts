/**
 * Folds text so that a forbidden word is found in every spelling (D15): it removes invisible characters and white space,
 * applies NFKC, folds case and takes Hangul apart into letters (`hangul.ts` says why). Policy words and screened texts go
 * through this one function, and every folded letter keeps its position in the original.
 *
 * A hit on folded letters must begin and end where a character does. The marks OPENS and CLOSES say where, so that
 * `매수` is not found in `매순간`.
 */
import { holdsInvisible } from '../../../shared/wire/invisible.ts';
import { FIRST_SYLLABLE, lettersOf, SYLLABLE_LETTERS, SYLLABLE_STARTS, SYLLABLES } from './hangul.ts';

/** The letter begins a character. */
export const OPENS = 1;
/** The letter ends a character. */
export const CLOSES = 2;
/** White space (loosely: or punctuation) stood in the original before this character. */
export const GAP = 4;

/** A folded text: four columns of one length, one row per letter. */
export interface Folded {
  /** The letters as UTF-16 codes. */
  codes: Uint16Array;
  /** The begin and end (exclusive) of a letter's character in the original, in UTF-16 units. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** OPENS, CLOSES and GAP. */
  marks: Uint8Array;
}

/**
 * Stretches that need full normalisation, with the character before them, which they may combine with. Other text is
 * stable under NFKC and combines with nothing before it; it takes the fast path.
 */
const PLAIN = String.raw`\x21-\x7e가-힣一-鿿·‘’“”–—`;
const SPACE = String.raw`\t\n\r `;
const INTRICATE = new RegExp(`(?:[${PLAIN}][${SPACE}]*)?[^${PLAIN}${SPACE}](?:[${SPACE}]*[^${PLAIN}${SPACE}])*`, 'g');
const WHITE_SPACE = /^\p{White_Space}$/u;
/**
 * Pieces that Unicode normalises independently of their neighbours: a syllable with its joining letters, or a character
 * with its marks. The last four characters combine with their predecessor without being marks. At most 64 marks, though
 * no script needs more than a few: ordering marks takes quadratic time, and one hostile text would stop the Intake.
 */
const PIECE =
  /(?:[\u1100-\u1112][\u1161-\u1175]|[가-힣])[\u11a8-\u11c2]?\p{M}{0,64}|.[\p{M}\uff9e\uff9f\u{16d63}\u{16d67}]{0,64}/gsu;
/** NFKC and case folding create new white space and letters (`¨`, `ᾳ`); two or three rounds reach a fixed point. */
const MOST_ROUNDS = 8;

/** A text between two rounds: for each UTF-16 unit its origin, and whether a gap stood before it. */
interface Draft {
  text: string;
  starts: number[];
  ends: number[];
  gaps: boolean[];
  /** Whether a gap followed the last unit. */
  gapAfter: boolean;
}

/** Folds a text (D15). The next call reuses the columns: callers copy them with `kept`. */
export function fold(text: string): Folded {
  const letters = new Letters(FOLDING);
  let done = 0;
  for (const { index, 0: stretch } of text.matchAll(INTRICATE)) {
    foldPlain(text, done, index, letters);
    takeApart(settle(stretch, index), letters);
    done = index + stretch.length;
  }
  foldPlain(text, done, text.length, letters);
  return letters.done();
}

/** A permanent copy of the columns. */
export function kept({ codes, starts, ends, marks }: Folded): Folded {
  return { codes: codes.slice(), starts: starts.slice(), ends: ends.slice(), marks: marks.slice() };
}

/**
 * Control characters that reorder the display: a reader then sees another word or number than the matcher reads.
 */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/;

export const isReordered = (text: string): boolean => REORDERING.test(text);

/** Whether a range of letters begins and ends with whole characters. */
export const isWhole = ({ marks }: Folded, from: number, to: number): boolean =>
  ((marks[from] ?? 0) & OPENS) !== 0 && ((marks[to - 1] ?? 0) & CLOSES) !== 0;

/** The letters as a text, to compare and to read. */
export function foldedText(folded: Folded): string {
  return Array.from(folded.codes, (code) => String.fromCharCode(code)).join('');
}

/**
 * The loose form: also leaves out punctuation, symbols, lone combining marks and letters used as such, so that
 * `확-정★수ㆍ익` reads as `확정수익`. It joins words that a comma separates too, so its hits go to a reviewer. The
 * columns lie where the next text is loosened.
 */
export function loosen(folded: Folded): Folded {
  const loose = new Letters(LOOSENING);
  for (let i = 0; i < folded.codes.length; i += 1) {
    const code = folded.codes[i] ?? 0;
    const marks = folded.marks[i] ?? 0;
    const pair = (marks & (OPENS | CLOSES)) === OPENS && isHighSurrogate(code);
    if ((marks & GAP) !== 0) loose.gap();
    if (!isNoise(pair ? codePoint(code, folded.codes[i + 1] ?? 0) : code) && !isBar(folded, i))
      loose.push(code, folded.starts[i] ?? 0, folded.ends[i] ?? 0, marks);
    else {
      loose.gap();
      if (pair) i += 1;
    }
  }
  return loose.done();
}

function foldPlain(text: string, from: number, to: number, letters: Letters): void {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) letters.gap();
    else if (code < 0x80) letters.push(code >= 0x41 && code <= 0x5a ? code + 0x20 : code, at, at + 1, OPENS | CLOSES);
    else letters.pushCharacter(code, at, at + 1);
  }
}

/** Repeats stripping, NFKC and case folding until nothing changes, so that folding twice equals folding once. */
function settle(text: string, offset: number): Draft {
  const positions = Array.from({ length: text.length }, (_, at) => offset + at);
  let draft: Draft = {
    text,
    starts: positions,
    ends: positions.map((at) => at + 1),
    gaps: positions.map(() => false),
    gapAfter: false,
  };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = normalise(strip(draft));
    if (next.text === draft.text) return next;
    draft = next;
  }
  return draft;
}

function strip(draft: Draft): Draft {
  const kept: Draft = { text: '', starts: [], ends: [], gaps: [], gapAfter: false };
  let at = 0;
  let gap = false;
  for (const character of draft.text) {
    const next = at + character.length;
    gap ||= draft.gaps[at] ?? false;
    if (WHITE_SPACE.test(character)) gap = true;
    else if (!holdsInvisible(character)) {
      append(kept, character, draft.starts[at] ?? 0, draft.ends[next - 1] ?? 0, gap);
      gap = false;
    }
    at = next;
  }
  kept.gapAfter = gap || draft.gapAfter;
  return kept;
}

function normalise(draft: Draft): Draft {
  const made: Draft = { text: '', starts: [], ends: [], gaps: [], gapAfter: draft.gapAfter };
  for (const match of draft.text.matchAll(PIECE)) {
    const [piece] = match;
    const start = draft.starts[match.index] ?? 0;
    const end = draft.ends[match.index + piece.length - 1] ?? 0;
    let gap = draft.gaps[match.index] ?? false;
    for (const character of piece.normalize('NFKC')) {
      // Upper case first: it unifies ß, ſ and ς with their other spellings.
      append(made, character.toUpperCase().toLowerCase(), start, end, gap);
      gap = false;
    }
  }
  return made;
}

function append(draft: Draft, text: string, start: number, end: number, gap: boolean): void {
  draft.text += text;
  for (let i = 0; i < text.length; i += 1) {
    draft.starts.push(start);
    draft.ends.push(end);
    draft.gaps.push(gap && i === 0);
  }
}

function takeApart(draft: Draft, letters: Letters): void {
  let at = 0;
  for (const character of draft.text) {
    const start = draft.starts[at] ?? 0;
    const end = draft.ends[at] ?? 0;
    if (draft.gaps[at] === true) letters.gap();
    if (character.length === 1) letters.pushCharacter(character.charCodeAt(0), start, end);
    else {
      letters.push(character.charCodeAt(0), start, end, OPENS);
      letters.push(character.charCodeAt(1), start, end, CLOSES);
    }
    at += character.length;
  }
  if (draft.gapAfter) letters.gap();
}

/** Room for any ordinary text. */
const ROOM = 16_384;
/** No syllable has more than five letters (`ㄱㅗㅏㄹㅎ`). */
const MOST_LETTERS = 5;

function makeRoom(size: number): Folded {
  return {
    codes: new Uint16Array(size),
    starts: new Uint32Array(size),
    ends: new Uint32Array(size),
    marks: new Uint8Array(size),
  };
}

/** The buffers of `fold` and of `loosen`, which reads the output of `fold`. */
const FOLDING = makeRoom(ROOM);
const LOOSENING = makeRoom(ROOM);

/**
 * The columns while they grow. Allocating the largest possible arrays costs more than folding, so all texts use the same
 * buffers one after the other.
 */
class Letters {
  /** A separate buffer for larger texts. */
  #room: Folded;
  #length = 0;
  #gap = false;

  constructor(room: Folded) {
    this.#room = room;
  }

  /** Marks the next letter as one with a gap before it. */
  gap(): void {
    this.#gap = true;
  }

  push(code: number, start: number, end: number, marks: number): void {
    const at = this.#length;
    if (at === this.#room.codes.length) this.#grow();
    const { codes, starts, ends, marks: places } = this.#room;
    codes[at] = code;
    starts[at] = start;
    ends[at] = end;
    places[at] = this.#gap ? marks | GAP : marks;
    this.#gap = false;
    this.#length = at + 1;
  }

  /** A character of one UTF-16 unit: Hangul by its letters, anything else as it is. */
  pushCharacter(code: number, start: number, end: number): void {
    const syllable = code - FIRST_SYLLABLE;
    if (syllable >= 0 && syllable < SYLLABLES) {
      this.#pushSyllable(syllable, start, end);
      return;
    }
    const letters = lettersOf(code);
    if (letters === undefined) {
      this.push(code, start, end, OPENS | CLOSES);
      return;
    }
    const last = letters.length - 1;
    for (let i = 0; i <= last; i += 1) {
      this.push(letters[i] ?? 0, start, end, (i === 0 ? OPENS : 0) | (i === last ? CLOSES : 0));
    }
  }

  /** Most of a Korean text: its letters are copied in one loop. */
  #pushSyllable(syllable: number, start: number, end: number): void {
    const to = SYLLABLE_STARTS[syllable + 1] ?? 0;
    if (this.#length + MOST_LETTERS > this.#room.codes.length) this.#grow();
    const { codes, starts, ends, marks } = this.#room;
    const first = this.#length;
    let at = first;
    for (let from = SYLLABLE_STARTS[syllable] ?? 0; from < to; from += 1, at += 1) {
      codes[at] = SYLLABLE_LETTERS[from] ?? 0;
      starts[at] = start;
      ends[at] = end;
      marks[at] = 0;
    }
    marks[first] = this.#gap ? OPENS | GAP : OPENS;
    marks[at - 1] = CLOSES;
    this.#gap = false;
    this.#length = at;
  }

  done(): Folded {
    const length = this.#length;
    const { codes, starts, ends, marks } = this.#room;
    return {
      codes: codes.subarray(0, length),
      starts: starts.subarray(0, length),
      ends: ends.subarray(0, length),
      marks: marks.subarray(0, length),
    };
  }

  #grow(): void {
    const before = this.#room;
    this.#room = makeRoom(before.codes.length * 2);
    this.#room.codes.set(before.codes);
    this.#room.starts.set(before.starts);
    this.#room.ends.set(before.ends);
    this.#room.marks.set(before.marks);
  }
}

/**
 * Modifier letters and the Hangul letter araea (`ㆍ`) serve as marks; readers ignore unassigned characters.
 */
const NOISE = /^[\p{P}\p{S}\p{M}\p{Lm}\p{Co}\p{Cn}\u119e\u11a2]$/u;
const ASCII_NOISE = Uint8Array.from({ length: 0x80 }, (_, code) => (NOISE.test(String.fromCharCode(code)) ? 1 : 0));

function isNoise(code: number): boolean {
  if (code < 0x80) return ASCII_NOISE[code] === 1;
  // Fast path: Hangul letters are nearly all of the remaining text.
  if (code >= 0x3131 && code <= 0x318e) return false;
  return NOISE.test(String.fromCodePoint(code));
}

/** Letters that are drawn as a dash or a bar. */
const BARS: ReadonlySet<number> = new Set(Array.from('ㅡㅣ一丨', (letter) => letter.charCodeAt(0)));

/** Vowels that include a bar after them: `ㅜㅣ` is `ㅟ`. */
const BEFORE_BAR: ReadonlySet<number> = new Set(Array.from('ㅗㅜㅡ', (letter) => letter.charCodeAt(0)));

/** Whether a letter serves as a dash: alone after a complete syllable. After a lone consonant it is its vowel. */
function isBar({ codes, marks }: Folded, at: number): boolean {
  if (!BARS.has(codes[at] ?? 0) || ((marks[at] ?? 0) & (OPENS | CLOSES)) !== (OPENS | CLOSES)) return false;
  return at > 0 && ((marks[at - 1] ?? 0) & OPENS) === 0 && !BEFORE_BAR.has(codes[at - 1] ?? 0);
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const codePoint = (high: number, low: number): number => (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
