/**
 * Faults 28, 30 and 35 at single system calls: strace ends the Intake at the N-th write to the disk, or
 * lets the N-th write or sync fail. The numbers come from the printed seed.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { archiveRawBodies } from '../../../agent/intake/backup/archive.ts';
import { backupLedger } from '../../../agent/intake/backup/backup.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { bodyOf, bundleOf, newAt, readableLog, TENANT } from '../../support/agent/intake.ts';
import { verifyLedger } from '../../../agent/intake/maintenance/verify.ts';
import { chainEnd, recordAction } from '../../../agent/ledger/audit/audit.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { commitBundle, rawBundleAfter } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import type { Part } from '../../support/process.ts';
import { newSeed, runs, some } from '../../support/runs.ts';
import { checkCopy, drained, growing, intakeEnv, processes } from './process-fixture.ts';
import { checkCaughtUp } from '../invariants.ts';
import { entries } from '../truth.ts';
import { Seeded } from '../../support/seeded.ts';

const SEED = newSeed();
const LIVES = runs(2, 30);
/** Calls that fail, each with its error. SQLite tells both kinds to the ledger alike; a disk without space is in `disk.test.ts`. */
const FAILING = [
  ['fsync', 'EIO'],
  ['pwrite64', 'ENOSPC'],
  ['pwrite64', 'EIO'],
].slice(0, runs(1, 3));
const random = new Seeded(SEED);

const canTrace = spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true']).status === 0;

const run = processes();

/** An Intake with an injection at its system calls, in strace's own syntax (`fsync:error=EIO:when=3`). */
function traced(env: Record<string, string>, ...injections: string[]): Part {
  return tracedCommand([], env, ...injections);
}

/** The same for one of its commands. */
function tracedCommand(args: readonly string[], env: Record<string, string>, ...injections: string[]): Part {
  const calls = [...new Set(injections.map((injection) => injection.split(':')[0]))].join(',');
  const inject = injections.flatMap((injection) => ['-e', `inject=${injection}`]);
  // -D: the Intake itself is our child, so that it gets the signals that are meant for it.
  return run.fixture.start('-D', {
    program: 'strace',
    args: [
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
      ...inject,
      process.execPath,
      run.services.script('intake'),
      ...args,
    ],
    env: { ...run.services.env, ...env },
  });
}

const NOTHING = Buffer.alloc(0);

/** A ledger of bundles that came long ago, more than one transaction of "archive" takes. Gives their bodies. */
function oldLedger(file: string): Buffer[] {
  const ledger = openLedger(file);
  const bodies = Array.from({ length: 150 }, (_, cursor) =>
    bodyOf(bundleOf(cursor, [newAt(cursor + 1, `r${cursor}`)], { bundle_id: `b${cursor}` })),
  );
  ledger.write((tx) => {
    for (const [cursor, body] of bodies.entries())
      commitBundle(tx, {
        ...{ cursorFrom: cursor, cursorTo: cursor + 1, bundleId: `b${cursor}`, entryCount: 1, tenantId: TENANT },
        ...{ body, signature: null, statement: null, receivedAt: '2025-01-01T00:00:00.000Z' },
      });
  });
  const { log } = readableLog();
  while (applyNext({ ledger, screenEntry: createEntryScreening(log), clock: systemClock, log }));
  ledger.close();
  return bodies;
}

const KILLED = { code: null, signal: 'SIGKILL' };

describe.skipIf(!canTrace)('with strace (skipped where it is missing or may not trace)', () => {
  test('28: SIGKILL at the N-th write to the disk, life after life', async () => {
    const { cloud, intake } = await run.newCloud();
    const folder = run.fixture.folder('steps');
    const file = path.join(folder, 'ledger.sqlite');
    const env = { ...intakeEnv(file), ...intake };
    let more = true;
    growing(cloud, SEED, () => more);
    const first = run.services.start('intake', { env });
    await first.logLine('entries applied', (line) => line.msg === 'entries applied');
    await first.kill();
    for (let life = 1; life <= LIVES; life++) {
      const killed = traced(env, `pwrite64:signal=KILL:when=${1 + random.below(120)}`);
      expect(await killed.ended(), killed.stderr).toEqual(KILLED);
      if (life % runs(2, 4) !== 0) continue;
      const copies = path.join(folder, 'copies');
      mkdirSync(copies);
      checkCopy(file, copies, cloud);
      rmSync(copies, { recursive: true });
    }
    more = false;
    expect(await drained(run.services.start('intake', { env }), file, cloud)).toEqual({ code: 0, signal: null });
    // Two of the kills may have come at one and the same entry, which was then rejected.
    const replay = run.services.start('intake', { args: ['replay'], env: { CAUSEWAY_LEDGER: file } });
    expect(await replay.ended()).toEqual({ code: 0, signal: null });
    checkCaughtUp(file, cloud);
  });

  test('35: SIGKILL at the N-th write of the first start, when the tables are made', async () => {
    const { cloud, intake } = await run.newCloud();
    cloud.entries = entries(9, SEED);
    const folder = run.fixture.folder('first');
    let within = 0;
    const lives = runs(3, 12);
    /** Writes of a first start before it is ready, or some fewer. */
    const WRITES = 320;
    for (let life = 0; life < lives; life++) {
      const at = 1 + Math.floor(((life + random.next()) / lives) * WRITES);
      const file = path.join(folder, `${at}.sqlite`);
      const env = { ...intakeEnv(file), ...intake };
      const killed = traced(env, `pwrite64:signal=KILL:when=${at}`);
      expect(await killed.ended(), killed.stderr).toEqual(KILLED);
      if (!killed.logs.some((line) => line.msg === 'ready')) within++;
      expect(await drained(run.services.start('intake', { env }), file, cloud)).toEqual({ code: 0, signal: null });
      checkCaughtUp(file, cloud);
    }
    expect(within, 'most of the kills came before the ledger was ready').toBeGreaterThan(lives / 2);
  });

  test('33: SIGKILL at each step of a backup’s replacement of the ledger leaves one of the two, whole', async () => {
    const { cloud, intake } = await run.newCloud();
    cloud.entries = entries(12, SEED);
    const folder = run.fixture.folder('restoring');
    const file = path.join(folder, 'ledger.sqlite');
    const env = { ...intakeEnv(file), ...intake };
    expect(await drained(run.services.start('intake', { env }), file, cloud)).toEqual({ code: 0, signal: null });
    const ledger = openLedger(file);
    const backup = path.join(folder, 'backup.sqlite');
    await backupLedger(ledger, backup);
    const mark = (text: string): void =>
      void ledger.write((tx) =>
        recordAction(tx, {
          at: text,
          actor: { kind: 'SYSTEM' },
          action: 'x',
          targetType: 'x',
          targetId: null,
          detail: {},
        }),
      );
    // Two rows that only the previous ledger has: the restore leaves one row of its own in the backup.
    mark('first');
    mark('second');
    ledger.close();
    const actions = (): number => {
      const opened = openLedger(file, { create: false, check: true });
      try {
        return chainEnd(opened).seq;
      } finally {
        opened.close();
      }
    };
    const before = actions();
    const args = ['restore', backup, '--accept-older'];
    // The link that keeps the previous ledger, the rename, and the syncs before and after them.
    const calls = ['link:signal=KILL:when=1', 'rename:signal=KILL:when=1', 'pwrite64:signal=KILL:when=200'];
    for (const call of some(2, [...calls, `fsync:signal=KILL:when=${1 + random.below(12)}`])) {
      const part = tracedCommand(args, env, call);
      const { signal } = await part.ended();
      expect(existsSync(file), call).toBe(true);
      if (signal === 'SIGKILL' && !call.startsWith('fsync')) expect(actions(), call).toBe(before);
      else expect([before, before - 1], call).toContain(actions());
      if (call.startsWith('link') || call.startsWith('rename')) expect(signal, part.stderr).toBe('SIGKILL');
    }
    const restored = run.services.start('intake', { args, env });
    expect(await restored.ended(), restored.stderr).toEqual({ code: 0, signal: null });
    expect(actions()).toBe(before - 1);
    checkCaughtUp(file, cloud);
  });

  test('33: SIGKILL at each rename of a restore beside a left log: the next one ends it, and the log keeps its bytes', async () => {
    const { cloud, intake } = await run.newCloud();
    cloud.entries = entries(12, SEED);
    const whole = path.join(run.fixture.folder('whole'), 'ledger.sqlite');
    const drainedOne = run.services.start('intake', { env: { ...intakeEnv(whole), ...intake } });
    expect(await drained(drainedOne, whole, cloud)).toEqual({ code: 0, signal: null });
    const ledger = openLedger(whole);
    const backup = `${whole}.backup`;
    const { actions } = await backupLedger(ledger, backup);
    const row = { actor: { kind: 'SYSTEM' }, action: 'x', targetType: 'x', targetId: null, detail: {} } as const;
    ledger.write((tx) => {
      for (let n = 0; n < 100; n += 1) recordAction(tx, { at: String(n), ...row });
    });
    const left = ['-wal', '-shm'].map((end) => [end, readFileSync(`${whole}${end}`)] as const);
    ledger.close();
    // The log and its index are set aside, then the ledger gets its name.
    for (const nth of some(1, [1, 2, 3])) {
      const folder = run.fixture.folder(`left-${nth}`);
      const file = path.join(folder, 'ledger.sqlite');
      for (const [end, bytes] of left) writeFileSync(`${file}${end}`, bytes);
      const env = { ...intakeEnv(file), ...intake };
      const killed = tracedCommand(['restore', backup], env, `rename:signal=KILL:when=${nth}`);
      expect(await killed.ended(), killed.stderr).toEqual(KILLED);
      const restored = run.services.start('intake', { args: ['restore', backup], env });
      expect(await restored.ended(), restored.stderr).toEqual({ code: 0, signal: null });
      const opened = openLedger(file, { create: false, check: true });
      expect([chainEnd(opened).seq, verifyLedger(opened).findings]).toEqual([actions + 1, []]);
      opened.close();
      const kept = readdirSync(folder).map((name) => readFileSync(path.join(folder, name)));
      for (const [end, bytes] of left) expect([end, kept.some((each) => each.equals(bytes))]).toEqual([end, true]);
      checkCaughtUp(file, cloud);
    }
  });

  test('28: SIGKILL at each step of "archive": nothing is lost, and the same command again ends it', async () => {
    const folder = run.fixture.folder('archiving');
    const whole = path.join(folder, 'whole.sqlite');
    const bodies = oldLedger(whole);
    // The new file's name, the bodies there, the transaction, a second batch on top, and the ledger's own file at the end.
    const syncs = [1, 2, 3, 5, 6, 7, 9].map((nth) => `fsync:signal=KILL:when=${nth}`);
    const first = `write:signal=KILL:when=${10 + random.below(80)}`;
    const all = [...syncs, first, 'write:signal=KILL:when=130', `pwrite64:signal=KILL:when=${5 + random.below(50)}`];
    const calls = random.shuffled(all).slice(0, runs(2, all.length));
    for (const [life, call] of calls.entries()) {
      const file = path.join(folder, String(life), 'ledger.sqlite');
      mkdirSync(path.dirname(file));
      copyFileSync(whole, file);
      const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_ARCHIVE_AFTER_DAYS: '180' };
      const killed = tracedCommand(['archive'], env, call);
      expect([call, await killed.ended()], killed.stderr).toEqual([call, KILLED]);
      const ledger = openLedger(file, { create: false, check: true });
      try {
        expect([call, verifyLedger(ledger).findings]).toEqual([call, []]);
        archiveRawBodies(ledger, 180, systemClock.now());
        expect([call, verifyLedger(ledger).findings]).toEqual([call, []]);
        const left = ledger.all(sqlite.selectFrom('raw_bundle').select('body')).filter(({ body }) => body.length > 0);
        expect([call, left.length]).toEqual([call, 0]);
        for (const [cursor, body] of bodies.entries())
          expect(body.equals(rawBundleAfter(ledger, cursor)?.body ?? NOTHING), `${call}, cursor ${cursor}`).toBe(true);
      } finally {
        ledger.close();
      }
    }
  });

  test.each(FAILING)(
    '30: a %s that fails with %s now and then is told, and the same process recovers by itself',
    async (call, error) => {
      const { cloud, intake } = await run.newCloud();
      cloud.entries = entries(60, SEED);
      const file = path.join(run.fixture.folder('failing'), 'ledger.sqlite');
      const env = { ...intakeEnv(file), ...intake };
      const first = run.services.start('intake', { env });
      expect(await drained(first, file, cloud)).toEqual({ code: 0, signal: null });
      const before = cloud.entries.length;
      // So many that the calls are made on a slow machine too, which applies more in one transaction.
      cloud.entries.push(...entries(before + 120, SEED).slice(before));
      // A few calls after the start fail in a row, then the cause ends.
      const begin = 20 + random.below(20);
      const failing = traced(env, `${call}:error=${error}:when=${begin}..${begin + 4}`);
      await failing.logLine(
        'the fault to be told',
        (line) => line.level === 50 && JSON.stringify(line).includes('ledger'),
      );
      expect(await drained(failing, file, cloud), failing.stderr).toEqual({ code: 0, signal: null });
      checkCaughtUp(file, cloud);
    },
  );
});
