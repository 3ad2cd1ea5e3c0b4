/** The rows of an explanation, in a log whose times ascend and in one whose clock was set back. */
import { beforeEach, expect, test } from 'vitest';
import type { Ledger, LedgerReader } from '../storage/ledger.ts';
import { boundOf, type Query } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { recordAction } from './audit.ts';
import { isMove, rowsOfExplanation } from './rows-about.ts';

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
});

const START = Date.parse('2026-11-20T00:00:00.000Z');
const MANY = 400;
const SYSTEM = { kind: 'SYSTEM' } as const;

/** Receives many explanations, one each second, and withdraws every tenth at once, which ends an edit; then the clock is set back by `back` ms. */
function filled(back: number): string[] {
  const ids: string[] = [];
  ledger.write((tx) => {
    for (let n = 0; n < MANY; n += 1) {
      const at = new Date(START + n * 1_000 - (n >= MANY / 2 ? back : 0)).toISOString();
      const id = receive(tx, newEntry(`e${n}`, {}, { cursor: n + 1 }), 'AUTO_PUBLISHED', at);
      ids.push(id);
      const withdrawn = ids[n - (n % 100 === 99 ? 150 : 5)] ?? id;
      if (n % 10 !== 9) continue;
      applyMove(tx, { id: withdrawn, move: 'invalidate', actor: SYSTEM, at, reason: 'x' });
      // The program's row beside a move is no move.
      const of = { targetType: 'explanation', targetId: withdrawn, detail: {} };
      recordAction(tx, { ...of, at, actor: SYSTEM, action: 'review.edit-voided' });
    }
  });
  return ids;
}

const historyOf = (id: string) =>
  ledger.all<{ id: number; move: 'receive'; at: string }>({
    sql: 'SELECT id, move, at FROM state_history WHERE explanation_id = ? ORDER BY id',
    parameters: [id],
  });
const ofLog = (id: string) =>
  ledger.all<ConsoleActionLogTable>({
    sql: 'SELECT * FROM console_action_log WHERE target_id = ? ORDER BY seq',
    parameters: [id],
  });

test.each([
  ['ascend', 0],
  ['were set back by an hour', 3_600_000],
  ['were set back by a minute', 60_000],
])('every row of an explanation is found where the times of the log %s', (_, back) => {
  for (const id of filled(back)) {
    const rows = rowsOfExplanation(ledger, id, historyOf(id));
    expect(rows).toEqual(ofLog(id));
    expect(rows.filter(isMove)).toHaveLength(historyOf(id).length);
  }
});

test('after a clock that was set back the rows are found by halving, and no query reads more than some rows of the log', () => {
  const ids = filled(150_000);
  let looked = 0;
  const spans: number[] = [];
  const watched = <T>(query: Query<unknown>, look: () => T): T => {
    looked += 1;
    const { sql, parameters } = boundOf(query);
    const [from, to] = parameters as number[];
    if (sql.includes('seq >= ? AND seq < ? AND target_id = ?')) spans.push((to ?? 0) - (from ?? 0));
    return look();
  };
  const reader: LedgerReader = {
    all: (query) => watched(query, () => ledger.all(query)),
    first: (query) => watched(query, () => ledger.first(query)),
  };
  for (const id of ids) {
    looked = 0;
    expect(rowsOfExplanation(reader, id, historyOf(id))).toEqual(ofLog(id));
    expect(looked).toBeLessThan(60);
  }
  expect(spans.length).toBeGreaterThanOrEqual(ids.length);
  expect(Math.max(...spans)).toBeLessThan(10);
});
