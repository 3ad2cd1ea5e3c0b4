/** The commands as an operator calls them, on real files: in this process, and one in a process of its own for each exit code. */
import Database from 'better-sqlite3';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestFixture } from '../../test/support/process.ts';
import { recordAction } from '../ledger/audit/audit.ts';
import { explanationId, findExplanation } from '../ledger/explanations/explanations.ts';
import { openLedger, type Ledger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { applyMove } from '../ledger/transitions.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { exposableIds } from '../ledger/serving/visibility.ts';
import { lockReception, lockMaintenance } from '../ledger/storage/single-writer-lock.ts';
import type { RawEntry } from './apply/entry.ts';
import {
  bodyOf,
  bundleOf,
  changeOnDisk,
  invalidationAt,
  newAt,
  partsOn,
  reviewer,
  takeIn,
  TENANT,
} from '../../test/support/agent/intake.ts';
import { intakeWith, type Said } from '../../test/support/agent/intake-command.ts';

const NOW = '2026-11-20T08:00:00.000Z';
let folder: string;
let file: string;
let cloud: Server;
let upstream: string;
/** The upstream's answer; null: it cuts the connection. */
let answer: Buffer | null;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-commands-'));
  file = path.join(folder, 'ledger.sqlite');
  answer = bodyOf();
  cloud = createServer((request, response) => {
    if (answer === null) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end(answer);
  }).listen(0, '127.0.0.1');
  await once(cloud, 'listening');
  upstream = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`;
});
afterEach(async () => {
  cloud.closeAllConnections();
  await new Promise((closed) => cloud.close(closed));
  rmSync(folder, { recursive: true, force: true });
});

const variables = () => ({ CAUSEWAY_LEDGER: file, CAUSEWAY_INTAKE_UPSTREAM: upstream });
const intake = (...args: string[]): Promise<Said> => intakeWith(variables(), ...args);
function withLedger<T>(work: (ledger: Ledger) => T): T {
  const ledger = openLedger(file);
  try {
    return work(ledger);
  } finally {
    ledger.close();
  }
}

const receive = (ledger: Ledger, ...entries: RawEntry[]) => takeIn(partsOn(ledger, NOW), ...entries);

/** A ledger with an approved text, a waiting text, a held withdrawal and a rejected entry. */
function makeLedger(): void {
  withLedger((ledger) => {
    receive(ledger, newAt(1, 'approved', { summary: '매수' }), newAt(2, 'waiting', { summary: '매수' }));
    receive(ledger, invalidationAt(3, 'never came'), { cursor: 4, delivery_type: 'CORRECTION' });
    ledger.write((tx) =>
      applyMove(tx, { id: explanationId('approved'), move: 'approve', actor: reviewer, at: NOW, comment: null }),
    );
  });
}

const onDisk = (sql: string): void => changeOnDisk(file, sql);

const statusOf = (id: string) =>
  withLedger((ledger) => findExplanation(ledger, explanationId(id), new Date(NOW))?.status);

describe('the command line', () => {
  test.each<[string[], string]>([
    [['verfy'], 'Unknown argument "verfy"; see --help.'],
    [['toString'], 'Unknown argument "toString"'],
    [['backup'], '"backup" is called as "backup FILE".'],
    [['verify', 'x'], '"verify" is called as "verify".'],
    [['backup', 'x', '--force'], '"backup" knows no --force: it is called as "backup FILE".'],
  ])('%j is refused', async (args, said) => {
    const { code, err } = await intake(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    expect(readdirSync(folder)).toEqual([]);
  });
  test('a command creates no missing ledger', async () => {
    const { code, err } = await intake('status');
    expect([code, err]).toEqual([1, `There is no ledger ${file}: check the path.\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });
  test('--help lists the commands, and each command has its own --help', async () => {
    expect((await intake('--help')).out).toMatch(/CAUSEWAY_LEDGER[^]*restore FILE \[--hold-all \| --accept-older\]/);
    expect((await intake('restore', '--help')).out).toMatch(
      /npm run intake -- restore FILE[^]*CAUSEWAY_INTAKE_UPSTREAM/,
    );
  });
});

describe('in a process of its own', () => {
  test.each<[number, string, string[], string, string]>([
    [0, 'prints its result on stdout', ['verify'], 'The ledger is sound.\n', ''],
    [1, 'complains on stderr of an obstacle', ['backup', '/none/backup'], '', '/none'],
    [2, 'complains on stderr of a wrong argument', ['verfy'], '', 'Unknown argument "verfy"; see --help.\n'],
  ])('a command ends with %i and %s', async (code, _, args, out, err) => {
    makeLedger();
    await using fixture = new TestFixture();
    const part = fixture.start('agent/intake/main.ts', { args, env: variables() });
    expect(await part.exited).toEqual({ code, signal: null });
    expect([part.stdout, part.stderr]).toEqual([expect.stringContaining(out), expect.stringContaining(err)]);
    expect(out === '' ? part.stdout : part.stderr).toBe('');
  });
});

test('status reports the state of the reception', async () => {
  makeLedger();
  const { code, out } = await intake('status');
  expect(code).toBe(0);
  const cursors = { committedCursor: 4, appliedCursor: 4 };
  const counts = { heldInvalidations: 1, rejectedEntries: 1 };
  expect(JSON.parse(out)).toMatchObject({
    ...cursors,
    ...counts,
    tenantId: TENANT,
    state: 'NEVER',
    decisionJournal: null,
  });
});

describe('verify and rebuild', () => {
  test('a sound ledger is reported sound; a forged row is named, and rebuilt with its decision kept', async () => {
    makeLedger();
    const sound = await intake('verify');
    expect([sound.code, sound.out]).toEqual([
      0,
      expect.stringMatching(/2 raw bundles with 4 applied entries[^]*is sound/),
    ]);
    onDisk(
      "UPDATE explanation SET summary = 'forged'; DELETE FROM explanation WHERE explanation_result_id = 'waiting'",
    );
    const forged = await intake('verify');
    expect(forged.code).toBe(1);
    expect(forged.out).toContain('The explanation approved differs from the entry at cursor 1.');
    expect(forged.out).toContain('The explanation waiting is missing.');
    expect(forged.out).toContain('The ledger is not sound: 2 found.');
    const rebuilt = await intake('rebuild');
    expect([rebuilt.code, rebuilt.out]).toEqual([0, expect.stringContaining('1 explanations restored, 1 corrected')]);
    expect((await intake('verify')).code).toBe(0);
    expect([statusOf('approved'), statusOf('waiting')]).toEqual(['PUBLISHED', 'PENDING_REVIEW']);
  });
  test('damaged raw bundles are named, and nothing is derived from them', async () => {
    makeLedger();
    onDisk("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 2");
    const verified = await intake('verify');
    expect(verified.code).toBe(1);
    expect(verified.out).toContain('The raw bundle after cursor 2 does not fit its SHA-256');
    const rebuilt = await intake('rebuild');
    expect([rebuilt.code, rebuilt.err]).toEqual([1, expect.stringContaining('Nothing was rebuilt')]);
  });
  test('a hole in the raw bundles is named', async () => {
    makeLedger();
    onDisk('DROP TRIGGER raw_bundle_is_never_deleted; DELETE FROM raw_bundle WHERE cursor_from = 0');
    const { code, out } = await intake('verify');
    expect(code).toBe(1);
    expect(out).toContain('The committed cursor is 4, and the raw bundles end at 0.');
  });
  test('a broken audit log and a wrong search index are named', async () => {
    makeLedger();
    onDisk(`DROP TRIGGER console_action_log_is_never_updated; UPDATE console_action_log SET actor = 'x' WHERE seq = 2;
      INSERT INTO explanation_search (explanation_search) VALUES ('delete-all')`);
    const { code, out } = await intake('verify');
    expect(code).toBe(1);
    expect(out).toContain('The audit log is broken at row 2');
    expect(out).toContain('The search index differs from the explanations.');
  });
});

describe('raw bundles that must not count', () => {
  const damageSecond = (): void =>
    onDisk("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 2");
  const second = [invalidationAt(3, 'never came'), { cursor: 4, delivery_type: 'CORRECTION' }];

  test('repair asks the cloud again for a damaged range; decisions stay, the damaged body is kept', async () => {
    makeLedger();
    damageSecond();
    answer = bodyOf(bundleOf(2, second));
    const { code, out } = await intake('repair');
    expect([code, out]).toEqual([0, expect.stringContaining('the raw bundle after cursor 2, up to 4')]);
    expect((await intake('verify')).out).toContain('is sound');
    expect(statusOf('approved')).toBe('PUBLISHED');
    withLedger((ledger) =>
      expect(ledger.all(sqlite.selectFrom('quarantined_bundle').select(['after_cursor', 'cursor_to']))).toEqual([
        { after_cursor: 2, cursor_to: 4 },
      ]),
    );
    expect((await intake('repair')).out).toContain('No raw bundle is damaged or missing.');
  });
  test.each<[string, () => Buffer | null, string]>([
    ['has other records there', () => bodyOf(bundleOf(2, [newAt(3, 'x'), newAt(9, 'y')])), 'other records'],
    ['has nothing there', () => bodyOf(), 'nothing after cursor 2'],
    ['is another tenant’s', () => bodyOf(bundleOf(2, second, { tenant_id: TENANT + 1 })), 'tenant'],
    ['cannot be asked', () => null, 'Nothing was changed'],
  ])('repair leaves everything as it is when the cloud %s', async (_, says, told) => {
    makeLedger();
    damageSecond();
    answer = says();
    const { code, err } = await intake('repair');
    expect([code, err]).toEqual([1, expect.stringContaining(told)]);
    expect((await intake('verify')).out).toContain('The raw bundle after cursor 2 does not fit its SHA-256');
  });
  test('set-aside takes a cursor, reports its work, and records it', async () => {
    makeLedger();
    for (const wrong of ['x', '1.5', '99999999999999999'])
      expect(await intake('set-aside', wrong)).toMatchObject({
        code: 2,
        err: expect.stringContaining('no cursor') as string,
      });
    expect((await intake('set-aside', '4')).out).toContain('nothing was changed');
    const { code, out } = await intake('set-aside', '1');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /2 raw bundles into quarantine; the committed cursor was 4 and is 0\. 2 explanations are hidden/,
      ),
    ]);
    expect([statusOf('approved'), statusOf('waiting')]).toEqual(['BLOCKED', 'BLOCKED']);
    expect((await intake('verify')).out).toContain('is sound');
    withLedger((ledger) => {
      const log = ledger.all(sqlite.selectFrom('console_action_log').select('action').orderBy('seq', 'desc').limit(3));
      const hidden = { action: 'explanation.text-changed' };
      expect(log).toEqual([hidden, hidden, { action: 'ledger.set-aside' }]);
    });
  });
});

test('replay applies entries that fit by now, in their place, and lists those that still do not', async () => {
  makeLedger();
  // The state that an older program leaves that did not understand the entries at cursors 1 and 3.
  onDisk(`DELETE FROM explanation WHERE explanation_result_id = 'approved';
    DROP TRIGGER state_history_is_never_deleted; DELETE FROM state_history WHERE explanation_id = '${explanationId('approved')}';
    DROP TRIGGER screening_is_never_deleted; DELETE FROM screening WHERE explanation_id = '${explanationId('approved')}';
    DELETE FROM held_invalidation;
    INSERT INTO rejected_entry VALUES (1, 0, 'x', '{}', 'now'), (3, 2, 'x', '{}', 'now')`);
  expect((await intake('verify')).out).toContain('2 rejected entries would fit now: run "intake replay".');
  const { code, out } = await intake('replay');
  expect(code).toBe(0);
  expect(out).toContain('The entry at cursor 4 stays rejected: The delivery_type "CORRECTION" is not known.');
  expect(out).toContain('Replayed: 2 entries applied, 1 still rejected.');
  expect(statusOf('approved')).toBe('PENDING_REVIEW');
  // The audit log tells of the history that was taken away here: a rebuild puts that on record.
  expect((await intake('verify')).out).toContain('differs from the audit log');
  expect((await intake('rebuild')).code).toBe(0);
  expect((await intake('verify')).out).toContain('is sound');
  withLedger((ledger) =>
    expect(ledger.all(sqlite.selectFrom('held_invalidation').select('target_id'))).toHaveLength(1),
  );
});

test('set-aside is refused while the Intake runs, and two commands do not run at once', async () => {
  makeLedger();
  const release = lockReception(file);
  const refused = await intake('set-aside', '2');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('stop it first')]);
  release();
  const other = lockMaintenance(file);
  expect((await intake('rebuild')).err).toContain('Another command works on the ledger');
  other();
  withLedger((ledger) => expect(readCursors(ledger).committed).toBe(4));
});

describe('backup and restore', () => {
  const backup = (): string => path.join(folder, 'backup');

  test('a backup of a ledger in use is one file for its owner alone, and restores to the same', async () => {
    makeLedger();
    const inUse = openLedger(file);
    const written = await intake('backup', backup());
    expect([written.code, written.out]).toEqual([0, expect.stringContaining('up to cursor 4')]);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup']);
    expect(statSync(backup()).mode & 0o777).toBe(0o600);
    const refused = await intake('restore', backup());
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is in use')]);
    inUse.close();
    onDisk('DELETE FROM held_invalidation');
    const restored = await intake('restore', backup());
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect((await intake('verify')).code).toBe(0);
    expect(readdirSync(folder).some((name) => name.startsWith('ledger.sqlite.before-'))).toBe(true);
    expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3');
  });
  test('a name that is taken is refused, and a damaged ledger gives no backup', async () => {
    makeLedger();
    writeFileSync(backup(), 'mine');
    expect((await intake('backup', backup())).err).toContain('exists already');
    expect(readFileSync(backup(), 'utf8')).toBe('mine');
    rmSync(backup());
    onDisk('DELETE FROM held_invalidation');
    const { code, err } = await intake('backup', backup());
    expect([code, err]).toEqual([1, expect.stringContaining('The copy is not sound')]);
    expect(existsSync(backup())).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
  test('a file that is no ledger is not restored, and the present ledger stays', async () => {
    makeLedger();
    writeFileSync(backup(), 'no ledger, but a text that is long enough to be read as one. '.repeat(20));
    const { code, err } = await intake('restore', backup());
    expect([code, err]).toEqual([1, expect.stringContaining('was not restored')]);
    expect(statusOf('approved')).toBe('PUBLISHED');
    expect(readdirSync(folder).filter((name) => name.includes('incoming'))).toEqual([]);
  });
  test.each<[string, () => void, string]>([
    ['the cloud has gone on', () => (answer = bodyOf(bundleOf(4, [newAt(5, 'x')]))), 'the cloud has records after it'],
    ['the cloud cannot be asked', () => (answer = null), 'It is not known whether the cloud has records'],
    [
      'the present ledger has received more',
      () => withLedger((ledger) => receive(ledger, newAt(9, 'x'))),
      'the present ledger at 9',
    ],
    [
      'a person has decided since',
      () =>
        withLedger((ledger) =>
          ledger.write((tx) =>
            recordAction(tx, { at: NOW, actor: reviewer, action: 'x', targetType: 'x', targetId: null, detail: {} }),
          ),
        ),
      '1 actions that the backup does not have',
    ],
  ])('an older ledger is refused when %s, and accepted when that is said', async (_, goOn, said) => {
    makeLedger();
    await intake('backup', backup());
    goOn();
    const refused = await intake('restore', backup());
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(said);
    expect(refused.err).toContain('every decision and setting that was made after the backup is lost');
    expect(readdirSync(folder).some((name) => name.includes('before-'))).toBe(false);
    const accepted = await intake('restore', backup(), '--accept-older');
    expect(accepted.code).toBe(0);
    withLedger((ledger) => expect(readCursors(ledger).committed).toBeGreaterThanOrEqual(4));
  });
  test('--hold-all exposes no text of an older ledger before a review, and names the lost decisions', async () => {
    makeLedger();
    await intake('backup', backup());
    const id = explanationId('approved');
    withLedger((ledger) =>
      ledger.write((tx) => {
        applyMove(tx, { id, move: 'stop', actor: reviewer, at: NOW, reason: '확인 필요' });
        recordAction(tx, {
          at: NOW,
          actor: reviewer,
          action: 'auth.login',
          targetType: 'x',
          targetId: null,
          detail: {},
        });
      }),
    );
    const { code, out } = await intake('restore', backup(), '--hold-all');
    expect([code, out]).toEqual([0, expect.stringContaining('Lost with the present ledger: 1 explanation.stop.')]);
    expect(out).toMatch(/[1-9]\d* texts that channels would get are in review/);
    expect(statusOf('approved')).toBe('PENDING_REVIEW');
    withLedger((ledger) => expect(exposableIds(ledger, new Date(NOW))).toEqual([]));
    expect((await intake('verify')).code).toBe(0);
  });
  test('--hold-all requires the cloud, because later entries are exposed by the policy of the backup', async () => {
    makeLedger();
    await intake('backup', backup());
    answer = null;
    const { code, err } = await intake('restore', backup(), '--hold-all');
    expect([code, err]).toEqual([1, expect.stringContaining('With --hold-all the cloud must have been asked')]);
    expect(statusOf('approved')).toBe('PUBLISHED');
    expect((await intake('restore', backup(), '--hold-all', '--accept-older')).err).toContain('not both');
  });
  test('without a readable present ledger, the last row of the backup is named', async () => {
    makeLedger();
    await intake('backup', backup());
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    expect((await intake('restore', backup())).out).toMatch(
      /last row of the backup's audit log is from \d{4}-.*if so, that is lost/,
    );
  });
  test('a backup from before another restore is refused where both ledgers have changed since', async () => {
    const decide = (action: string): number =>
      withLedger((ledger) =>
        ledger.write((tx) =>
          recordAction(tx, { at: NOW, actor: reviewer, action, targetType: 'x', targetId: null, detail: {} }),
        ),
      );
    makeLedger();
    await intake('backup', backup());
    decide('one');
    decide('two');
    await intake('backup', `${backup()}-later`);
    await intake('restore', backup(), '--accept-older');
    decide('other');
    const refused = await intake('restore', `${backup()}-later`);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not a later copy of the present ledger')]);
    // Nothing is lost where the present ledger, apart from the row about a restore, is the beginning of the backup.
    await intake('restore', backup(), '--accept-older');
    expect((await intake('restore', `${backup()}-later`)).err).toBe('');
  });
  test('a backup of another tenant is refused with any options', async () => {
    makeLedger();
    await intake('backup', backup());
    onDisk('UPDATE sync_state SET tenant_id = 8');
    const { code, err } = await intake('restore', backup(), '--accept-older');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('belongs to tenant 7, and the present ledger to tenant 8'),
    ]);
  });
  test('a damaged ledger is kept whole under another name', async () => {
    makeLedger();
    await intake('backup', backup());
    writeFileSync(file, 'damaged beyond reading, and long enough to be looked at as a database file. '.repeat(20));
    const { code, err } = await intake('restore', backup());
    expect([code, err]).toEqual([0, '']);
    expect(statusOf('approved')).toBe('PUBLISHED');
    const kept = readdirSync(folder).find((name) => name.includes('before-')) ?? '';
    expect(readFileSync(path.join(folder, kept), 'utf8')).toContain('damaged beyond reading');
  });
  test('a ledger that opens, with an unreadable page at its position, is kept whole too', async () => {
    makeLedger();
    await intake('backup', backup());
    const db = new Database(file);
    db.pragma('wal_checkpoint(TRUNCATE)');
    const size = Number(db.pragma('page_size', { simple: true }));
    const { page } = db
      .prepare(`SELECT rootpage AS page FROM sqlite_master WHERE name = 'console_action_log'`)
      .get() as { page: number };
    db.close();
    const pages = readFileSync(file);
    writeFileSync(file, pages.fill(0xff, (page - 1) * size, page * size));
    const { code, err } = await intake('restore', backup());
    expect([code, err]).toEqual([0, '']);
    expect(statusOf('approved')).toBe('PUBLISHED');
  });
});
