/**
 * Chinese characters in their Korean reading, so that `元金保障` is read as `원금보장`, and a parenthesis that only repeats
 * the reading of the word before it is passed over: `원금(元金) 보장(保障)`.
 */
import { READINGS } from './hanja-readings.ts';
import { Rewriting, type ReadText } from './read-text.ts';

const HANJA = /[\u4e00-\u9fff\uf900-\ufaff]/;
const LETTER = /[\p{L}\p{N}]/u;

export const holdsHanja = (text: string): boolean => HANJA.test(text);

let readings: Map<string, string> | undefined;

/** The reading of a character as it stands inside of a word; undefined where it has none. */
function readingOf(character: string): string | undefined {
  readings ??= new Map(
    READINGS.trim()
      .split(/\s+/)
      .flatMap((row) => Array.from(row.slice(1), (one): [string, string] => [one, row[0] ?? ''])),
  );
  return readings.get(character) ?? readings.get(character.normalize('NFKC'));
}

const FIRST = 0xac00;
const VOWELS = 21;
const TAILS = 28;
const SYLLABLES = 11_172;
const LEADS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ';
const [N, R, SILENT] = [LEADS.indexOf('ㄴ'), LEADS.indexOf('ㄹ'), LEADS.indexOf('ㅇ')];
/** ㅑ ㅕ ㅖ ㅛ ㅠ ㅣ, by their places among the vowels. */
const Y_VOWELS: ReadonlySet<number> = new Set([2, 6, 7, 12, 17, 20]);
const TAIL_N = 4;

interface Syllable {
  lead: number;
  vowel: number;
  tail: number;
}

function syllableOf(letter: string): Syllable | null {
  const code = letter.charCodeAt(0) - FIRST;
  if (!(code >= 0 && code < SYLLABLES)) return null;
  return { lead: Math.floor(code / (VOWELS * TAILS)), vowel: Math.floor(code / TAILS) % VOWELS, tail: code % TAILS };
}

const letterOf = ({ lead, vowel, tail }: Syllable): string =>
  String.fromCharCode(FIRST + (lead * VOWELS + vowel) * TAILS + tail);

/** The rule of initial sounds: how a reading is spoken where a word begins (`리` as `이`, `로` as `노`, `녀` as `여`). */
export function asInitial(letter: string): string {
  const syllable = syllableOf(letter);
  if (syllable === null) return letter;
  const { lead, vowel } = syllable;
  if ((lead === R || lead === N) && Y_VOWELS.has(vowel)) return letterOf({ ...syllable, lead: SILENT });
  return lead === R ? letterOf({ ...syllable, lead: N }) : letter;
}

/** `렬` and `률` after a vowel or ㄴ are `열` and `율`; `불` before ㄷ and ㅈ is `부`. */
function inContext(character: string, reading: string, before: string, after: string | undefined): string {
  if (reading === '렬' || reading === '률') {
    const tail = syllableOf(before)?.tail;
    return tail === 0 || tail === TAIL_N ? asInitial(reading) : reading;
  }
  const next = after === undefined ? undefined : syllableOf(readingOf(after) ?? after)?.lead;
  return character === '不' && next !== undefined && 'ㄷㅈ'.includes(LEADS[next] ?? ' ') ? '부' : reading;
}

/**
 * Two ways to read: where a word of several parts begins anew is not written (`營業利益` is `영업이익`, and `金利` is `금리`).
 */
export type InitialSounds = 'where a word begins' | 'everywhere';

export function readHanja(from: ReadText, initial: InitialSounds): ReadText {
  const { text } = from;
  const read = new Rewriting(from);
  let done = 0;
  let before = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const isRead = HANJA.test(character) && !isStroke(text, at, initial);
    const reading = isRead ? readingOf(character) : undefined;
    if (reading === undefined) {
      before = character;
      continue;
    }
    const isFirst = initial === 'everywhere' || !LETTER.test(before);
    const said = saysNone(text, at, initial) ? '없' : inContext(character, reading, before, text[at + 1]);
    before = isFirst ? asInitial(said) : said;
    read.keep(done, at);
    read.replace(at, at + 1, before);
    done = at + 1;
  }
  read.keep(done, text.length);
  return withoutRepetitions(from, read.done());
}

/** Whether 無 behind a word says that there is none of it (`손실 위험 無`): in the second way to read, because it hides nothing. */
const saysNone = (text: string, at: number, initial: InitialSounds): boolean =>
  initial === 'everywhere' && text[at] === '無' && !LETTER.test(text[at + 1] ?? ' ');

/** Drawn as a dash or a bar, which the loose pass leaves out (`원一금`). */
const STROKES = '一丨';

/** Whether a stroke stands for no character: where no other is beside it, and in the other way to read the text always. */
function isStroke(text: string, at: number, initial: InitialSounds): boolean {
  if (!STROKES.includes(text.charAt(at))) return false;
  return initial === 'everywhere' || !(HANJA.test(text.charAt(at - 1)) || HANJA.test(text.charAt(at + 1)));
}

/** Long enough for any word; a bound, so that the search takes linear time. */
const PARENTHESIS = /[(（[［〔]([^()（）[\]［］〔〕]{1,40})[)）\]］〕]/g;

/** @param read has the same units as `source` */
function withoutRepetitions(source: ReadText, read: ReadText): ReadText {
  const { text } = read;
  const kept = new Rewriting(read);
  let done = 0;
  for (const { index, 0: whole, 1: inside = '' } of text.matchAll(PARENTHESIS)) {
    const begin = repeatedFrom(text, index, inside);
    const end = index + whole.length;
    if (begin === null || !HANJA.test(source.text.slice(begin, end))) continue;
    kept.keep(done, index);
    done = end;
  }
  if (done === 0) return read;
  kept.keep(done, text.length);
  return kept.done();
}

/** Where the word begins that ends before `end` and that `inside` repeats; null where it repeats none. */
function repeatedFrom(text: string, end: number, inside: string): number | null {
  const wanted = inside.replaceAll(/\s/g, '');
  let left = wanted.length;
  let at = end;
  while (left > 0 && at > 0) {
    at -= 1;
    const letter = text.charAt(at);
    if (/\s/.test(letter)) continue;
    left -= 1;
    if (asInitial(letter) !== asInitial(wanted.charAt(left))) return null;
  }
  return left === 0 && wanted !== '' ? at : null;
}
