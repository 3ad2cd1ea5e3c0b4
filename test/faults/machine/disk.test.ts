/**
 * Faults 30, 31, 33 to 35 and 39 with real means: file systems without space or read-only, a held lock, restored files,
 * limits on descriptors and memory, a clock that jumps. For each: the Intake's end or report, no half-written state,
 * and the recovery.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEDGER_EXIT_CODES } from '../../../agent/ledger/storage/errors.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';
import { deepTest, runs } from '../../support/runs.ts';
import {
  appliedCursor,
  bundledServices,
  cloudForProcesses,
  drained,
  intakeEnv,
  type Services,
  type TestCloud,
} from './process-fixture.ts';
import { checkCaughtUp, checkInvariants } from '../invariants.ts';
import { entries, sha256 } from '../truth.ts';

const fixture = new TestFixture();
let services: Services;
let made: TestCloud;
let folder: string;
const unmounts: string[] = [];
beforeAll(async () => {
  services = await bundledServices();
  made = await cloudForProcesses(fixture);
  folder = fixture.folder('disk');
});
afterAll(async () => {
  await services.killAll();
  // Lazily: a test that has failed may have left a process there.
  for (const at of unmounts) spawnSync('umount', ['-l', at]);
  await fixture.clear();
  await made.cloud.close();
});

/** Whether this machine lets the test mount a file system (Linux, as root). */
const canMount = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['-m', 'true']).status === 0;
})();

function mount(name: string, options: string): string {
  const at = path.join(folder, name);
  mkdirSync(at);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at]);
  unmounts.push(at);
  return at;
}

/** Writes a file until there is no space left. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let size = 65_536; size > 0;) {
      try {
        if (writeSync(descriptor, Buffer.alloc(size)) === 0) return;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        size >>= 1;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function env(file: string): Record<string, string> {
  return { ...intakeEnv(file), ...made.intake };
}

/** A ledger that has received and applied so many entries of the cloud's, with no process at work on it. */
async function filled(name: string, count: number): Promise<string> {
  const file = path.join(folder, `${name}.sqlite`);
  made.cloud.entries = entries(count);
  const intake = services.start('intake', { env: env(file) });
  expect(await drained(intake, file, made.cloud)).toEqual({ code: 0, signal: null });
  return file;
}

function syncState(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('SELECT state FROM sync_state').pluck().get();
  } finally {
    db.close();
  }
}

/** The error that the Intake logs about the ledger. */
const fault = (part: Part, words: string): Promise<unknown> =>
  part.logLine(words, (line) => line.level === 50 && JSON.stringify(line).includes(words));

/** The one sentence with which a process ended that could not start. */
async function refusal(part: Part, code: number): Promise<string> {
  expect(await part.ended()).toEqual({ code, signal: null });
  expect(part.stderr.trim().split('\n'), 'one sentence and no stack').toHaveLength(1);
  return part.stderr;
}

describe.skipIf(!canMount)('file systems (skipped where this process may not mount one)', () => {
  test('30: missing space is reported, and the same process continues when there is some again', async () => {
    const at = mount('full', 'size=40m');
    const file = path.join(at, 'ledger.sqlite');
    made.cloud.entries = entries(30);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    const intake = services.start('intake', { env: env(file) });
    await intake.logLine('ready', (line) => line.msg === 'ready');
    const ballast = path.join(at, 'ballast');
    fill(ballast);
    made.cloud.entries = entries(300);
    await fault(intake, 'free space');
    rmSync(ballast);
    expect(await drained(intake, file, made.cloud), intake.stderr).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, made.cloud);
    // An Intake that starts without space reports the cause, and begins when there is some again.
    fill(ballast);
    const late = services.start('intake', { env: env(file) });
    await fault(late, 'free space');
    rmSync(ballast);
    expect(await drained(late, file, made.cloud)).toMatchObject({ code: 0 });
    checkCaughtUp(file, made.cloud);
  });

  test('34: a file system that turns read-only is reported; the Intake begins nothing there, and recovers when it is writable', async () => {
    const at = mount('read-only', 'size=30m');
    const file = path.join(at, 'ledger.sqlite');
    made.cloud.entries = entries(9);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    execFileSync('mount', ['-o', 'remount,ro', at]);
    const late = services.start('intake', { env: env(file) });
    await fault(late, 'permissions');
    made.cloud.entries = entries(30);
    execFileSync('mount', ['-o', 'remount,rw', at]);
    expect(await drained(late, file, made.cloud)).toMatchObject({ code: 0 });
    checkCaughtUp(file, made.cloud);
  });
});

describe('31', () => {
  test('a lock that another program holds for long is reported, and the Intake continues when it is free', async () => {
    const file = await filled('locked', 9);
    const intake = services.start('intake', { env: env(file) });
    await intake.logLine('ready', (line) => line.msg === 'ready');
    const holder = new Database(file);
    try {
      holder.exec('BEGIN IMMEDIATE');
      made.cloud.entries = entries(40);
      await fault(intake, 'locked');
      checkInvariants(file, made.cloud);
      holder.exec('ROLLBACK');
    } finally {
      holder.close();
    }
    expect(await drained(intake, file, made.cloud)).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, made.cloud);
  });

  deepTest('a lasting reader lets the log grow; once it has ended, the log does not grow with the ledger', async () => {
    const file = await filled('reader', 9);
    const reader = new Database(file, { readonly: true });
    const intake = services.start('intake', { env: { ...env(file), CAUSEWAY_INTAKE_LIMIT: '100' } });
    const log = (): number => statSync(`${file}-wal`).size;
    try {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM explanation').get();
      made.cloud.entries = entries(1_500);
      await waitFor('all to be applied', () => appliedCursor(file) === made.cloud.entries.at(-1)?.cursor, 60_000);
      reader.exec('COMMIT');
    } finally {
      reader.close();
    }
    // One batch of the Intake writes some 20 MB at most; without reuse of free room it would be 55 MB by then.
    made.cloud.entries = entries(6_000);
    await waitFor('all to be applied', () => appliedCursor(file) === made.cloud.entries.at(-1)?.cursor, 60_000);
    expect(log(), 'the room that the log has is used again').toBeLessThanOrEqual(40_000_000);
    expect(await drained(intake, file, made.cloud)).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, made.cloud);
  });
});

describe('33: a restored ledger', () => {
  test('an older one catches up with the cloud’s records, and no record is there twice', async () => {
    const file = await filled('older', 30);
    const older = `${file}.older`;
    copyFileSync(file, older);
    made.cloud.entries = entries(60);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    copyFileSync(older, file);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    checkCaughtUp(file, made.cloud);
  });

  test('that is newer than the cloud raises the alarm, keeps its records, and applies nothing more', async () => {
    const file = await filled('newer', 30);
    const whole = made.cloud.entries;
    made.cloud.entries = whole.slice(0, 12);
    const intake = services.start('intake', { env: env(file) });
    await intake.logLine('REGRESSED', (line) => line['state'] === 'REGRESSED' && line.level === 50);
    expect(await intake.stop()).toEqual({ code: 0, signal: null });
    made.cloud.entries = whole;
    expect(checkInvariants(file, made.cloud).committed).toBe(whole.at(-1)?.cursor);
    const again = services.start('intake', { env: env(file) });
    await again.logLine('ready', (line) => line.msg === 'ready');
    await waitFor('all to be well again', () => syncState(file) === 'OK');
    expect(await drained(again, file, made.cloud)).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, made.cloud);
  });

  test('35: one of a later version is refused in one sentence, and not a byte of it is changed', async () => {
    const file = await filled('later', 9);
    const db = new Database(file);
    db.pragma('user_version = 9999');
    db.close();
    const before = sha256(readFileSync(file));
    const refused = await refusal(services.start('intake', { env: env(file) }), LEDGER_EXIT_CODES['too-new']);
    expect(refused).toMatch(/9999.*upgrade this part/s);
    expect(sha256(readFileSync(file))).toBe(before);
  });
});

/** Halfway between what an Intake needs to start (16) and what three entries of 8 MB need to be applied (38). */
const STARVED_MB = 24;
const canLimit = spawnSync('prlimit', ['--nofile', 'true']).error === undefined;

describe.skipIf(!canLimit)('34: bounds on the process (skipped where prlimit is missing)', () => {
  const bounded = (limits: string[], variables: Record<string, string>): Part =>
    fixture.start(limits[0] ?? '', {
      program: 'prlimit',
      args: [...limits.slice(1), process.execPath, services.script('intake')],
      env: { ...services.env, ...variables },
    });

  test('out of file descriptors: it ends with a reason or continues with those it has; nothing is half-written', async () => {
    const file = await filled('descriptors', 9);
    made.cloud.entries = entries(40);
    let worked = 0;
    for (let most = 16; most <= 40; most += runs(12, 2)) {
      const intake = bounded([`--nofile=${most}:${most}`], env(file));
      // It ends, commits, or reports the obstacle.
      await intake
        .logLine('anything', (line) => line.msg === 'bundle committed' || Number(line.level) >= 40)
        .catch(() => intake.exited);
      if (intake.exit === null) worked++;
      await intake.kill();
      checkInvariants(file, made.cloud);
    }
    expect(worked, 'with some of them it works').toBeGreaterThan(0);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    checkCaughtUp(file, made.cloud);
  });

  test('killed for memory over large bodies: they are kept whole or not at all, and applied when there is memory', async () => {
    const file = await filled('memory', 9);
    const large = entries(12).slice(9);
    for (const entry of large) entry['padding'] = 'x'.repeat(8_000_000);
    made.cloud.entries = [...entries(9), ...large];
    const starved = services.start('intake', {
      env: { ...env(file), NODE_OPTIONS: `--max-old-space-size=${STARVED_MB}` },
    });
    const { code, signal } = await starved.ended();
    expect(code === 0, `code ${code}, signal ${signal}: it does not end well`).toBe(false);
    // It came before the bundle was kept or after it, and never half-way.
    checkInvariants(file, made.cloud);
    expect(await drained(services.start('intake', { env: env(file) }), file, made.cloud)).toMatchObject({ code: 0 });
    checkCaughtUp(file, made.cloud);
  });
});
