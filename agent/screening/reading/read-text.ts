/** A text as it is read, with the place of each of its UTF-16 units in the text as it was received. */

export interface ReadText {
  readonly text: string;
  /** Begin and end (exclusive) in the received text, one of each per unit. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A received text, read as it is. */
export function asReceived(text: string): ReadText {
  const starts = Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
}

/** Makes a text out of parts of another and of what stands for such parts. */
export class Rewriting {
  readonly #from: ReadText;
  readonly #parts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(from: ReadText) {
    this.#from = from;
  }

  /** Takes a part over. */
  keep(from: number, to: number): void {
    if (from >= to) return;
    this.#parts.push(this.#from.text.slice(from, to));
    for (let at = from; at < to; at += 1) {
      this.#starts.push(this.#from.starts[at] ?? 0);
      this.#ends.push(this.#from.ends[at] ?? 0);
    }
  }

  /** Puts other letters in the place of a part. */
  replace(from: number, to: number, letters: string): void {
    this.#parts.push(letters);
    for (let n = 0; n < letters.length; n += 1) {
      this.#starts.push(this.#from.starts[from] ?? 0);
      this.#ends.push(this.#from.ends[to - 1] ?? 0);
    }
  }

  done(): ReadText {
    return { text: this.#parts.join(''), starts: this.#starts, ends: this.#ends };
  }
}
