/** Before a migration a copy of the ledger is kept beside it (D170). This process is of the next release. */
import '../../../test/support/agent/as-next-release.ts';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoppedError, UNTOLD, type Stage } from '../../../shared/service/long-work/progress.ts';
import { verifyLedger } from '../../intake/maintenance/verify.ts';
import { LedgerDamagedError } from './errors.ts';
import { openLedger } from './ledger.ts';
import { PRESENT, NEXT } from '../../../test/support/agent/next-release.ts';
import { MIGRATED_STAGE } from './migrate.ts';
import { STEPS } from './migrations/index.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-copy-before-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeEarlier(): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(STEPS[0] ?? '');
  db.exec(
    "INSERT INTO policy_version (version, snapshot, changes, author, created_at) VALUES (1, '{}', '[]', 'x', 'x')",
  );
  db.pragma(`user_version = ${PRESENT}`);
  db.close();
}
const versionOf = (name: string): unknown => {
  const db = new Database(name, { readonly: true });
  try {
    return [db.pragma('user_version', { simple: true }), db.prepare('SELECT author FROM policy_version').pluck().all()];
  } finally {
    db.close();
  }
};

test('the first opening by a newer program keeps a copy of the earlier version, for its owner alone', () => {
  makeEarlier();
  writeFileSync(`${file}.schema-12`, 'the copy of an earlier upgrade');
  writeFileSync(`${file}.schema-of-mine`, 'not ours');
  const copy = `${file}.schema-${PRESENT}`;
  const ledger = openLedger(file);
  expect(ledger.migrated).toEqual({ from: PRESENT, copy, aside: [] });
  ledger.close();
  expect([versionOf(copy), versionOf(file)]).toEqual([
    [PRESENT, ['x']],
    [NEXT, ['x']],
  ]);
  if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600);
  const kept = readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));
  expect(kept.toSorted()).toEqual(['ledger.sqlite', `ledger.sqlite.schema-${PRESENT}`, 'ledger.sqlite.schema-of-mine']);
  const again = openLedger(file);
  expect(again.migrated).toBeNull();
  again.close();
});

test.skipIf(process.platform === 'win32')('of a ledger behind a link the copy lies beside the ledger', () => {
  makeEarlier();
  const link = path.join(folder, 'names', 'ledger.sqlite');
  mkdirSync(path.dirname(link));
  symlinkSync(file, link);
  const ledger = openLedger(link);
  expect(ledger.migrated).toEqual({ from: PRESENT, copy: `${file}.schema-${PRESENT}`, aside: [] });
  ledger.close();
  expect(readdirSync(path.dirname(link))).toEqual(['ledger.sqlite']);
});

test('the copy opens as a ledger, without a copy of its own', () => {
  makeEarlier();
  openLedger(file).close();
  const copy = openLedger(`${file}.schema-${PRESENT}`, { isCopy: true });
  expect(copy.migrated).toBeNull();
  expect(verifyLedger(copy).findings.filter((finding) => finding.includes('damaged'))).toEqual([]);
  copy.close();
  expect(existsSync(`${file}.schema-${PRESENT}.schema-${PRESENT}`)).toBe(false);
});

/** Opens the ledger and stops it before the step after `steps` ones. */
function stopAfter(steps: number): void {
  let told = 0;
  const at = (stage: string): void => {
    if (stage === MIGRATED_STAGE && told++ === steps) throw new StoppedError('The work was told to stop.');
  };
  expect(() => openLedger(file, { progress: { ...UNTOLD, at } })).toThrow(StoppedError);
}

test('a migration that was stopped keeps the copy of its beginning, however often it goes on', () => {
  for (let steps = 0; steps < NEXT - PRESENT; steps += 1) {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    makeEarlier();
    stopAfter(steps);
    stopAfter(0);
    const ledger = openLedger(file);
    expect(ledger.migrated).toEqual({ from: PRESENT, copy: `${file}.schema-${PRESENT}`, aside: [] });
    ledger.close();
    expect(versionOf(`${file}.schema-${PRESENT}`)).toEqual([PRESENT, ['x']]);
    expect(readdirSync(folder).filter((name) => name.includes('schema'))).toEqual([`ledger.sqlite.schema-${PRESENT}`]);
  }
});

test('what is copied already is neither planned nor copied again', () => {
  makeEarlier();
  stopAfter(2);
  const plans: (readonly Stage[])[] = [];
  const copied = statSync(`${file}.schema-${PRESENT}`);
  openLedger(file, { progress: { ...UNTOLD, plan: (stages) => plans.push(stages) } }).close();
  expect(plans.map((stages) => stages.map(({ units }) => units))).toEqual([[0, NEXT - PRESENT - 2]]);
  expect(statSync(`${file}.schema-${PRESENT}`)).toMatchObject({
    ino: copied.ino,
    mtimeMs: copied.mtimeMs,
  });
});

test.each([
  ['that went back to its copy', `schema-${PRESENT}.migrating-to-${NEXT}`],
  ['whose former migration was killed at its end', `schema-${PRESENT - 1}.migrating-to-${PRESENT}`],
])('a ledger %s is copied again', (_what, mark) => {
  makeEarlier();
  for (const name of [mark, mark.replace(/\.migrating.*/, '')]) writeFileSync(`${file}.${name}`, '');
  openLedger(file).close();
  expect(versionOf(`${file}.schema-${PRESENT}`)).toEqual([PRESENT, ['x']]);
  expect(readdirSync(folder).filter((name) => name.includes('schema'))).toEqual([`ledger.sqlite.schema-${PRESENT}`]);
});

test('a new ledger has no copy', () => {
  const ledger = openLedger(file);
  expect(ledger.migrated).toBeNull();
  ledger.close();
  expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
});

test('a damaged ledger is not migrated', () => {
  makeEarlier();
  const db = new Database(file);
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'policy_version'").pluck().get() as number;
  const size = db.pragma('page_size', { simple: true }) as number;
  db.pragma('journal_mode = DELETE');
  db.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 7), 0, size, (page - 1) * size);
  closeSync(handle);
  expect(() => openLedger(file)).toThrow(LedgerDamagedError);
  const left = new Database(file, { readonly: true });
  expect(left.pragma('user_version', { simple: true })).toBe(PRESENT);
  left.close();
  expect(readdirSync(folder).filter((name) => name.includes('schema'))).toEqual([]);
});

test('the half copy of a process that was killed is removed, that of one that runs is not', () => {
  makeEarlier();
  const ended = spawnSync(process.execPath, ['--eval', '']).pid;
  const [left, others] = [
    `${file}.schema-${PRESENT}.unfinished-${ended}`,
    `${file}.schema-${PRESENT}.unfinished-${process.ppid}`,
  ];
  for (const name of [left, others]) writeFileSync(name, 'half');
  openLedger(file).close();
  expect([existsSync(left), existsSync(others)]).toEqual([false, true]);
});
