/**
 * The schedule of checkpoints: the lines that it writes, the differences that it finds, and a target folder that fails
 * or hangs.
 */
import { generateKeyPairSync, hash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CHECKPOINT_NUMBERS } from './metrics.ts';
import { Checkpoints, type AuditLog } from './schedule.ts';
import { readCheckpoints } from './checkpoint.ts';

let folder: string;
let now = new Date('2026-11-20T09:00:00.000Z');
let rows: string[];
const said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-checkpoints-'));
  mkdirSync(share());
  rows = ['one', 'two'];
  said.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const share = () => path.join(folder, 'share');
const hashes = () => rows.map((_, index) => hash('sha256', rows.slice(0, index + 1).join()));

const log: AuditLog = {
  name: 'console_action_log',
  end: () =>
    Promise.resolve(
      rows.length === 0 ? null : { rows: rows.length, hash: hashes().at(-1) ?? '', first: hashes()[0] ?? '' },
    ),
  view: (asked) => {
    const found = asked.flatMap((row) => (row <= rows.length ? [[row, hashes()[row - 1] ?? ''] as const] : []));
    return Promise.resolve({ rows: rows.length, hashes: new Map(found), restores: [] });
  },
};

function writer(changes: { log?: AuditLog; patienceMs?: number } = {}): Checkpoints {
  const note = (_facts: object, message: string) => void said.push(message);
  return new Checkpoints({
    log,
    place: { folder: share(), keyFile: path.join(folder, 'checkpoint.key'), periodMs: 60_000 },
    clock: { now: () => now },
    logger: { info: note, error: note },
    ...changes,
  });
}

const file = () => path.join(share(), readdirSync(share())[0] ?? '');
const written = () => readCheckpoints(readFileSync(file(), 'utf8'), 'console_action_log').checkpoints;

test('each round adds one line with the length of the log, whether or not the log has grown', async () => {
  const checkpoints = writer();
  await checkpoints.round();
  rows.push('three');
  now = new Date('2026-11-20T10:00:00.000Z');
  await checkpoints.round();
  await checkpoints.round();
  expect(written().map((one) => one.rows)).toEqual([2, 3, 3]);
  expect(checkpoints.state).toEqual({
    lastAt: '2026-11-20T10:00:00.000Z',
    rows: 3,
    hash: hashes()[2],
    failingSince: null,
    difference: null,
  });
  expect(said).toEqual([expect.stringContaining('a key for checkpoints was made')]);
  expect(statSync(path.join(folder, 'checkpoint.key')).mode & 0o777).toBe(0o600);
});

test('an empty log has no checkpoint', async () => {
  rows = [];
  const checkpoints = writer();
  await checkpoints.round();
  expect([readdirSync(share()), checkpoints.state.failingSince]).toEqual([[], null]);
});

test('a log changed behind a running writer is reported, stays reported, and is reported again after a restart', async () => {
  const checkpoints = writer();
  await checkpoints.round();
  rows.push('three');
  await checkpoints.round();
  rows = ['one', 'two', 'other'];
  await checkpoints.round();
  const difference = { kind: 'RECOMPUTED', from: 3, to: 3 };
  expect(checkpoints.state.difference).toMatchObject(difference);
  rows.push('four');
  await checkpoints.round();
  expect(checkpoints.state).toMatchObject({ rows: 4, difference, failingSince: null });
  const again = writer();
  await again.round();
  expect(again.state.difference).toMatchObject(difference);
  // An administrator moves the file away, and the next round begins a new one.
  renameSync(file(), path.join(folder, 'aside'));
  const anew = writer();
  await anew.round();
  expect(anew.state).toMatchObject({ rows: 4, difference: null, failingSince: null });
});

test('a missing folder fails, is reported with the start of the failure, and is used again once it is back', async () => {
  const checkpoints = writer();
  await checkpoints.round();
  renameSync(share(), `${share()}-away`);
  const since = now.toISOString();
  await checkpoints.round();
  now = new Date(now.getTime() + 3_600_000);
  await checkpoints.round();
  expect(checkpoints.state.failingSince).toBe(since);
  renameSync(`${share()}-away`, share());
  await checkpoints.round();
  expect(checkpoints.state).toMatchObject({ failingSince: null, lastAt: now.toISOString() });
  expect(written()).toHaveLength(2);
});

test('a checkpoint file that was shortened or changed is reported and not appended to', async () => {
  const checkpoints = writer();
  await checkpoints.round();
  await checkpoints.round();
  const text = readFileSync(file(), 'utf8');
  writeFileSync(file(), text.slice(0, text.indexOf('\n') + 1));
  await checkpoints.round();
  expect(checkpoints.state.failingSince).not.toBeNull();
  writeFileSync(file(), text.replace('"rows":2', '"rows":1'));
  const again = writer();
  await again.round();
  expect(again.state.failingSince).not.toBeNull();
  expect(said.filter((line) => line.startsWith('no checkpoint'))).toHaveLength(2);
});

test('a hanging folder is reported after the time limit, and gets one request at a time', async () => {
  let asked = 0;
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const slow: AuditLog = {
    ...log,
    end: async () => {
      asked += 1;
      await answered;
      return log.end();
    },
  };
  const checkpoints = writer({ log: slow, patienceMs: 5 });
  await checkpoints.round();
  await expect.poll(() => asked).toBe(1);
  await checkpoints.round();
  expect([asked, checkpoints.state.failingSince]).toEqual([1, now.toISOString()]);
  answer();
  await expect.poll(() => checkpoints.state.failingSince).toBe(null);
});

test('checkpoints of another key or another log are not accepted as ours', async () => {
  await writer().round();
  const text = readFileSync(file(), 'utf8');
  const other = generateKeyPairSync('ed25519').publicKey;
  expect(() => readCheckpoints(text, 'console_action_log', other)).toThrow('it is not believed');
  expect(() => readCheckpoints(text, 'admin_activity_log')).toThrow('is of console_action_log');
});

test('the metrics tell whether checkpoints are written, up to which row, and which difference was found', async () => {
  const numbers = (state: Checkpoints['state'] | null) =>
    Object.fromEntries(CHECKPOINT_NUMBERS.map(({ name, value }) => [name, value(state)]));
  expect(numbers(null)).toEqual({
    configured: 0,
    last_seconds: 0,
    rows: 0,
    hash: 0,
    failing: 0,
    differs: 0,
  });
  const checkpoints = writer();
  await checkpoints.round();
  expect(numbers(checkpoints.state)).toEqual({
    configured: 1,
    last_seconds: now.getTime() / 1_000,
    rows: 2,
    hash: Number.parseInt((hashes()[1] ?? '').slice(0, 12), 16),
    failing: 0,
    differs: 0,
  });
});
