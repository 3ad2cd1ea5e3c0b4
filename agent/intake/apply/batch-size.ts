/**
 * How many entries one batch takes. An entry changes a page in each of a dozen indexes, and a transaction writes such a
 * page once, however many of its entries have changed it: fewer entries are more bytes. More hold the write lock for
 * longer than others should wait. So as many are taken as this machine applies within that time, by the batches before.
 */

/** Most entries of one batch: no process that has ended was applying more. */
export const MOST_ENTRIES = 2_000;
const LEAST_ENTRIES = 50;
/** Entries of a batch before any has been timed. */
export const FIRST_ENTRIES = 500;
/** How long one batch may hold the write lock, in ms: a third is left for what varies between batches. */
const HOLD_MS = 100;

export class BatchSize {
  #entries = FIRST_ENTRIES;

  get entries(): number {
    return this.#entries;
  }

  /** Tells how long a batch has held the write lock, its commit included. */
  held(entries: number, ms: number): void {
    // The fixed cost of a small batch says nothing of a large one, and a clock may stand still or be set back.
    if (ms <= 0 || (entries < this.#entries / 2 && ms <= HOLD_MS)) return;
    const fits = Math.floor((entries * HOLD_MS) / ms);
    this.#entries = Math.max(LEAST_ENTRIES, Math.min(fits, 2 * this.#entries, MOST_ENTRIES));
  }
}
