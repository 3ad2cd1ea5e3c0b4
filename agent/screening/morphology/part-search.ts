/**
 * Finds the sentences in which all parts of some word stand, in one walk over the folded text: only these are analysed. It
 * looks for letters and not for morphemes, so it finds more than there is.
 */
import { Automaton } from '../letters/automaton.ts';
import { fold, kept, OPENS, type Folded } from '../letters/fold.ts';
import { isWholeNumber } from '../letters/whole-number.ts';
import type { PartedWord } from './claims.ts';
import { partsOf, type Part } from './parts.ts';
import { mayHoldFuture } from './tags.ts';

/** The sentences of a text, by their numbers. */
export interface Sentences {
  sentenceAt(place: number): number;
  sentence(n: number): string;
}

export class PartSearch<Word> {
  readonly #automaton: Automaton;
  /** The words by one of their parts, with all of them. */
  readonly #words = new Map<number, { parted: PartedWord<Word>; parts: number[]; isFuture: boolean }[]>();
  /** Whether one of the words has a single part beside what is to come. */
  #hasFuture = false;

  /** @throws as `analyse` */
  constructor(words: readonly Word[], expressionOf: (word: Word) => { text: string; apart: number | null }) {
    const numbers = new Map<string, number>();
    const patterns: Uint16Array[] = [];
    for (const word of words) {
      const { text, apart } = expressionOf(word);
      const parts = apart === null ? [] : partsOf(text);
      const isFuture = parts.some((part) => part.isFuture);
      this.#hasFuture ||= isFuture;
      const ids = parts.flatMap((part) => {
        if (part.isFuture) return [];
        const name = part.morphemes.join('');
        const known = numbers.get(name);
        if (known !== undefined) return known;
        const number = numbers.size;
        numbers.set(name, number);
        patterns.push(lettersOf(part));
        return number;
      });
      if (apart === null || ids.length === 0) continue;
      const rarest = Math.max(...ids);
      const others = this.#words.get(rarest);
      // What says a prefix stands beside its noun: `위험이 거의 없는`.
      const reach = parts.some(({ isBare }) => isBare) ? 0 : apart;
      const entry = { parted: { word, parts, apart: reach }, parts: ids, isFuture };
      if (others === undefined) this.#words.set(rarest, [entry]);
      else others.push(entry);
    }
    this.#automaton = new Automaton(patterns);
  }

  /**
   * The words whose parts all stand in a sentence, by the number of the sentence.
   *
   * @param text what is folded
   */
  search(text: string, { codes, starts, ends, marks }: Folded, sentences: Sentences): Map<number, PartedWord<Word>[]> {
    const found: { part: number; at: number }[] = [];
    this.#automaton.scan(codes, (part, from, to) => {
      if (((marks[from] ?? 0) & OPENS) === 0) return;
      const place = { start: starts[from] ?? 0, end: ends[to - 1] ?? 0 };
      if (isWholeNumber(text, place)) found.push({ part, at: place.start });
    });
    const made = new Map<number, PartedWord<Word>[]>();
    const isToCome = this.#hasFuture && found.length > 0 && mayHoldFuture(text);
    if (found.length < 2 && !isToCome) return made;
    const bySentence = Map.groupBy(found, ({ at }) => sentences.sentenceAt(at));
    for (const [sentence, places] of bySentence) {
      const here = new Set(places.map(({ part }) => part));
      const words = [...here].flatMap((part) =>
        (this.#words.get(part) ?? []).filter(
          ({ parts, isFuture }) =>
            parts.every((each) => here.has(each)) &&
            (!isFuture || (isToCome && mayHoldFuture(sentences.sentence(sentence)))),
        ),
      );
      if (words.length > 0)
        made.set(
          sentence,
          words.map(({ parted }) => parted),
        );
    }
    return made;
  }
}

/** The letters by which a part shows: those of a verb without 하, and without a last one that may change. */
function lettersOf({ morphemes, isVerb }: Part): Uint16Array {
  const text = morphemes.join('');
  const root = isVerb && text.length > 1 ? text.replace(/하$/, '') : text;
  const { codes } = kept(fold(root));
  return isVerb && root === text && !FIXED.test(root.normalize('NFD')) ? codes.slice(0, -1) : codes;
}

/** A stem that ends with two consonants stays as it is: `없`, `잃`, `않`. */
const FIXED = /[\u11aa\u11ac\u11ad\u11b0-\u11b6\u11b9]$/;
