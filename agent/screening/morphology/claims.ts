/**
 * A claim: all parts of a forbidden word inside one clause, in any order, with few other words between them, whatever the
 * particles, endings and adverbs are. `원금을 전액 보장`, `보장되는 원금`.
 */
import { USUALLY_APART } from '../../../shared/wire/console/console.ts';
import { isWholeNumber } from '../letters/whole-number.ts';
import { isGuess } from './analyser.ts';
import type { Part } from './parts.ts';
import { isInSupposition, type Morpheme } from './sentence.ts';
import { isContent, isDenial, isFuture } from './tags.ts';

/** A word that is looked for by its parts. */
export interface PartedWord<Word> {
  word: Word;
  parts: readonly Part[];
  /** Most morphemes with a meaning that may stand between two of its parts. */
  apart: number;
}

export interface Claim<Word> {
  word: Word;
  /** Places in the text, end exclusive. */
  start: number;
  end: number;
  /** How many of the parts are denials themselves (`손실 없는`). */
  ownDenials: number;
}

/** The shortest claims of some words in one sentence. `text` is the text that the morphemes stand in. */
export function claimsIn<Word>(
  text: string,
  morphemes: readonly Morpheme[],
  words: readonly PartedWord<Word>[],
): Claim<Word>[] {
  const near = numbersOf(morphemes, leadsAway);
  const far = numbersOf(
    morphemes,
    (one, at) => leadsAway(one) && !isAdverbial(morphemes, at) && !isInSupposition(morphemes, at),
  );
  return words.flatMap(({ word, parts, apart }) => {
    const numbers = apart < USUALLY_APART ? near : far;
    const denials = new Set(parts.flatMap((part, n) => (saysContrary(part) ? [n] : [])));
    const places = morphemes.flatMap((one, at) =>
      parts.flatMap((part, n): Place[] => {
        const last = morphemes[at + part.morphemes.length - 1];
        if (last === undefined || !standsAt(text, part, morphemes, at)) return [];
        const isBehind = part.isFuture === true && !/^J(?:X|KS)$/.test(morphemes[at + 1]?.tag ?? '');
        const { clause, start } = one;
        return [{ part: n, clause, number: numbers[at] ?? 0, start, end: last.end, isBehind }];
      }),
    );
    const ways = shortest(places, { all: parts.length, denials }, apart);
    return ways.map((way) => ({ word, ...way, ownDenials: denials.size }));
  });
}

/** A morpheme's number among those that lead away from a claim. */
function numbersOf(morphemes: readonly Morpheme[], counts: (one: Morpheme, at: number) => boolean): number[] {
  let counted = 0;
  return morphemes.map((one, at) => (counts(one, at) ? counted++ : counted));
}

/** Adverbs and determiners do not lead away. */
const leadsAway = ({ tag }: Morpheme): boolean => isContent(tag) && !/^(?:M|NNB|IC)/.test(tag);

/**
 * Whether a morpheme is in a phrase of time, place or means (`금리 인상에도`, `찾는 순간까지`): it takes the place of no part, and a
 * sentence may have any number of them.
 */
function isAdverbial(morphemes: readonly Morpheme[], at: number): boolean {
  const end = morphemes.slice(at + 1).find(({ tag }) => !isContent(tag) && !/^(?:XS|ETM)/.test(tag));
  return end !== undefined && (/^J(?:KB|C)$/.test(end.tag) || /^(?:부터|까지)$/.test(end.text));
}

const saysContrary = ({ morphemes: [text], isVerb }: Part): boolean => isDenial({ text, tag: isVerb ? 'VX' : 'MAG' });

interface Place {
  /** Which part stands here. */
  part: number;
  clause: number;
  number: number;
  start: number;
  end: number;
  /** What is to come is said behind its verb, unless it is a subject (`올 것은 상승입니다`). */
  isBehind: boolean;
}

/** The parts of a word, by their numbers. A denial denies what stands before it, so that it comes after the others. */
interface Wanted {
  all: number;
  denials: ReadonlySet<number>;
}

/** From each part the way to the nearest others, without those that hold a shorter one. */
function shortest(places: readonly Place[], { all, denials }: Wanted, apart: number): { start: number; end: number }[] {
  const ways = places.flatMap((first, n) => {
    const found = new Set<number>();
    let [last, end] = [first, first.end];
    for (const next of places.slice(n)) {
      if (next.clause !== first.clause || next.number - last.number - 1 > apart) break;
      if (denials.has(next.part) && found.size < all - denials.size) continue;
      if (next.isBehind && found.size < all - 1) continue;
      if (found.has(next.part)) {
        if (next.part === first.part) break;
        continue;
      }
      found.add(next.part);
      last = next;
      end = Math.max(end, next.end);
      if (found.size === all) return [{ start: first.start, end }];
    }
    return [];
  });
  return ways.filter((way, n) => !ways.some((other, m) => m > n && other.end <= way.end));
}

/**
 * Whether a part stands at a morpheme, also as the adverb or the adjective that is made of it (`없이`, `확실히`, `확실하다`). A word of
 * the text that begins with the letters of a noun, or with these behind a prefix, holds it, whatever the analyser makes of them
 * (`비보장형` as 비보|장형), and so does a guess that has them anywhere.
 */
function standsAt(
  text: string,
  { morphemes: [first, ...rest], isVerb, isFuture: isToCome, isBare }: Part,
  all: readonly Morpheme[],
  at: number,
): boolean {
  const one = all[at];
  if (one === undefined) return false;
  if (isToCome) return isFuture(one, all[at - 1]);
  if (isBare) return one.text === first && all[at + 1]?.tag !== 'XSN';
  if (rest.length > 0)
    return (
      one.text === first &&
      isWholeNumber(text, one) &&
      rest.every((each, n) => all[at + 1 + n]?.text.replace(/^(?:퍼센트|프로)$/, '%') === each)
    );
  if (!isWholeNumber(text, one)) return false;
  if (one.text === first || rootOf(one) === rootOf({ text: first, tag: isVerb ? 'VA' : 'NNG' })) return true;
  if (first === '없' && one.text === '없애') return true;
  if (first.length < 2) return false;
  if (isVerb) return one.tag === 'VV' && isCompoundOf(one.text, first);
  if (one.start === one.word && BEGINS.some((prefix) => text.startsWith(prefix + first, one.word))) return true;
  return one.tag === 'NNG' && one.text.includes(first) && isGuess(one.text);
}

/** Whether a verb is made of another and a second one (`돌려받` of 돌리 and 받); to watch (`지켜보`) is none of to keep. */
function isCompoundOf(text: string, first: string): boolean {
  const begin = first.normalize('NFD');
  return text.length > first.length && !text.endsWith('보') && text.normalize('NFD').startsWith(begin.slice(0, -1));
}

const BEGINS = ['', '비', '미', '불'];

/** What an adverb (`꾸준히`) or an adjective (`꾸준하`) is made of. */
function rootOf({ text, tag }: Pick<Morpheme, 'text' | 'tag'>): string {
  if (text.length < 2) return text;
  if (tag.startsWith('MA')) return text.replace(/[히이]$/, '');
  return /^V[VA]/.test(tag) ? text.replace(/하$/, '') : text;
}
