/**
 * A log that a killed program has left beside the ledger's name, while somebody has moved the ledger itself away: SQLite
 * would write it into whatever file gets that name next.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chainEnd, recordAction } from '../../ledger/audit/audit.ts';
import { LedgerDamagedError, LedgerLogLeftError } from '../../ledger/storage/errors.ts';
import { inspectLedger } from '../../ledger/storage/inspect.ts';
import { LOGS } from '../../ledger/storage/leftovers.ts';
import { lookInto } from '../../ledger/storage/read-only.ts';
import { isHeldByAnother } from '../../ledger/storage/write-lock.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { IntakeRunsAlreadyError, lockReception } from '../../ledger/storage/single-writer-lock.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { RESTORE_ALONE } from '../../../test/support/agent/intake.ts';
import { backupLedger, positionOf } from './backup.ts';
import { refuseOtherThan, restoreLedger, type Restored } from './restore.ts';
import { some } from '../../../test/support/runs.ts';

let ledger: Ledger;
let folder: string;
let file: string;
let backup: string;
const NOW = new Date('2026-11-28T03:30:00.000Z');

beforeEach(async () => {
  ({ ledger } = testLedger());
  ({ file } = ledger);
  folder = path.dirname(file);
  backup = path.join(folder, 'backup.sqlite');
  act(3);
  await backupLedger(ledger, backup);
});
afterEach(() => {
  ledger.close();
});

function act(times: number): void {
  for (let n = 0; n < times; n += 1)
    ledger.write((tx) =>
      recordAction(tx, {
        at: NOW.toISOString(),
        actor: { kind: 'SYSTEM' },
        action: 'x',
        targetType: 'x',
        targetId: null,
        detail: {},
      }),
    );
}

/** As after SIGKILL, and after somebody has moved the ledger's file alone away. Gives the bytes of what stays. */
function leave(ends: readonly string[]): Map<string, Buffer> {
  act(200);
  const left = new Map(
    ends.map((end) => [`${file}${end}`, end === '-journal' ? Buffer.alloc(700, 7) : readFileSync(`${file}${end}`)]),
  );
  ledger.close();
  renameSync(file, `${file}.broken`);
  for (const [name, bytes] of left) writeFileSync(name, bytes);
  return left;
}

const restore = (older: 'EXPOSED' | 'HELD' | 'REFUSED' = 'EXPOSED'): Promise<Restored> =>
  restoreLedger({ file, backup, ...RESTORE_ALONE, older, now: NOW });

const SUBSETS = Array.from({ length: 2 ** LOGS.length }, (_, bits) => LOGS.filter((_end, at) => bits & (1 << at)));

describe.each(['EXPOSED', 'HELD'] as const)('a restore (%s)', (older) => {
  test.each(
    some(
      3,
      SUBSETS.map((ends) => [ends.join(' ') || 'nothing', ends] as const),
    ),
  )(
    'beside %s: the restored ledger is the backup, and what was there keeps its bytes under another name',
    async (_name, ends) => {
      const left = leave(ends);
      const restored = await restore(older);
      expect(restored.kept).toBeNull();
      expect(restored.aside.map(({ from }) => from).toSorted()).toEqual([...left.keys()].toSorted());
      for (const { from, to } of restored.aside) expect(readFileSync(to).equals(left.get(from) ?? NOTHING)).toBe(true);
      const opened = openLedger(file, { create: false, check: true });
      // The backup's three rows and the restore's own; held texts have a row of their own.
      expect(chainEnd(opened).seq).toBeGreaterThanOrEqual(4);
      expect(opened.faults()).toEqual([]);
      opened.close();
    },
  );
});
const NOTHING = Buffer.alloc(0);

test('a log that is a dangling link is a leftover too', async () => {
  leave([]);
  symlinkSync(path.join(folder, 'away', 'log'), `${file}-wal`);
  expect((await restore()).aside).toEqual([{ from: `${file}-wal`, to: `${file}.left-1-wal` }]);
  expect(lstatSync(`${file}.left-1-wal`).isSymbolicLink()).toBe(true);
  symlinkSync(path.join(folder, 'away', 'log'), `${folder}/none-wal`);
  expect(() => openLedger(`${folder}/none`)).toThrow(LedgerLogLeftError);
});

describe.each([0, 1])('beside an empty ledger (%i bytes)', (bytes) => {
  test.each(['-wal', '-journal'] as const)('a %s is kept apart from it, and the backup restored', async (end) => {
    const left = leave([end]);
    writeFileSync(file, Buffer.alloc(bytes));
    const { kept, aside } = await restore();
    expect(readFileSync(kept ?? '')).toHaveLength(bytes);
    expect(aside).toEqual([{ from: `${file}${end}`, to: `${file}.left-1${end}` }]);
    expect(readFileSync(`${file}.left-1${end}`).equals(left.get(`${file}${end}`) ?? NOTHING)).toBe(true);
    const opened = openLedger(file, { create: false, check: true });
    expect(chainEnd(opened).seq).toBe(4);
    opened.close();
  });
});

test.each<[string, '-wal' | '-journal', (bytes: Buffer) => Buffer]>([
  ['of another program', '-wal', () => Buffer.from('a text and no ledger'.repeat(100))],
  ['of another program', '-journal', () => Buffer.from('a text and no ledger'.repeat(100))],
  ['that is cut', '-wal', (bytes) => bytes.subarray(0, bytes.length / 2)],
])('a ledger %s and its %s are kept as they are before anything opens them', async (_what, end, harm) => {
  const harmed = harm(readFileSync(file));
  const left = leave([end]).get(`${file}${end}`) ?? NOTHING;
  writeFileSync(file, harmed);
  expect(() => openLedger(file, { check: true })).toThrow(LedgerDamagedError);
  const { kept, aside } = await restore();
  expect(readFileSync(kept ?? '').equals(harmed)).toBe(true);
  expect(readFileSync(`${kept}${end}`).equals(left)).toBe(true);
  expect(aside).toContainEqual({ from: `${file}${end}`, to: `${kept}${end}` });
});

test('a damaged ledger beside its log is still compared with the backup', async () => {
  const page = rootPageOf('raw_archive');
  const harmed = readFileSync(file).fill(7, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  const left = leave(['-wal']).get(`${file}-wal`) ?? NOTHING;
  writeFileSync(file, harmed);
  expect(() => openLedger(file, { check: true })).toThrow(LedgerDamagedError);
  await expect(restore('REFUSED')).rejects.toThrow(/holds 200 actions that the backup does not have/);
  expect(readFileSync(file).equals(harmed) && readFileSync(`${file}-wal`).equals(left)).toBe(true);
});

const PAGE_BYTES = 8192;
const rootPageOf = (table: string): number =>
  ledger.first(sql<{ page: number }>`SELECT rootpage AS page FROM sqlite_schema WHERE name = ${table}`)?.page ?? 0;

describe.skipIf(process.platform === 'win32')('the name of the ledger is a link', () => {
  let disk: string;
  let target: string;
  beforeEach(() => {
    disk = path.join(folder, 'disk');
    target = path.join(disk, 'real.sqlite');
    mkdirSync(disk);
  });

  /** As after SIGKILL: the ledger of this name lies on another disk, with its log and a link of a link to it. */
  function leaveBehindLink(bytes: Buffer | null): Buffer {
    const log = leave(['-wal']).get(`${file}-wal`) ?? NOTHING;
    renameSync(`${file}-wal`, `${target}-wal`);
    if (bytes !== null) writeFileSync(target, bytes);
    symlinkSync('disk/next.sqlite', file);
    symlinkSync('real.sqlite', path.join(disk, 'next.sqlite'));
    return log;
  }

  /** The link stays, and the restored ledger, with the keys of the host, is where it leads. */
  function expectRestored(): void {
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    const opened = openLedger(target, { create: false, check: true });
    expect(chainEnd(opened).seq).toBe(4);
    opened.close();
    expect(existsSync(path.join(disk, 'record.key'))).toBe(false);
  }

  test('a first start beside the log of a target that is away is refused, and nothing is touched', () => {
    const log = leaveBehindLink(null);
    expect(() => openLedger(file)).toThrow(`${target}-wal`);
    expect(readFileSync(`${target}-wal`).equals(log)).toBe(true);
    expect(existsSync(target)).toBe(false);
  });

  test('a restore in place of a target that is away sets its log aside', async () => {
    const log = leaveBehindLink(null);
    expect((await restore()).aside).toEqual([{ from: `${target}-wal`, to: `${target}.left-1-wal` }]);
    expect(readFileSync(`${target}.left-1-wal`).equals(log)).toBe(true);
    expectRestored();
  });

  test('a restore in place of a damaged target keeps it with its log', async () => {
    const harmed = Buffer.from('a text and no ledger'.repeat(100));
    const log = leaveBehindLink(harmed);
    const { kept, aside } = await restore();
    expect(kept).toMatch(`${target}.before-`);
    expect(aside).toContainEqual({ from: `${target}-wal`, to: `${kept}-wal` });
    expect(readFileSync(kept ?? '').equals(harmed) && readFileSync(`${kept}-wal`).equals(log)).toBe(true);
    expectRestored();
  });

  test('a new ledger is made where the link leads, for its owner alone, and has one lock by both names', () => {
    leave([]);
    symlinkSync(target, file);
    ledger = openLedger(file);
    expect(lstatSync(target).mode & 0o777).toBe(0o600);
    const release = lockReception(file);
    expect(() => lockReception(target)).toThrow(IntakeRunsAlreadyError);
    release();
  });
});

test('a second restore sets the next log aside under a name of its own', async () => {
  leave(['-wal']);
  const [first] = (await restore()).aside;
  ledger = openLedger(file);
  leave(['-wal']);
  const [second] = (await restore()).aside;
  expect(first?.to).not.toBe(second?.to);
  for (const one of [first, second]) expect(existsSync(one?.to ?? '')).toBe(true);
});

test('a ledger that a log has changed under its final name is not the restored one', () => {
  act(1);
  const reached = positionOf(ledger);
  ledger.foldLog();
  refuseOtherThan(reached, file);
  act(1);
  expect(() => refuseOtherThan(reached, file)).toThrow('is not what was restored (its last row is another one)');
  ledger.close();
  writeFileSync(file, 'no ledger at all');
  expect(() => refuseOtherThan(reached, file)).toThrow(/is not what was restored \(The ledger .* is damaged/);
});

test.each([
  ['of no byte', ''],
  ['of another program', 'a text and no ledger'],
])('a file %s is no backup', async (_what, bytes) => {
  backup = path.join(folder, 'empty.sqlite');
  writeFileSync(backup, bytes);
  ledger.close();
  const before = readFileSync(file);
  await expect(restore()).rejects.toThrow(/holds no ledger|is not a ledger/);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('incoming'))).toEqual([]);
});

describe('a first start', () => {
  test.each(['-wal', '-journal'] as const)('beside a left %s is refused, and nothing is touched', (end) => {
    const left = leave([end]);
    expect(() => openLedger(file)).toThrow(LedgerLogLeftError);
    expect(() => openLedger(file)).toThrow(`${file}${end}`);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(`${file}${end}`).equals(left.get(`${file}${end}`) ?? NOTHING)).toBe(true);
  });

  test.each(['-wal', '-journal'] as const)(
    'with an empty file in place of the ledger and a %s is refused',
    async (end) => {
      const left = leave([end]);
      for (const bytes of [0, 1]) {
        writeFileSync(file, Buffer.alloc(bytes));
        expect(() => openLedger(file)).toThrow(LedgerLogLeftError);
        // Every look at it would delete the log.
        expect(lookInto(file, () => true)).toBeNull();
        expect(() => inspectLedger(file, { check: false })).toThrow(LedgerLogLeftError);
        expect(await isHeldByAnother(file)).toBe(false);
      }
      expect(readFileSync(`${file}${end}`).equals(left.get(`${file}${end}`) ?? NOTHING)).toBe(true);
    },
  );

  test('beside a journal that another process has while it makes the ledger waits for it', () => {
    const end = leave([]).size;
    writeFileSync(file, '');
    writeFileSync(`${file}-journal`, 'of a ledger that is being made');
    spawn(process.execPath, [
      '-e',
      `setTimeout(() => require('node:fs').rmSync(process.argv[1]), 100)`,
      `${file}-journal`,
    ]);
    ledger = openLedger(file);
    expect(chainEnd(ledger).seq).toBe(end);
  });

  /** The header of a rollback journal: its mark, and how many pages the file had before. */
  const journal = (mark: string, pages: number): Buffer => {
    const header = Buffer.alloc(512);
    header.write(mark, 'hex');
    header.writeUInt32BE(pages, 16);
    header.writeUInt32BE(512, 20);
    return header;
  };

  test.each(['d9d505f920a163d7', '0000000000000000'])(
    'after a first start that was killed begins: its journal (mark %s) keeps no page',
    (mark) => {
      leave([]);
      writeFileSync(`${file}-journal`, journal(mark, 0));
      for (const isEmptyThere of [true, false]) {
        if (isEmptyThere) writeFileSync(file, '');
        openLedger(file).close();
        rmSync(file);
        writeFileSync(`${file}-journal`, journal(mark, 0));
      }
      rmSync(`${file}-journal`);
      writeFileSync(`${file}-journal`, journal(mark, 3));
      expect(() => openLedger(file)).toThrow(LedgerLogLeftError);
    },
  );

  test('beside a log without a byte, or the index of a log alone, begins', () => {
    leave(['-wal', '-shm']);
    truncateSync(`${file}-wal`, 0);
    ledger = openLedger(file);
    act(1);
    expect(chainEnd(ledger).seq).toBe(1);
  });
});

test('a sound ledger that is replaced names no log: it has been folded', async () => {
  act(5);
  ledger.close();
  expect(await restore()).toMatchObject({ kept: expect.any(String) as string, aside: [] });
});

test('a backup beside the log of an earlier one of its name is that backup', async () => {
  act(5);
  const again = path.join(folder, 'again.sqlite');
  copyFileSync(`${file}-wal`, `${again}-wal`);
  expect((await backupLedger(ledger, again)).aside).toEqual([{ from: `${again}-wal`, to: `${again}.left-1-wal` }]);
  const opened = openLedger(again, { create: false, check: true });
  expect(chainEnd(opened)).toEqual(chainEnd(ledger));
  opened.close();
});

test('a ledger that was not closed, named as a backup, is refused with its log: it may hold the last decisions', async () => {
  const copied = path.join(folder, 'copied.sqlite');
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copied}${end}`);
  ledger.close();
  backup = copied;
  await expect(restore()).rejects.toThrow(`has a log beside it (${copied}-wal)`);
  truncateSync(`${copied}-wal`, 0);
  expect((await restore()).position.committed).toBe(0);
});

test('what an unfinished restore has left is no backup, and is not deleted as one', async () => {
  const left = `${file}.incoming`;
  copyFileSync(backup, left);
  ledger.close();
  backup = left;
  await expect(restore()).rejects.toThrow('left unfinished');
  expect(existsSync(left)).toBe(true);
});
