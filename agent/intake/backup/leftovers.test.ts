/**
 * A log that a killed program has left beside the ledger's name, while somebody has moved the ledger itself away: SQLite
 * would write it into whatever file gets that name next.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chainEnd, recordAction } from '../../ledger/audit/audit.ts';
import { LedgerLogLeftError } from '../../ledger/storage/errors.ts';
import { LOGS } from '../../ledger/storage/leftovers.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { temporaryLedger } from '../../ledger/testing.ts';
import { RESTORE_ALONE } from '../testing.ts';
import { backupLedger, positionOf } from './backup.ts';
import { refuseOtherThan, restoreLedger, type Restored } from './restore.ts';

let ledger: Ledger;
let dispose: () => void;
let folder: string;
let file: string;
let backup: string;
const NOW = new Date('2026-11-28T03:30:00.000Z');

beforeEach(async () => {
  ({ ledger, dispose } = temporaryLedger());
  ({ file } = ledger);
  folder = path.dirname(file);
  backup = path.join(folder, 'backup.sqlite');
  act(3);
  await backupLedger(ledger, backup);
});
afterEach(() => {
  ledger.close();
  dispose();
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
  test.each(SUBSETS.map((ends) => [ends.join(' ') || 'nothing', ends] as const))(
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

  test('with an empty file in place of the ledger and a log beside it is refused', () => {
    leave(['-wal']);
    writeFileSync(file, '');
    expect(() => openLedger(file)).toThrow(LedgerLogLeftError);
    expect(existsSync(`${file}-wal`)).toBe(true);
  });

  test('beside a log without a byte, or the index of a log alone, begins', () => {
    leave(['-wal', '-shm']);
    truncateSync(`${file}-wal`, 0);
    ledger = openLedger(file);
    act(1);
    expect(chainEnd(ledger).seq).toBe(1);
  });
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
