/** A policy version is told as the audit log tells of its publication, or not at all (D189). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { publishPolicy } from '../policy/versions.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import { policiesOf } from './fact-rows.ts';
import { checkPolicy, RecordFaultError, type LoggedPolicy } from './logged-facts.ts';

const OTHERS: LoggedPolicy = {
  version: 2,
  snapshot: '{}',
  changes: '[{"field":"other"}]',
  author: 'other',
  created_at: '2026-11-20T09:00:00.001Z',
  starts_at: '2026-11-20T10:00:00.000Z',
  started_at: '2026-11-20T10:00:00.000Z',
};
let ledger: Ledger;
let policy: LoggedPolicy;
let rows: ConsoleActionLogTable[];
beforeAll(() => {
  ledger = openLedger(':memory:');
  const at = '2026-11-20T09:00:00.000Z';
  ledger.write((tx) => publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at }));
  const [first] = policiesOf(ledger, [1]);
  if (first === undefined) throw new Error('The ledger holds no policy.');
  policy = first;
  rows = ledger.all(sqlite.selectFrom('console_action_log').selectAll());
});
afterAll(() => ledger.close());

test('its row proves every word of it, and proves nothing without the SHA-256', () => {
  checkPolicy(policy, rows);
  const bare = rows.map((row) => ({ ...row, detail: '{"changes":[]}' }));
  expect(() => checkPolicy(policy, bare)).toThrow(RecordFaultError);
});

test.each(Object.keys(OTHERS) as (keyof LoggedPolicy)[])('another %s is a fault', (name) => {
  expect(OTHERS[name]).not.toEqual(policy[name]);
  expect(() => checkPolicy({ ...policy, [name]: OTHERS[name] }, rows)).toThrow(RecordFaultError);
});

test.each(['action', 'target_id'] as const)('a row with another %s is not its row', (name) => {
  expect(() =>
    checkPolicy(
      policy,
      rows.map((row) => ({ ...row, [name]: 'other' })),
    ),
  ).toThrow('has no row');
});
