import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { LedgerDamagedError, LedgerLockedError, LedgerTooNewError, LedgerUnreachableError } from './errors.ts';
import { openLedger, type OpenOptions } from './ledger.ts';
import { sqlite } from './query.ts';
import { LEDGER_VERSION } from './migrate.ts';
import { syncStatus } from '../inbox/sync-state.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { hasChangedSince, markOf, watchLedger } from './watch.ts';

const folders: string[] = [];
function newFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-ledger-'));
  folders.push(folder);
  return path.join(folder, 'ledger.sqlite');
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('opening', () => {
  test('commits are synced and the log is written back soon, unless a part that only counts leaves both (D164)', () => {
    const file = newFile();
    const pragmas = (options: OpenOptions = {}) => {
      const ledger = openLedger(file, options);
      const found = ['synchronous', 'wal_autocheckpoint'].map((name) =>
        Object.values(ledger.first(sql<Record<string, number>>`PRAGMA ${sql.raw(name)}`) ?? {}),
      );
      ledger.close();
      return found.flat();
    };
    expect(pragmas()).toEqual([2, 2_000]);
    expect(pragmas({ synced: false, leavesLog: true })).toEqual([1, 8_000]);
  });

  test('a new file becomes an empty ledger', () => {
    const file = newFile();
    const ledger = openLedger(file, { check: true });
    expect(syncStatus(ledger, new Date())).toMatchObject({
      state: 'NEVER',
      committedCursor: 0,
      appliedCursor: 0,
      head: null,
      lastAttemptAt: null,
      lastSuccessAt: null,
      lastError: null,
      heldInvalidations: 0,
      rejectedEntries: 0,
      quarantinedBundles: 0,
      quarantinedUnseen: 0,
      quarantinedDropped: 0,
      waitSeconds: null,
      waitCutSeconds: null,
      darkTickers: [],
    });
    ledger.close();
    const raw = new Database(file);
    expect(raw.pragma('user_version', { simple: true })).toBe(LEDGER_VERSION);
    expect(raw.pragma('journal_mode', { simple: true })).toBe('wal');
    raw.close();
  });

  test('a new file and those beside it are for their owner alone', () => {
    const file = newFile();
    const umask = process.umask(0);
    const ledger = openLedger(file);
    process.umask(umask);
    ledger.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ head: 1 })));
    const modes = ['', '-wal', '-shm'].map((end) => (statSync(`${file}${end}`).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '600', '600']);
    ledger.close();
  });

  test('a ledger of a newer program is refused and left as it is', () => {
    const file = newFile();
    const raw = new Database(file);
    raw.pragma('user_version = 999');
    raw.close();
    expect(() => openLedger(file)).toThrow(LedgerTooNewError);
    expect(() => openLedger(file)).toThrow(/schema version 999.*newer/);
    const after = new Database(file);
    expect(after.pragma('user_version', { simple: true })).toBe(999);
    expect(after.pragma('journal_mode', { simple: true })).toBe('delete');
    after.close();
  });

  test('a ledger that a newer program takes over while it is open is no longer written', () => {
    const file = newFile();
    const ledger = openLedger(file);
    const newer = new Database(file);
    newer.pragma(`user_version = ${LEDGER_VERSION + 1}`);
    newer.close();
    expect(() => ledger.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ head: 7 })))).toThrow(
      LedgerTooNewError,
    );
    expect(ledger.first(sqlite.selectFrom('sync_state').select('head'))).toEqual({ head: null });
    ledger.close();
  });

  test('a file that is no ledger is refused as damaged', () => {
    const file = newFile();
    writeFileSync(file, 'this is a text and no database, long enough to be read as one '.repeat(20));
    expect(() => openLedger(file)).toThrow(LedgerDamagedError);
  });

  test('a missing folder is reported', () => {
    expect(() => openLedger(path.join(newFile(), 'no', 'such', 'ledger.sqlite'))).toThrow(LedgerUnreachableError);
  });

  test('a file that another program holds is refused as locked', () => {
    const file = newFile();
    openLedger(file).close();
    const holder = new Database(file);
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN EXCLUSIVE');
    expect(() => openLedger(file, { busyTimeoutMs: 50 })).toThrow(LedgerLockedError);
    holder.close();
    openLedger(file).close();
  });

  test('many processes that make the same new ledger at once all succeed', () => {
    const file = newFile();
    const script = `
      import { openLedger } from ${JSON.stringify(new URL('./ledger.ts', import.meta.url).href)};
      openLedger(process.argv[1]).close();`;
    const all = `for i in 1 2 3 4 5 6; do "$0" --input-type=module -e "$1" "$2" & pids="$pids $!"; done; for p in $pids; do wait $p || exit 1; done`;
    const done = spawnSync('sh', ['-c', all, process.execPath, script, file], { encoding: 'utf8' });
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
  });
});

describe('writing', () => {
  test('a write that throws leaves nothing', () => {
    const ledger = openLedger(newFile());
    const add = sqlite.insertInto('channel').values({ channel: 'MTS', key_hash: 'h', created_at: 'now' });
    expect(() =>
      ledger.write((tx) => {
        tx.run(add);
        throw new Error('halfway');
      }),
    ).toThrow('halfway');
    expect(ledger.all(sqlite.selectFrom('channel').selectAll())).toEqual([]);
    ledger.close();
  });
});

describe('watching', () => {
  test("another connection's news is seen once; changes without news are not seen", () => {
    const file = newFile();
    const writer = openLedger(file);
    const reader = openLedger(file);
    const watcher = watchLedger(reader, systemClock, () => false);
    expect(watcher.news()).toBeNull();
    const mark = markOf(reader, systemClock);
    expect(hasChangedSince(reader, mark, systemClock, () => false)).toBe(false);
    writer.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ state: 'OK', last_success_at: 'x' })));
    expect(hasChangedSince(reader, mark, systemClock, () => false)).toBe(true);
    expect(watcher.news()).toBe('ANYTHING');
    expect(watcher.news()).toBeNull();
    const later = markOf(reader, systemClock);
    writer.write((tx) =>
      tx.run(sqlite.insertInto('traffic_minute').values({ minute: 1, channel: 'MTS', outcome: 'SERVED', requests: 1 })),
    );
    expect(watcher.news()).toBeNull();
    expect(hasChangedSince(reader, later, systemClock, () => false)).toBe(false);
    // Time alone, and a mark of nothing known.
    expect(hasChangedSince(reader, later, systemClock, (_, since) => since <= systemClock.now())).toBe(true);
    expect(hasChangedSince(reader, 'unknown', systemClock, () => false)).toBe(true);
    writer.close();
    reader.close();
  });
});

test.skipIf(process.platform !== 'linux')(
  'the scratch database is a file, whatever statements may keep in memory',
  () => {
    const ledger = openLedger(newFile());
    const storeOf = () => ledger.first(sql<{ temp_store: number }>`PRAGMA temp_store`)?.temp_store;
    const before = storeOf();
    /** Bytes of open files without a name: SQLite opens its temporary ones so. */
    const nameless = (): number =>
      readdirSync('/proc/self/fd').reduce((sum, fd) => {
        const found = statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false });
        return found?.isFile() === true && found.nlink === 0 ? sum + found.size : sum;
      }, 0);
    const bytes = ledger.withScratch((execute) => {
      execute('CREATE TABLE scratch.row (value)');
      // More than the pages that it keeps in memory.
      execute(`INSERT INTO scratch.row
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40) SELECT zeroblob(1000000) FROM n`);
      return nameless();
    });
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(storeOf()).toBe(before);
    ledger.close();
  },
);
