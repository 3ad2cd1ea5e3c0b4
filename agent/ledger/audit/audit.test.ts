import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { recordAction, verifyChain } from './audit.ts';
import { hashOf } from './row-hash.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';

let ledger: Ledger;
let file: string;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  ledger.write((tx) => {
    for (let n = 1; n <= 2_500; n += 1) {
      recordAction(tx, {
        at: '2026-11-20T08:00:00.000Z',
        actor: n % 2 === 0 ? { kind: 'SYSTEM' } : { kind: 'UNKNOWN', username: '누구' },
        action: 'test',
        targetType: 'thing',
        targetId: n % 3 === 0 ? null : String(n),
        detail: { n },
      });
    }
  });
});

/** An attacker with the file and enough time, who removes the guards of the database first. */
function tamper(sql: string): void {
  const db = new Database(file);
  db.exec(`DROP TRIGGER console_action_log_is_never_updated; DROP TRIGGER console_action_log_is_never_deleted; ${sql}`);
  db.close();
}

describe('the chain of the audit log', () => {
  test('holds over all rows', () => {
    expect(verifyChain(ledger)).toEqual({ ok: true, rows: 2_500 });
  });
  test.each([
    ['a changed field', `UPDATE console_action_log SET action = 'other' WHERE seq = 1234`, 1234],
    ['a changed actor', `UPDATE console_action_log SET actor_role = 'OPERATOR' WHERE seq = 2000`, 2000],
    ['a removed row', `DELETE FROM console_action_log WHERE seq = 1001`, 1001],
    ['a removed first row', `DELETE FROM console_action_log WHERE seq = 1`, 1],
    ['a replaced hash', `UPDATE console_action_log SET hash = prev_hash WHERE seq = 77`, 77],
  ])('names the first row that is broken by %s', (_, sql, firstBroken) => {
    tamper(sql);
    expect(verifyChain(ledger)).toMatchObject({ ok: false, firstBroken });
  });
  test('the hash of a row covers each of its fields', () => {
    const row = ledger.first(sqlite.selectFrom('console_action_log').selectAll().where('seq', '=', 2));
    if (row === undefined) throw new Error('The log has no row.');
    expect(hashOf(row)).toBe(row.hash);
    const uncovered = Object.entries(row)
      .filter(
        ([name, value]) => hashOf({ ...row, [name]: typeof value === 'number' ? value + 1 : `${value}.` }) === row.hash,
      )
      .map(([name]) => name);
    expect(uncovered).toEqual(['hash']);
  });
  test('the database refuses change, removal and a hole', () => {
    const change = sqlite.updateTable('console_action_log').set({ actor: 'x' }).where('seq', '=', 1);
    expect(() => ledger.write((tx) => tx.run(change))).toThrow(/never changed/);
    expect(() => ledger.write((tx) => tx.run(sqlite.deleteFrom('console_action_log')))).toThrow(/never deleted/);
    const hole = sqlite.insertInto('console_action_log').values({
      seq: 9_999,
      at: 'x',
      actor_id: null,
      actor: 'x',
      actor_role: null,
      action: 'x',
      target_type: 'x',
      target_id: null,
      detail: '{}',
      prev_hash: 'x',
      hash: 'x',
    });
    expect(() => ledger.write((tx) => tx.run(hole))).toThrow(/without holes/);
  });
});
