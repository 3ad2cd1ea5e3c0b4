/**
 * Keeps the text of NEW entries beside the records (D69, D135): the publication writes it, and a pull writes it again after
 * a row behind it has changed. Triggers drop outdated texts (`store/migrations/baseline/entry-texts.ts`).
 *
 * Written out: a function of the database locks and reads in one call.
 */
import { sql } from 'kysely';
import type { Store, Trx } from '../store/open.ts';
import { KEEP_ENTRY_TEXT } from './entry-sql.ts';

export interface EntrySubject {
  resultId: string | null;
  analysisId: string | null;
}

/**
 * Keeps the text of a subject that the transaction publishes, or that is published. Runs before any lock of the
 * fan-outs.
 */
export async function keepEntryText(trx: Trx, { resultId, analysisId }: EntrySubject): Promise<void> {
  await sql`select ${sql.raw(KEEP_ENTRY_TEXT)}(${resultId}::text, ${analysisId}::text)`.execute(trx);
}

/** The most waiting texts; a later pull finds the others missing again. */
const MOST_WAITING = 1_000;
/** A row that a publisher holds is not waited for: the next pull tries again. */
const PATIENCE_MS = 100;

/** Keeps missing texts that pulls have found, behind their answers and one after the other. */
export class EntryTextRefill {
  readonly #store: Store;
  readonly #waiting = new Map<string, EntrySubject>();
  #working: Promise<void> | null = null;
  #stopped = false;

  constructor(store: Store) {
    this.#store = store;
  }

  ask(subjects: readonly EntrySubject[]): void {
    if (this.#stopped) return;
    for (const subject of subjects) {
      if (this.#waiting.size >= MOST_WAITING) break;
      this.#waiting.set(`${subject.resultId ?? ''}/${subject.analysisId ?? ''}`, subject);
    }
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Resolves when no text waits. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Ends after the text that is being kept. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await this.idle();
  }

  async #work(): Promise<void> {
    for (const [key, subject] of this.#waiting) {
      // Without a kept text the next pull is slower and still correct.
      await this.#keep(subject).catch(() => undefined);
      this.#waiting.delete(key);
    }
  }

  #keep(subject: EntrySubject): Promise<void> {
    return this.#store.transaction(async (trx) => {
      await sql`select set_config('lock_timeout', ${String(PATIENCE_MS)}, true)`.execute(trx);
      await keepEntryText(trx, subject);
    });
  }
}
