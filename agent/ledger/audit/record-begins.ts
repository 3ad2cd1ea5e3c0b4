/**
 * Puts the present state of everything that the audit log vouches for on record (D199): in a ledger whose rows tell
 * nothing of it, and for an administrator whose host has lost its record key or has found something altered.
 */
import { existsSync } from 'node:fs';
import { AUDITED_TABLES } from '../made/audited.ts';
import { recordKeyFile } from '../made/record-key.ts';
import type { Ledger, LedgerTransaction } from '../storage/ledger.ts';
import { appendRow, chainEnd, rowOf, type Actor } from './audit.ts';
import { tellsThings } from './told-things.ts';

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

/**
 * At the start of a service: the rows that an earlier program wrote tell nothing of what they made. A host that has a
 * record key has written such rows: then they are gone, and no program puts what stands in their place on record.
 */
export function beginUntold(ledger: Ledger, at: string): void {
  const keyFile = recordKeyFile(ledger.file);
  if (chainEnd(ledger).seq === 0 || tellsThings(ledger) || (keyFile !== null && existsSync(keyFile))) return;
  ledger.write((tx) => {
    // Another service may start at the same moment.
    if (!tellsThings(tx)) beginRecord(tx, { at, actor: { kind: 'SYSTEM' }, why: { earlierProgram: true } });
  });
}
