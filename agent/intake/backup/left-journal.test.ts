/** A journal that an attempt which ended in the middle has left: SQLite would write its pages into the next file of the name. */
import { copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { RESTORE_ALONE } from '../../../test/support/agent/intake.ts';
import { backupLedger } from './backup.ts';
import { restoreLedger } from './restore.ts';

let ledger: Ledger;
let folder: string;
let backup: string;
beforeEach(async () => {
  const made = testLedger();
  ({ ledger } = made);
  folder = path.dirname(made.file);
  backup = path.join(folder, 'backup.sqlite');
  await backupLedger(ledger, backup);
});

/** Lays the journal of another ledger's unfinished change beside a file that is not there yet. */
function leaveJournal(file: string): void {
  const other = path.join(folder, 'other.sqlite');
  copyFileSync(backup, other);
  const db = new Database(other);
  db.exec("UPDATE sync_state SET last_error_message = 'of another ledger'");
  // Without a sync each page is in the journal before it is changed.
  db.exec("PRAGMA synchronous = OFF; BEGIN; UPDATE sync_state SET last_error_message = 'unfinished'");
  copyFileSync(`${other}-journal`, `${file}-journal`);
  db.exec('ROLLBACK');
  db.close();
}

function lastError(file: string): string | null | undefined {
  const opened = openLedger(file, { create: false });
  try {
    return opened.first(sqlite.selectFrom('sync_state').select('last_error_message'))?.last_error_message;
  } finally {
    opened.close();
  }
}

test('an earlier restore that ended in the middle does not keep this one from its place', async () => {
  const file = path.join(folder, 'restored.sqlite');
  leaveJournal(`${file}.incoming`);
  await restoreLedger({
    file,
    backup,
    ...RESTORE_ALONE,
    now: new Date(Date.UTC(2026, 10, 1)),
  });
  expect(lastError(file)).toBeNull();
  expect(existsSync(`${file}.incoming-journal`)).toBe(false);
});
