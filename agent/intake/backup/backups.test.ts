/** Scheduled backups: old ones are removed only after a new one is verified. */
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { LedgerLockedError } from '../../ledger/storage/errors.ts';
import {
  lockReception,
  lockMaintenance,
  IntakeRunsAlreadyError,
  UpkeepRunsAlreadyError,
} from '../../ledger/storage/single-writer-lock.ts';
import { readHead, recordPull } from '../../ledger/inbox/sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { RESTORE_ALONE } from '../../../test/support/agent/intake.ts';
import { BackupError } from './backup.ts';
import { restoreLedger } from './restore.ts';
import { addBackup, backupsIn } from './backups.ts';

let ledger: Ledger;
let folder: string;
beforeEach(() => {
  const made = testLedger();
  ({ ledger } = made);
  folder = path.join(path.dirname(made.file), 'backups');
});

const at = (day: number): Date => new Date(Date.UTC(2026, 10, day, 3, 30));

test('the newest are kept, and what others put there stays', async () => {
  for (const day of [1, 2]) await addBackup(ledger, folder, 2, at(day));
  writeFileSync(path.join(folder, 'ledger-of-last-year.sqlite'), '');
  const { file, removed, isOnSameDisk } = await addBackup(ledger, folder, 2, at(3));
  expect([path.basename(file), removed, isOnSameDisk]).toEqual([
    'ledger-20261103T033000Z.sqlite',
    ['ledger-20261101T033000Z.sqlite'],
    true,
  ]);
  expect(readdirSync(folder).toSorted()).toEqual([
    'ledger-20261102T033000Z.sqlite',
    'ledger-20261103T033000Z.sqlite',
    'ledger-of-last-year.sqlite',
  ]);
  openLedger(file, { create: false, check: true }).close();
});

test('the log of an earlier one of its name is set aside, and told', async () => {
  const { file, aside } = await addBackup(ledger, folder, 2, at(1));
  expect(aside).toEqual([]);
  rmSync(file);
  writeFileSync(`${file}-wal`, 'a log');
  expect((await addBackup(ledger, folder, 2, at(1))).aside).toEqual([
    { from: `${file}-wal`, to: `${file}.left-1-wal` },
  ]);
});

test('when the new one cannot be written, the old ones stay', async () => {
  await addBackup(ledger, folder, 1, at(1));
  writeFileSync(path.join(folder, 'ledger-20261102T033000Z.sqlite'), 'another has this name');
  await expect(addBackup(ledger, folder, 1, at(2))).rejects.toThrow(BackupError);
  expect(backupsIn(folder)).toEqual(['ledger-20261102T033000Z.sqlite', 'ledger-20261101T033000Z.sqlite']);
});

test('the new one stays, despite names from a clock that was ahead', async () => {
  await addBackup(ledger, folder, 1, at(21));
  const { file, removed } = await addBackup(ledger, folder, 1, at(20));
  expect(removed).toEqual(['ledger-20261121T033000Z.sqlite']);
  expect(backupsIn(folder)).toEqual([path.basename(file)]);
});

test('the write-ahead log of a killed restore is not read into the next one', async () => {
  const { file: backup } = await addBackup(ledger, folder, 1, at(1));
  const file = path.join(folder, 'restored.sqlite');
  const killed = openLedger(`${file}.incoming`);
  killed.write((tx) => recordPull(tx, { at: at(1).toISOString(), head: 7 }));
  const log = readFileSync(`${file}.incoming-wal`);
  killed.close();
  writeFileSync(`${file}.incoming-wal`, log);
  const restored = await restoreLedger({
    file,
    backup,
    ...RESTORE_ALONE,
    now: at(2),
  });
  expect(restored).toMatchObject({ kept: null, behind: null });
  const opened = openLedger(file, { create: false, check: true });
  expect(readHead(opened)).toBeNull();
  opened.close();
});

test('a folder that cannot be made is reported with the name of its variable', async () => {
  writeFileSync(folder, 'a file');
  await expect(addBackup(ledger, folder, 1, at(1))).rejects.toThrow('in CAUSEWAY_BACKUP_FOLDER cannot be made');
  rmSync(folder);
  expect(existsSync(folder)).toBe(false);
});

test('while a restored ledger catches up, no other process has the present one, and vice versa', async () => {
  const { file: backup } = await addBackup(ledger, folder, 1, at(1));
  const { file } = ledger;
  const restore = (catchUp: () => Promise<null>) =>
    restoreLedger({
      file,
      backup,
      ...RESTORE_ALONE,
      catchUp,
      now: at(2),
    });
  const nothing = () => Promise.resolve(null);
  await expect(restore(nothing)).rejects.toThrow('is in use');
  ledger.close();
  const release = lockReception(file);
  await expect(restore(nothing)).rejects.toThrow('stop it first');
  release();
  await restore(() => {
    expect(() => openLedger(file, { busyTimeoutMs: 10 })).toThrow(LedgerLockedError);
    expect(() => lockReception(file)).toThrow(IntakeRunsAlreadyError);
    expect(() => lockMaintenance(file)).toThrow(UpkeepRunsAlreadyError);
    return Promise.resolve(null);
  });
  ledger = openLedger(file, { busyTimeoutMs: 10, check: true });
  lockReception(file)();
});

test('what a killed run has left is removed a day later, and no other file', async () => {
  await addBackup(ledger, folder, 2, at(1));
  const left = ['ledger-20261101T033001Z.sqlite.unfinished', 'ledger-20261101T033001Z.sqlite.unfinished-wal'];
  const mine = 'ledger-of-mine.sqlite.unfinished';
  const present = (): string[] => readdirSync(folder).filter((name) => name.includes('unfinished'));
  for (const name of [...left, mine]) {
    writeFileSync(path.join(folder, name), 'half');
    utimesSync(path.join(folder, name), at(2), at(2));
  }
  await addBackup(ledger, folder, 2, new Date(at(2).getTime() + 86_400_000));
  // Another run may be writing it.
  expect(present().toSorted()).toEqual([...left, mine]);
  await addBackup(ledger, folder, 2, new Date(at(3).getTime() + 1_000));
  expect(present()).toEqual([mine]);
});
