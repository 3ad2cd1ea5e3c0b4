/** One wrong row of a ledger at a time: the comparison names it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareLedger, otherThan, rawEntries, type Entry } from './oracle.ts';
import { now, wallOf } from './recorder.ts';

const of = (cursor: number, id: string): Entry => ({
  cursor,
  delivery_type: 'NEW',
  explanation_result: { explanation_result_id: id, summary: `text of ${id}` },
});
const TRUTH: Entry[] = [
  of(1, 'a'),
  of(2, 'b'),
  { cursor: 3, delivery_type: 'INVALIDATION', target_explanation_result_id: 'a' },
];
const PUBLISHED = new Map([
  ['a', { summary: 'text of a', isWithdrawn: true }],
  ['b', { summary: 'text of b', isWithdrawn: false }],
]);

let folder: string;
let file: string;
let db: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-oracle-'));
  file = path.join(folder, 'ledger.sqlite');
  db = new Database(file);
  db.exec(`
    CREATE TABLE raw_bundle (cursor_from INTEGER, cursor_to INTEGER, body BLOB);
    CREATE TABLE explanation (id TEXT, explanation_result_id TEXT, status TEXT, summary TEXT, published_summary TEXT);
    CREATE TABLE state_history (id INTEGER PRIMARY KEY, explanation_id TEXT, to_status TEXT, published_summary TEXT);
    CREATE TABLE rejected_entry (cursor INTEGER); CREATE TABLE held_invalidation (cursor INTEGER);
    CREATE TABLE held_ticker (ticker TEXT); CREATE TABLE quarantined_bundle (reason TEXT, received_at TEXT);
    INSERT INTO explanation VALUES ('1', 'a', 'INVALIDATED', 'text of a', NULL), ('2', 'b', 'PUBLISHED', 'text of b', 'edited b');
    INSERT INTO state_history (explanation_id, to_status, published_summary) VALUES
      ('1', 'AUTO_PUBLISHED', 'text of a'), ('1', 'INVALIDATED', NULL), ('2', 'PENDING_REVIEW', NULL), ('2', 'PUBLISHED', 'edited b');
  `);
  const insert = db.prepare('INSERT INTO raw_bundle VALUES (?, ?, ?)');
  const body = (entries: Entry[]) => Buffer.from(JSON.stringify({ result: { entries } }));
  insert.run(0, 2, body(TRUTH.slice(0, 2)));
  insert.run(2, 3, body(TRUTH.slice(2)));
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const TRUE_CLOCKS = { tenant: false, cloud: false };

const compared = (excuses: Partial<Parameters<typeof compareLedger>[3]> = {}): string[] =>
  compareLedger(
    { index: 0, ledger: file },
    TRUTH,
    { published: PUBLISHED },
    {
      clocks: TRUE_CLOCKS,
      rotations: [],
      ...excuses,
    },
  );

test('a ledger that equals the truth has no breach', () => {
  expect(compared()).toEqual([]);
});

test.each([
  ['the last bundle is missing', 'DELETE FROM raw_bundle WHERE cursor_from = 2', /2 raw entries of 3/],
  ['the first bundle is missing', 'DELETE FROM raw_bundle WHERE cursor_from = 0', /raw entry 1 is undefined/],
  [
    'an entry has another text',
    `UPDATE raw_bundle SET body = CAST(replace(body, 'text of b', 'text of c') AS BLOB)`,
    /raw entry 2 is .*text of c/,
  ],
  ['an explanation is missing', "DELETE FROM explanation WHERE id = '2'", /1 explanations of 2/],
  ['an explanation is there twice', 'INSERT INTO explanation SELECT * FROM explanation', /4 explanations of 2/],
  ['an explanation has another text', "UPDATE explanation SET summary = 'x' WHERE id = '2'", /b has the text "x"/],
  [
    'a withdrawal was not applied',
    "UPDATE explanation SET status = 'STOPPED' WHERE id = '1'",
    /a is STOPPED, and was withdrawn/,
  ],
  [
    'a state that no move led to',
    "UPDATE explanation SET status = 'STOPPED' WHERE id = '2'",
    /b is STOPPED, and its last move led to PUBLISHED/,
  ],
  [
    'a text that no move exposed',
    "UPDATE explanation SET published_summary = 'text of b' WHERE id = '2'",
    /b gives "text of b", and its last move "edited b"/,
  ],
  ['an entry was set aside', 'INSERT INTO rejected_entry VALUES (1)', /1 rows in rejected_entry/],
  [
    'a bundle is in quarantine',
    "INSERT INTO quarantined_bundle VALUES ('The bundle has no entries.', '2026-11-20T00:00:00.000Z')",
    /in quarantine since 2026-11-20T00:00:00.000Z: The bundle has no entries/,
  ],
])('%s', (_, change, named) => {
  db.exec(change);
  expect(compared().join('\n')).toMatch(named);
});

const quarantine = (reason: string, at = now()): unknown =>
  db.prepare('INSERT INTO quarantined_bundle VALUES (?, ?)').run(reason, wallOf(at));
const APART =
  "The statement was made at 2026-11-20T00:00:00.000Z, and this host's clock says 2026-11-21T00:00:00.000Z: more than 300 seconds apart.";
const OTHER_KEY = 'The statement is signed by the key 0123abcd, and the verification key is 4567cdef.';

test('a clock that was moved excuses an answer whose statement has another time, and nothing else', () => {
  quarantine(APART);
  for (const moved of ['tenant', 'cloud']) expect(compared({ clocks: { ...TRUE_CLOCKS, [moved]: true } })).toEqual([]);
  expect(compared()).toEqual([expect.stringContaining('more than 300 seconds apart')]);
  quarantine('The statement does not fit the bytes of the answer.');
  quarantine(OTHER_KEY);
  db.exec('INSERT INTO held_ticker VALUES (1)');
  expect(compared({ clocks: { tenant: true, cloud: true } })).toHaveLength(3);
});

test('a replaced signing key excuses an answer with another key at that time, and nothing else', () => {
  const at = now();
  const rotations = [{ begin: at - 8_000, end: at }];
  quarantine(OTHER_KEY, at + 10_000);
  expect(compared({ rotations })).toEqual([]);
  expect(compared()).toEqual([expect.stringContaining('signed by the key')]);
  quarantine(OTHER_KEY, at - 10_000);
  quarantine(OTHER_KEY, at + 20_000);
  quarantine(APART, at);
  expect(compared({ rotations })).toHaveLength(3);
  // Times of a tenant whose clock was moved tell nothing.
  expect(compared({ rotations, clocks: { tenant: true, cloud: false } })).toEqual([]);
});

test('a replaced ledger is held against as much of the truth as it had', () => {
  db.exec('DELETE FROM raw_bundle WHERE cursor_from = 2');
  expect(otherThan(TRUTH, rawEntries(file), 'tenant 0')).toBeNull();
  db.exec(`UPDATE raw_bundle SET body = CAST(replace(body, 'text of a', 'text of c') AS BLOB)`);
  expect(otherThan(TRUTH, rawEntries(file), 'tenant 0')).toMatch(/raw entry 1/);
});
