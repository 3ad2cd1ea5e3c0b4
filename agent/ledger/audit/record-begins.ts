/**
 * Puts the present state of everything that the audit log vouches for on record (D199), for an administrator whose host
 * has lost its record key or has found something altered.
 */
import { AUDITED_TABLES } from '../made/audited.ts';
import type { LedgerTransaction } from '../storage/ledger.ts';
import { appendRow, rowOf, type Actor } from './audit.ts';

/** Things of one row. */
const PART = 500;

/**
 * @param why what else belongs into the first row, as the findings that are accepted with it
 * @returns the number of things
 */
export function beginRecord(
  tx: LedgerTransaction,
  { at, actor, why }: { at: string; actor: Actor; why: Readonly<Record<string, unknown>> },
): number {
  const things = AUDITED_TABLES.flatMap((table) => tx.changes.keys(table).map((key) => ({ table, key })));
  const parts = Math.ceil(things.length / PART);
  for (let part = 1; part <= parts; part += 1) {
    const detail = { part, of: parts, ...(part === 1 ? why : {}) };
    const row = rowOf({ at, actor, action: 'audit.begin', targetType: 'ledger', targetId: null, detail });
    const states = things.slice((part - 1) * PART, part * PART).map(({ table, key }) => {
      const state = tx.changes.state(table, key);
      return { table, key, before: state, after: state };
    });
    appendRow(tx, { ...row, made: tx.changes.tell(row, states) });
  }
  tx.changes.forget();
  return things.length;
}
