/**
 * The ledger's knowledge of the explanations of a batch, asked once for all of them: nearly every entry of a backlog
 * belongs to an unknown explanation.
 */
import { sql } from 'kysely';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { prepared } from '../../ledger/storage/query.ts';
import type { RawEntry } from './entry.ts';

/** The same conditions as in `knownExplanation` and `isOnRecord`. */
const onRecord = prepared(
  (ids: string) => sql<{ id: string }>`
  SELECT value AS id FROM json_each(${ids}) WHERE EXISTS (SELECT 1 FROM explanation WHERE id = value)
    OR EXISTS (SELECT 1 FROM state_history WHERE explanation_id = value)
    OR EXISTS (SELECT 1 FROM console_action_log WHERE target_id = value AND actor_role IS NOT 'SYSTEM')`,
);
const anyHeld = prepared(() => sql<{ held: number }>`SELECT EXISTS (SELECT 1 FROM held_invalidation) AS held`);

export class Known {
  /** Neither row nor history nor audit log know them. */
  readonly #new: Set<string>;
  #isAnyHeld: boolean;

  constructor(reader: LedgerReader, entries: readonly RawEntry[]) {
    this.#new = new Set(entries.flatMap(idOf));
    for (const { id } of reader.all(onRecord(JSON.stringify([...this.#new])))) this.#new.delete(id);
    this.#isAnyHeld = reader.first(anyHeld())?.held === 1;
  }

  /** Whether the entry is the first of its explanation. The next call for the same id returns false. */
  takeNew(id: string): boolean {
    return this.#new.delete(id);
  }

  /** Whether any withdrawal waits for its original. */
  get isAnyHeld(): boolean {
    return this.#isAnyHeld;
  }

  withdrawalHeld(): void {
    this.#isAnyHeld = true;
  }
}

function idOf(entry: RawEntry): string[] {
  const result = entry['explanation_result'];
  if (typeof result !== 'object' || result === null || !('explanation_result_id' in result)) return [];
  return typeof result.explanation_result_id === 'string' ? [explanationId(result.explanation_result_id)] : [];
}
