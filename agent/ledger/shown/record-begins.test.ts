/** Where the record begins in an older ledger, what a restore leaves open, and that no row of the record changes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explanationId } from '../explanations/explanations.ts';
import { followHistory } from '../explanations/told-history.ts';
import { addChannel } from '../serving/channels.ts';
import { recordRestored } from '../serving/record.ts';
import { toggleScope } from '../serving/scope.ts';
import { servedOf } from '../serving/served.ts';
import { exposedExplanation } from '../serving/visibility.ts';
import { publishPolicy } from '../policy/versions.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { migrate, STEPS } from '../storage/migrate.ts';
import { asFirstRelease, newEntry, receive } from '../../../test/support/agent/ledger.ts';
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

/** A channel, a policy, a text on show and one switched-off market. */
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

test('a ledger of the version before keeps what is so when the record begins, and before that nothing is known', () => {
  const whole = openLedger(file);
  used(whole);
  whole.close();
  // The same file as the version before had it, whose row of a policy did not prove its words.
  const db = new Database(file);
  const guard = db.prepare("SELECT sql FROM sqlite_master WHERE name = 'console_action_log_is_never_updated'").pluck();
  const guarded = guard.get() as string;
  db.exec(`DROP TRIGGER console_action_log_is_never_updated;
    UPDATE console_action_log SET detail = json_remove(detail, '$.snapshotSha256')`);
  db.exec(guarded);
  asFirstRelease(db);
  db.exec(
    `INSERT INTO served_explanation SELECT id, 'MTS', 7, '${AT}', '${later(HOUR)}' FROM explanation WHERE etf_ticker = '069500'`,
  );
  migrate(db, file, STEPS);
  const began = db.prepare("SELECT at FROM serving_fact WHERE kind = 'BEGIN'").pluck().get() as string;
  const places = db.prepare('SELECT etf_ticker, day, explanation_id FROM explanation_place').raw().all();
  expect(places).toEqual([
    ['069500', '2026-11-20', explanationId('a')],
    ['102110', '2026-11-20', explanationId('b')],
  ]);
  db.close();
  const ledger = openLedger(file);
  expect(ledger.schemaFaults()).toEqual([]);
  isWhole(ledger);
  const now = new Date(Math.max(Date.parse(began), Date.parse(AT)) + HOUR).toISOString();
  expect(showing(ledger, now, now)).toMatchObject({
    state: 'GIVEN',
    text: '문장 a',
    channels: [{ channel: 'MTS', inside: true }],
  });
  expect(exposedExplanation(ledger, '069500', 'MTS', new Date(now))?.text).toBe('문장 a');
  expect(showing(ledger, now, now, '102110')).toMatchObject({
    reason: 'SCOPE',
    scope: { type: 'MARKET', key: 'KOSDAQ' },
  });
  expect(showing(ledger, began, now)).toMatchObject({ state: 'GIVEN' });
  const before = new Date(Date.parse(began) - 1).toISOString();
  expect(showing(ledger, before, now)).toEqual({ state: 'UNKNOWN', reason: 'BEFORE_RECORD' });
  // One count was kept until then: all of its requests were before the record, within it, or some were.
  expect(servedOf(ledger, explanationId('a'))).toEqual([
    { channel: 'MTS', times: 7, firstAt: AT, lastAt: later(HOUR) },
  ]);
  ledger.close();
});

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
