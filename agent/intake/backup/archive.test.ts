/** Raw bodies in archive files: verification, retrieval, copies in backups, and refusals. */
import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { archivedBody, archiveFiles } from '../../ledger/inbox/raw-archive.ts';
import { commitBundle, moveToQuarantine } from '../../ledger/inbox/raw-bundles.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyNext } from '../apply/apply.ts';
import { archiveRawBodies } from './archive.ts';
import { backupLedger } from './backup.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { restoreLedger } from './restore.ts';
import { createEntryScreening } from '../apply/screening.ts';
import {
  bodyOf,
  bundleOf,
  changeOnDisk,
  newAt,
  readableLog,
  RESTORE_ALONE,
  TENANT,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from '../maintenance/verify.ts';

const NOW = new Date('2026-11-20T00:00:00.000Z');
const BUNDLES = 6;
const MOVED = 4;
let ledger: Ledger;
let file: string;
const bodies: Buffer[] = [];

beforeEach(() => {
  ({ ledger, file } = testLedger());
  bodies.length = 0;
  for (let cursor = 0; cursor < BUNDLES; cursor++) {
    const bundle = bundleOf(cursor, [newAt(cursor + 1, `r${cursor}`)], { bundle_id: `b${cursor}` });
    const body = bodyOf(bundle);
    bodies.push(body);
    // The first four came a year ago.
    const receivedAt = `${cursor < MOVED ? 2025 : 2026}-11-19T00:00:0${cursor}.000Z`;
    ledger.write((tx) =>
      commitBundle(tx, {
        ...{ cursorFrom: cursor, cursorTo: cursor + 1, bundleId: `b${cursor}`, entryCount: 1, tenantId: TENANT },
        ...{ body, signature: null, statement: null, receivedAt },
      }),
    );
  }
  const { log } = readableLog();
  while (applyNext({ ledger, screenEntry: createEntryScreening(log), clock: { now: () => NOW }, log }));
});

const archive = (): string => archiveFiles(ledger)[0] ?? '';
const findings = (of = ledger): string[] => verifyLedger(of).findings;
const stored = (): number[] =>
  ledger.all(sqlite.selectFrom('raw_bundle').select('body').orderBy('cursor_from')).map(({ body }) => body.length);

test('old raw bodies leave the ledger, and are verified in the archive', () => {
  const moved = archiveRawBodies(ledger, 180, NOW);
  expect(moved).toMatchObject({
    bundles: MOVED,
    bytes: bodies.slice(0, MOVED).reduce((sum, { length }) => sum + length, 0),
  });
  expect(moved.archived).toBe(statSync(archive()).size);
  expect(moved.archived).toBeLessThan(moved.bytes);
  expect(stored().map((length) => length > 0)).toEqual([false, false, false, false, true, true]);
  expect(statSync(archive()).mode & 0o777).toBe(0o600);
  expect(path.dirname(archive())).toBe(path.dirname(file));
  // The archive holds the bodies frame after frame, byte for byte; Node's own decoder ends with the first frame.
  expect(zstdDecompressSync(readFileSync(archive())).equals(bodies[0] ?? Buffer.alloc(0))).toBe(true);
  expect(findings()).toEqual([]);
  expect(archiveRawBodies(ledger, 180, NOW).bundles).toBe(0);
});

test('a rebuild derives from the archive', () => {
  archiveRawBodies(ledger, 180, NOW);
  const disk = new Database(file);
  disk.exec("UPDATE explanation SET etf_name = 'changed' WHERE cursor = 2");
  disk.close();
  expect(findings()).toHaveLength(1);
  const { log } = readableLog();
  rebuildLedger({ ledger, screenEntry: createEntryScreening(log), clock: { now: () => NOW }, log });
  expect(findings()).toEqual([]);
});

test.each<[string, () => void]>([
  ['is missing', () => rmSync(archive())],
  ['is cut off', () => truncateSync(archive(), 10)],
  [
    'has another byte',
    () => {
      const bytes = readFileSync(archive());
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      writeFileSync(archive(), bytes);
    },
  ],
])('an archive that %s is told by its name', (fault, damage) => {
  archiveRawBodies(ledger, 180, NOW);
  damage();
  expect(findings()[0]).toMatch(
    /^The raw bundle after cursor 0 (?:does not fit its SHA-256, read from|is in) the archive .*\.zst/,
  );
  expect(findings()[0]?.includes('which is not there: put it back')).toBe(fault === 'is missing');
});

/** Changes the ledger as a foreign backup could be: past triggers and constraints. */
function tamper(change: string): void {
  changeOnDisk(file, `DROP TRIGGER archived_body_is_never_updated; PRAGMA ignore_check_constraints = ON; ${change}`);
}

test('an archive name that points elsewhere is read and written beside the ledger alone', () => {
  archiveRawBodies(ledger, 180, NOW);
  const above = path.join(path.dirname(file), '..', 'elsewhere.raw');
  tamper("UPDATE raw_archive SET name = '../elsewhere.raw-0001.zst'");
  expect(archiveFiles(ledger).map((one) => path.dirname(one))).toEqual([path.dirname(file)]);
  expect(findings()).toContainEqual(
    expect.stringContaining(`${path.dirname(file)}/elsewhere.raw-0001.zst, which is not there`),
  );
  archiveRawBodies(ledger, 0, NOW);
  expect([existsSync(`${above}-0001.zst`), existsSync(`${above}-0002.zst`)]).toEqual([false, false]);
});

test('a backup writes over no file beside the ledger, with any names of its archives', async () => {
  archiveRawBodies(ledger, 180, NOW);
  const folder = path.join(path.dirname(file), 'backups');
  mkdirSync(folder);
  const backup = path.join(folder, 'backup.sqlite');
  await backupLedger(ledger, backup);
  // Longer than the file beside the ledger, as a later copy of it would be.
  const planted = Buffer.alloc(statSync(archive()).size + 4_000_000, 'planted');
  const own = path.basename(archive());
  writeFileSync(path.join(folder, own), planted);
  writeFileSync(path.join(folder, path.basename(file)), planted);
  writeFileSync(path.join(folder, 'checkpoint.key'), planted);
  writeFileSync(path.join(path.dirname(file), 'checkpoint.key'), 'the key');
  const written = () => [archive(), file].map((one) => hash('sha256', readFileSync(one)));
  const before = written();
  changeOnDisk(
    backup,
    `PRAGMA ignore_check_constraints = ON; INSERT INTO raw_archive (name) VALUES ('${path.basename(file)}'), ('checkpoint.key')`,
  );
  const restore = restoreLedger({
    file,
    backup,
    ...RESTORE_ALONE,
    now: NOW,
  });
  await expect(restore).rejects.toThrow();
  expect(written()).toEqual(before);
  expect(readFileSync(path.join(path.dirname(file), 'checkpoint.key'), 'utf8')).toBe('the key');
});

test.each([
  [
    'a piece that is said to be of many gigabytes',
    'UPDATE archived_body SET bytes = 68719476736 WHERE cursor_from = 0',
  ],
  ['a piece that unpacks without end', null],
])('%s is damaged, and is not taken into memory', (_, change) => {
  archiveRawBodies(ledger, 180, NOW);
  if (change === null) {
    const bomb = zstdCompressSync(Buffer.alloc(MAX_BODY_BYTES + 1));
    writeFileSync(archive(), bomb);
    tamper(`UPDATE archived_body SET position = 0, bytes = ${bomb.length} WHERE cursor_from = 0`);
  } else tamper(change);
  const before = process.memoryUsage().arrayBuffers;
  expect(ledger.read((reader) => archivedBody(reader, 0)).length).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * MAX_BODY_BYTES);
  expect(findings()[0]).toMatch(/^The raw bundle after cursor 0 does not fit its SHA-256/);
});

test('the database lets a body go only into an archive, and changes nothing else', () => {
  archiveRawBodies(ledger, 180, NOW);
  const disk = new Database(file);
  for (const change of [
    "UPDATE raw_bundle SET body = x'' WHERE cursor_from = 5",
    "UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 5",
    "UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 0",
    "UPDATE raw_bundle SET received_at = '2020-01-01' WHERE cursor_from = 0",
    "UPDATE raw_bundle SET statement = 'x' WHERE cursor_from = 0",
  ])
    expect(() => disk.exec(change), change).toThrow('a raw bundle is never changed');
  expect(() => disk.exec('UPDATE archived_body SET position = 0')).toThrow('never changed');
  for (const cursor of [0, 5])
    expect(() => disk.exec(`DELETE FROM raw_bundle WHERE cursor_from = ${cursor}`)).toThrow('never deleted');
  expect(() =>
    disk.exec(
      "INSERT INTO raw_bundle SELECT 9, 10, 'b', 1, x'', sha256, NULL, received_at, NULL FROM raw_bundle LIMIT 1",
    ),
  ).toThrow('never empty');
  disk.close();
});

test('a truncated raw bundle comes back from the archive first', () => {
  archiveRawBodies(ledger, 180, NOW);
  ledger.write((tx) => moveToQuarantine(tx, 3, 'test'));
  const kept = ledger.all(sqlite.selectFrom('quarantined_bundle').select('body'));
  expect(kept.map(({ body }) => Buffer.from(body).equals(bodies[3] ?? Buffer.alloc(0)))).toEqual([true]);
});

test('the half frame of a killed run does not harm the archive', () => {
  archiveRawBodies(ledger, 365, NOW);
  const before = statSync(archive()).size;
  writeFileSync(archive(), 'half a frame', { flag: 'a' });
  expect(archiveRawBodies(ledger, 0, NOW).bundles).toBe(BUNDLES - MOVED);
  expect(statSync(archive()).size).toBeGreaterThan(before + 12);
  expect(findings()).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'behind a link the archives of ledger and backup lie beside the file',
  async () => {
    archiveRawBodies(ledger, 180, NOW);
    ledger.close();
    const names = path.join(path.dirname(file), 'names');
    mkdirSync(names);
    const [link, name] = [path.join(names, 'ledger.sqlite'), path.join(names, 'backup.sqlite')];
    symlinkSync(file, link);
    symlinkSync('../backups/backup.sqlite', name);
    mkdirSync(path.join(names, '../backups'));
    copyFileSync(path.join(path.dirname(file), 'record.key'), path.join(names, 'record.key'));
    ledger = openLedger(link);
    await backupLedger(ledger, name);
    ledger.close();
    rmSync(archivePathOf(file));
    await restoreLedger({ file: link, backup: name, ...RESTORE_ALONE, now: NOW });
    ledger = openLedger(link);
    expect([findings(), existsSync(archivePathOf(file)), readdirSync(names).toSorted()]).toEqual([
      [],
      true,
      ['backup.sqlite', 'ledger.sqlite', 'record.key'],
    ]);
    ledger.close();
  },
);
const archivePathOf = (of: string): string => `${of}.raw-0001.zst`;

test('a backup has its archives beside it, and a restore brings them back', async () => {
  archiveRawBodies(ledger, 180, NOW);
  const folder = path.join(path.dirname(file), 'elsewhere');
  mkdirSync(folder);
  const backup = path.join(folder, 'backup.sqlite');
  await backupLedger(ledger, backup);
  const copied = path.join(folder, path.basename(archive()));
  expect(readFileSync(copied).equals(readFileSync(archive()))).toBe(true);
  // Everything of the ledger is lost.
  const lost = archive();
  ledger.close();
  for (const each of [file, `${file}-wal`, `${file}-shm`, lost]) rmSync(each, { force: true });
  const nothing = bodyOf();
  await restoreLedger({
    file,
    backup,
    older: 'EXPOSED',
    verification: null,
    pull: () =>
      Promise.resolve({ status: 200, body: nothing, head: null, signature: null, statement: null, retryAfter: null }),
    catchUp: (restored) => {
      expect(findings(restored)).toEqual([]);
      return Promise.resolve(null);
    },
    now: NOW,
  });
  expect(existsSync(lost)).toBe(true);
});
