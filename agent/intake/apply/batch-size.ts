/**
 * Chooses the number of entries per batch. An entry changes a page in each of a dozen indexes, and a transaction writes
 * such a page once, however many of its entries have changed it: smaller batches write more bytes. Larger batches hold
 * the write lock for longer than other writers should wait. The size follows the time that earlier batches took on this
 * machine.
 */

/** Most entries of one batch: no process that has ended was applying more. */
export const MOST_ENTRIES = 2_000;
const LEAST_ENTRIES = 50;
/** Entries of a batch before any has been timed. */
export const FIRST_ENTRIES = 500;
/** Target time in ms for which one batch holds the write lock; a third is reserve, because batches vary. */
const HOLD_MS = 100;

export class BatchSize {
  #entries = FIRST_ENTRIES;

  get entries(): number {
    return this.#entries;
  }

  /** Records the time that a batch has held the write lock, its commit included. */
  held(entries: number, ms: number): void {
    // The fixed cost of a small batch does not predict a large one, and a clock may stand still or be set back.
    if (ms <= 0 || (entries < this.#entries / 2 && ms <= HOLD_MS)) return;
    const fits = Math.floor((entries * HOLD_MS) / ms);
    this.#entries = Math.max(LEAST_ENTRIES, Math.min(fits, 2 * this.#entries, MOST_ENTRIES));
  }
}
