/** The machinery of the migrations, and what no program reads. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LedgerDamagedError, LedgerTooNewError } from './errors.ts';
import { inspectLedger } from './inspect.ts';
import { openLedger, openLedgerToRead } from './ledger.ts';
import { LEDGER_VERSION, migrate } from './migrate.ts';
import { BASELINE, STEPS } from './migrations/index.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-migrate-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const versionOf = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });

test('the files of the steps are numbered from the baseline on, without a hole', async () => {
  const files = readdirSync(path.join(import.meta.dirname, 'migrations')).filter((name) => /^\d/.test(name));
  const made = await Promise.all(
    files
      .toSorted()
      .map(async (name) => [Number(name.slice(0, 4)), ((await import(`./migrations/${name}`)) as { sql: string }).sql]),
  );
  expect(made).toEqual(STEPS.map((sql, index) => [BASELINE + index, sql]));
  expect(LEDGER_VERSION).toBe(BASELINE + STEPS.length - 1);
});

/** Three versions of a small schema: the machinery is independent of the steps' content. */
const FIXTURE = [
  "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT; INSERT INTO item VALUES (1, 'first')",
  'CREATE TABLE part (id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL REFERENCES item (id)) STRICT; INSERT INTO part SELECT id, id FROM item',
  'CREATE TABLE made_anew (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER NOT NULL DEFAULT 1) STRICT; INSERT INTO made_anew (id, name) SELECT id, name FROM item; DROP TABLE item; ALTER TABLE made_anew RENAME TO item',
];

describe('the steps', () => {
  let db: Database.Database;
  beforeEach(() => {
    db = new Database(file);
    db.pragma('foreign_keys = OFF');
  });
  afterEach(() => db.close());

  test.each(FIXTURE.map((_, step) => step + 1))('continue from version %i of three, and keep its rows', (done) => {
    migrate(db, file, FIXTURE.slice(0, done));
    expect(versionOf(db)).toBe(BASELINE + done - 1);
    db.exec("INSERT INTO item (id, name) VALUES (2, 'second')");
    migrate(db, file, FIXTURE);
    expect(versionOf(db)).toBe(BASELINE + 2);
    expect(db.prepare('SELECT * FROM item ORDER BY id').all()).toEqual([
      { id: 1, name: 'first', n: 1 },
      { id: 2, name: 'second', n: 1 },
    ]);
  });

  test('are each rolled back whole where they fail', () => {
    migrate(db, file, FIXTURE.slice(0, 2));
    expect(() => migrate(db, file, [...FIXTURE.slice(0, 2), 'DROP TABLE part; SELECT missing FROM item'])).toThrow(
      'missing',
    );
    expect([versionOf(db), db.prepare('SELECT * FROM part').all()]).toEqual([BASELINE + 1, [{ id: 1, item_id: 1 }]]);
  });

  test('leave no row that refers to a missing one', () => {
    const step = 'DELETE FROM item';
    expect(() => migrate(db, file, [...FIXTURE.slice(0, 2), step])).toThrow(LedgerDamagedError);
    expect([versionOf(db), db.prepare('SELECT count(*) FROM item').pluck().get()]).toEqual([BASELINE + 1, 1]);
  });

  test('never go back', () => {
    migrate(db, file, FIXTURE);
    expect(() => migrate(db, file, FIXTURE.slice(0, 2))).toThrow(LedgerTooNewError);
    expect(versionOf(db)).toBe(BASELINE + 2);
  });
});

test.each([1, BASELINE - 1])(
  'a ledger of version %i, which no release has, is refused and left as it is',
  (version) => {
    const old = new Database(file);
    old.exec('CREATE TABLE raw_bundle (cursor_from INTEGER PRIMARY KEY)');
    old.pragma(`user_version = ${version}`);
    old.close();
    const before = readFileSync(file);
    for (const open of [openLedger, openLedgerToRead, (name: string) => inspectLedger(name, { check: false })]) {
      const refused = (): unknown => open(file);
      expect(refused).toThrow(LedgerDamagedError);
      expect(refused).toThrow(`no release of Causeway has its schema version ${version}`);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  },
);

test('the guards of a new ledger hold', () => {
  openLedger(file, { check: true }).close();
  const db = new Database(file);
  db.exec(`INSERT INTO policy_version (version, snapshot, changes, author, created_at) VALUES (1, '{}', '[]', 'x', 'x');
    INSERT INTO quarantined_bundle VALUES (1, 0, 'x', x'00', x'00', 'x', 1, 'b', 1, NULL, NULL)`);
  expect(() => db.exec('UPDATE policy_version SET author = 1')).toThrow('never changed');
  expect(() => db.exec('DELETE FROM policy_version')).toThrow('never deleted');
  expect(() =>
    db.exec("INSERT INTO policy_version (version, snapshot, changes, author, created_at) VALUES (3, '', '', '', '')"),
  ).toThrow('without holes');
  expect(() => db.exec('INSERT OR REPLACE INTO quarantined_bundle SELECT * FROM quarantined_bundle')).toThrow(
    'never replaced',
  );
  expect(() => db.exec('DELETE FROM quarantined_bundle')).toThrow('never deleted');
  db.close();
});
