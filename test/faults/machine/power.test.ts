/**
 * Faults 29 and 32: the remains of a ledger after a power cut or on a bad disk. The files are copied at moments of a
 * drain while the process stands still; then unsynced data is dropped or garbled. The moments and places come from
 * the printed seed.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawBundleDamagedError } from '../../../agent/intake/apply/committed-entries.ts';
import { LEDGER_EXIT_CODES } from '../../../agent/ledger/storage/errors.ts';
import { startScriptedCloud } from '../../support/scripted-cloud.ts';
import { TestFixture, waitFor } from '../../support/process.ts';
import { newSeed, runs, some } from '../../support/runs.ts';
import { IntakeFixture } from '../intake-fixture.ts';
import {
  bundledServices,
  cloudForProcesses,
  drained,
  growing,
  intakeEnv,
  verify,
  type Services,
  type TestCloud,
} from './process-fixture.ts';
import { checkCaughtUp, checkInvariants } from '../invariants.ts';
import { entries } from '../truth.ts';
import { Seeded } from '../../support/seeded.ts';

const SEED = newSeed();
const [MOMENTS, PAGES, LOGS] = [runs(2, 12), runs(1, 8), runs(1, 4)];
const random = new Seeded(SEED);

const fixture = new TestFixture();
let services: Services;
const clouds: TestCloud[] = [];
let folder: string;
beforeAll(async () => {
  services = await bundledServices();
  folder = fixture.folder('power');
});
afterAll(async () => {
  await services.killAll();
  await fixture.clear();
  for (const { cloud } of clouds) await cloud.close();
});

/** A cloud of the test's own, and the variables of an Intake that asks it. */
async function newCloud(): Promise<{ cloud: TestCloud['cloud']; env(file: string): Record<string, string> }> {
  const made = await cloudForProcesses(fixture);
  clouds.push(made);
  return { cloud: made.cloud, env: (file) => ({ ...intakeEnv(file), ...made.intake }) };
}

/** SQLite's own words for the log: a header of 32 bytes, then frames of 24 bytes and a page each. */
const HEADER = 32;

/**
 * The bytes of the log that are in the main file, or are just being written there: a checkpoint syncs the
 * log before it writes the first page, so those cannot be lost any more.
 */
function settledBytes(file: string): number {
  const index = readFileSync(`${file}-shm`);
  const frame = 24 + readPageSize(file);
  // `nBackfill` and `nBackfillAttempted` of the index (walindex format), in the machine's own order.
  return HEADER + Math.max(index.readUInt32LE(96), index.readUInt32LE(128)) * frame;
}

function readPageSize(file: string): number {
  const head = Buffer.alloc(18);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, head, 0, 18, 0);
  closeSync(descriptor);
  return head.readUInt16BE(16);
}

/** Damages of a power cut to the end of a log, from some byte on. */
const DAMAGES: Record<string, (log: string, from: number, size: number) => void> = {
  'cut off': (log, from) => truncateSync(log, from),
  zeros: (log, from, size) => overwrite(log, from, Buffer.alloc(size - from)),
  noise: (log, from, size) =>
    overwrite(log, from, Buffer.from(Array.from({ length: size - from }, () => random.below(256)))),
  'one page in the middle lost': (log, from, size) => overwrite(log, from, Buffer.alloc(Math.min(4_096, size - from))),
};

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

/** Whether a process is stopped, with all its threads. */
function stands(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );
}

describe('29: power loss', () => {
  test('after any loss of the log behind its last settled page every invariant holds, and the Intake catches up', async () => {
    const { cloud, env } = await newCloud();
    const file = path.join(folder, 'ledger.sqlite');
    let more = true;
    growing(cloud, SEED, () => more);
    const first = services.start('intake', { env: env(file) });
    await first.logLine('work', (line) => line.msg === 'entries applied');
    // An orderly end empties the log, so that the tables are safe from now on.
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const intake = services.start('intake', { env: env(file) });
    await intake.logLine('work', (line) => line.msg === 'entries applied');
    let kept = 0;
    const last: string[] = [];
    for (let moment = 0; moment < MOMENTS; moment++) {
      await delay(random.below(120));
      intake.child.kill('SIGSTOP');
      // The signal is on its way when `kill` returns: what still runs would write while the files are copied.
      await waitFor('every thread to stand', () => stands(intake.pid));
      const told = cloud.asked.at(-1) ?? 0;
      const settled = settledBytes(file);
      const whole = path.join(folder, `moment-${moment}`);
      for (const end of ['', '-wal']) copyFileSync(file + end, whole + end);
      intake.child.kill('SIGCONT');
      const size = statSync(`${whole}-wal`).size;
      for (const [name, damage] of Object.entries(DAMAGES)) {
        const copy = `${whole}-${name.replaceAll(' ', '-')}`;
        for (const end of ['', '-wal']) copyFileSync(whole + end, copy + end);
        const from = Math.min(size, settled + random.below(Math.max(1, size - settled)));
        damage(`${copy}-wal`, from, size);
        kept += checkInvariants(copy, cloud).committed > 0 ? 1 : 0;
        if (moment % 4 === 0 && last.length < runs(1, Infinity)) last.push(copy);
        else for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
      }
      // A cursor sent to the cloud is already in the files: it is sent only after it is safe.
      expect(checkInvariants(whole, cloud).committed).toBeGreaterThanOrEqual(told);
    }
    expect(kept, 'something is left to be checked').toBeGreaterThan(2 * MOMENTS);
    more = false;
    expect(await drained(intake, file, cloud)).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, cloud);
    for (const copy of last) {
      expect(await drained(services.start('intake', { env: env(copy) }), copy, cloud)).toEqual({
        code: 0,
        signal: null,
      });
      checkCaughtUp(copy, cloud);
    }
  });

  const canTrace = spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true']).status === 0;
  test.skipIf(!canTrace)('each commit is synced before it counts (skipped where strace is missing)', async () => {
    const { cloud, env } = await newCloud();
    cloud.entries = entries(60, SEED);
    const file = path.join(folder, 'synced.sqlite');
    const trace = path.join(folder, 'trace');
    const intake = fixture.start('-D', {
      program: 'strace',
      args: ['-f', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync', process.execPath, services.script('intake')],
      env: { ...services.env, ...env(file) },
    });
    expect(await drained(intake, file, cloud)).toEqual({ code: 0, signal: null });
    const commits = intake.logs.filter(
      (line) => line.msg === 'bundle committed' || line.msg === 'entries applied',
    ).length;
    expect(commits).toBeGreaterThan(20);
    const synced = await waitFor('the trace', () => readFileSync(trace, 'utf8').match(/sync\(\d+<[^>]*-wal>/g)?.length);
    expect(synced).toBeGreaterThanOrEqual(commits);
  });
});

describe('32: a bad disk', () => {
  test.each(['put right', 'repaired'])(
    'a flipped bit in a waiting raw body is reported, of what follows only withdrawals are applied, and all continues when it is %s',
    async (how) => {
      const cloud = await startScriptedCloud({ entries: entries(20) });
      const intake = new IntakeFixture(cloud);
      try {
        await intake.pull();
        intake.apply();
        const { appliedCursor } = intake.status();
        await intake.pull();
        await intake.pull();
        const body = intake.rawBodyAfter(appliedCursor);
        intake.ledger.close();
        // A column of its own holds the id as well, so the search begins after its name in the body.
        const id = /"bundle_id":"[\w-]+"/.exec(Buffer.from(body).toString('utf8'))?.[0] ?? '';
        const at = flip(intake.file, id, 14);
        intake.reopen();
        expect(() => intake.apply()).toThrow(RawBundleDamagedError);
        expect(intake.status().appliedCursor).toBe(appliedCursor);
        const { alarms, lastError } = intake.status();
        expect(alarms).toContain('RAW_DAMAGED');
        expect(lastError?.message).toContain('intake repair');
        expect(() => intake.promises()).toThrow(/hash/);
        if (how === 'repaired') expect(await intake.repair()).toHaveLength(1);
        else {
          intake.ledger.close();
          flipAt(intake.file, at);
          intake.reopen();
        }
        await intake.catchUp();
        expect(intake.status()).toMatchObject({ lastError: null, quarantinedBundles: how === 'repaired' ? 1 : 0 });
        expect(intake.status().alarms).not.toContain('RAW_DAMAGED');
      } finally {
        await intake.close();
        await cloud.close();
      }
    },
  );

  test('a bit that flips in a raw body that was applied long ago: intake verify finds it and names it', async () => {
    const { cloud, env } = await newCloud();
    cloud.entries = entries(40, SEED);
    const file = path.join(folder, 'flipped.sqlite');
    expect(await drained(services.start('intake', { env: env(file) }), file, cloud)).toEqual({ code: 0, signal: null });
    expect(await verify(services, file)).toMatchObject({ code: 0 });
    const at = flip(file, '"generated_at":"', 18);
    const found = await verify(services, file);
    expect(found.code).toBe(1);
    expect(found.said).toMatch(/raw bundle after cursor \d+ does not fit its SHA-256/);
    flipAt(file, at);
    expect(await verify(services, file)).toMatchObject({ code: 0 });
  });

  test('pages that are noise: the Intake refuses the file in one sentence instead of working on it', async () => {
    const { cloud, env } = await newCloud();
    cloud.entries = entries(runs(60, 200), SEED);
    const file = path.join(folder, 'pages.sqlite');
    expect(await drained(services.start('intake', { env: env(file) }), file, cloud)).toEqual({ code: 0, signal: null });
    const page = readPageSize(file);
    const pages = statSync(file).size / page;
    let refused = 0;
    for (let time = 0; time < PAGES; time++) {
      const copy = path.join(folder, `pages-${time}.sqlite`);
      copyFileSync(file, copy);
      const noise = Buffer.from(Array.from({ length: page }, () => random.below(256)));
      const number = time === 0 ? 0 : random.below(pages);
      overwrite(copy, number * page, noise);
      const intake = services.start('intake', { env: env(copy) });
      // A page that holds nothing yet may be noise: then it starts, and everything must hold.
      const ready = await intake.logLine('ready', (line) => line.msg === 'ready').catch(() => null);
      if (ready === null) {
        refused++;
        expect(await intake.ended(), `page ${number}`).toEqual({ code: LEDGER_EXIT_CODES.damaged, signal: null });
        expect(intake.stderr).toMatch(/damaged.*backup/);
        expect(intake.stderr.trim().split('\n'), intake.stderr).toHaveLength(1);
      } else {
        expect(await drained(intake, copy, cloud)).toEqual({ code: 0, signal: null });
        checkCaughtUp(copy, cloud);
      }
    }
    expect(refused).toBeGreaterThan(PAGES / 2);
  });

  test.each(some(1, ['and the index', 'and not the index']))(
    'a log that is missing, %s: an older ledger or a refusal, and no promise broken',
    async (which) => {
      const { cloud, env } = await newCloud();
      let more = true;
      cloud.entries = [];
      growing(cloud, SEED + 1, () => more);
      const file = path.join(folder, `no-log-${which.length}.sqlite`);
      for (let time = 0; time < LOGS; time++) {
        const intake = services.start('intake', { env: env(file) });
        await intake.logLine('work', (line) => line.msg === 'entries applied');
        await delay(random.below(150));
        await intake.kill();
        rmSync(`${file}-wal`);
        if (which === 'and the index') rmSync(`${file}-shm`);
        else expect(existsSync(`${file}-shm`)).toBe(true);
      }
      more = false;
      expect(await drained(services.start('intake', { env: env(file) }), file, cloud)).toEqual({
        code: 0,
        signal: null,
      });
      checkCaughtUp(file, cloud);
    },
  );
});

/**
 * Flips a bit so far behind the beginning of every place in a file that holds these bytes: room that SQLite
 * does not use any more may hold them as well. Gives the places.
 */
function flip(file: string, wanted: string, behind: number): number[] {
  const bytes = readFileSync(file);
  const places: number[] = [];
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) places.push(at + behind);
  expect(places, 'the bytes are in the file').not.toEqual([]);
  flipAt(file, places);
  return places;
}

function flipAt(file: string, places: readonly number[]): void {
  const bytes = readFileSync(file);
  for (const at of places) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
