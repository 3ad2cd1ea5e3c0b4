/** One wrong row of a ledger at a time: the comparison names it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareLedger, otherThan, rawEntries, type Entry } from './oracle.ts';

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
    CREATE TABLE held_ticker (ticker TEXT); CREATE TABLE quarantined_bundle (cursor INTEGER);
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

const compared = (isClockMoved = false): string[] =>
  compareLedger({ index: 0, ledger: file }, TRUTH, { published: PUBLISHED }, isClockMoved);

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
    'a text that no move provided',
    "UPDATE explanation SET published_summary = 'text of b' WHERE id = '2'",
    /b gives "text of b", and its last move "edited b"/,
  ],
  ['an entry was set aside', 'INSERT INTO rejected_entry VALUES (1)', /1 rows in rejected_entry/],
  ['a bundle is in quarantine', 'INSERT INTO quarantined_bundle VALUES (1)', /1 rows in quarantined_bundle/],
])('%s', (_, change, named) => {
  db.exec(change);
  expect(compared().join('\n')).toMatch(named);
});

test('a clock that was moved excuses a bundle in quarantine and nothing else', () => {
  db.exec('INSERT INTO quarantined_bundle VALUES (1)');
  expect(compared(true)).toEqual([]);
  db.exec('INSERT INTO held_ticker VALUES (1)');
  expect(compared(true)).toHaveLength(1);
});

test('a replaced ledger is held against as much of the truth as it had', () => {
  db.exec('DELETE FROM raw_bundle WHERE cursor_from = 2');
  expect(otherThan(TRUTH, rawEntries(file), 'tenant 0')).toBeNull();
  db.exec(`UPDATE raw_bundle SET body = CAST(replace(body, 'text of a', 'text of c') AS BLOB)`);
  expect(otherThan(TRUTH, rawEntries(file), 'tenant 0')).toMatch(/raw entry 1/);
});
