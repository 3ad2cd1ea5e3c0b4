/** Where the record begins, what a restore leaves open, and that no row of the record changes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followHistory } from '../explanations/history-check.ts';
import { addChannel } from '../serving/channels.ts';
import { recordRestored } from '../serving/record.ts';
import { toggleScope } from '../serving/scope.ts';
import { publishPolicy } from '../policy/versions.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { bandOf, shownAt } from './shown-at.ts';
import { factFaults, readShownFacts } from './shown-facts.ts';

const PERSON = { kind: 'MEMBER', id: 'm', displayName: '관리자', role: 'TENANT_ADMIN' } as const;
const AT = '2026-11-20T07:00:00.000Z';
const later = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString();
const HOUR = 3_600_000;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-record-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A channel, a policy, an exposed text and one switched-off market. */
function used(ledger: Ledger): void {
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: AT });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: PERSON, at: AT });
    receive(tx, newEntry('a', { summary: '문장 a' }), 'AUTO_PUBLISHED', AT);
    receive(tx, newEntry('b', { etf_ticker: '102110', market: 'KOSDAQ' }, { cursor: 2 }), 'AUTO_PUBLISHED', AT);
    toggleScope(tx, { type: 'MARKET', key: 'KOSDAQ', actor: PERSON, at: AT });
  });
}

function showing(ledger: Ledger, instant: string, now: string, ticker = '069500') {
  return shownAt(readShownFacts(ledger, ticker, { from: instant, to: instant }, new Date(now)), instant);
}

/** All of the record and the history fits the audit log. */
function isWhole(ledger: Ledger): void {
  expect([...factFaults(ledger), ...followHistory(ledger).faults.values()]).toEqual([]);
}

test('a new ledger has its whole record, and knows nothing of what was before its first row', () => {
  const ledger = openLedger(file);
  used(ledger);
  expect(showing(ledger, AT, later(HOUR))).toMatchObject({ state: 'GIVEN' });
  expect(showing(ledger, later(-1), later(HOUR))).toEqual({ state: 'UNKNOWN', reason: 'BEFORE_RECORD' });
  ledger.close();
});

test('between the last row of a backup and its restore nothing is known', () => {
  const ledger = openLedger(file);
  used(ledger);
  ledger.write((tx) => recordRestored(tx, later(2 * HOUR), AT));
  isWhole(ledger);
  const now = later(3 * HOUR);
  expect(showing(ledger, AT, now)).toMatchObject({ state: 'GIVEN' });
  expect(showing(ledger, later(1), now)).toEqual({ state: 'UNKNOWN', reason: 'RESTORED' });
  expect(showing(ledger, later(2 * HOUR - 1), now)).toEqual({ state: 'UNKNOWN', reason: 'RESTORED' });
  expect(showing(ledger, later(2 * HOUR), now)).toMatchObject({ state: 'GIVEN' });
  const facts = readShownFacts(ledger, '069500', { from: AT, to: now }, new Date(now));
  expect(bandOf(facts, AT, now).map(({ showing: each, causes }) => [each.state, causes])).toEqual([
    ['GIVEN', []],
    ['UNKNOWN', [{ kind: 'BACKUP_ENDS' }]],
    ['GIVEN', [{ kind: 'RESTORED' }]],
  ]);
  ledger.close();
});

test('a row of the record is never changed, deleted or replaced', () => {
  const ledger = openLedger(file);
  used(ledger);
  const run = (sql: string) => () => ledger.write((tx) => tx.run({ sql, parameters: [] }));
  expect(run("UPDATE serving_fact SET at = ''")).toThrow('never changed');
  expect(run('DELETE FROM serving_fact')).toThrow('never deleted');
  expect(run('INSERT OR REPLACE INTO serving_fact SELECT * FROM serving_fact')).toThrow('never replaced');
  ledger.close();
});
