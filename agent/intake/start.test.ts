/**
 * A ledger that cannot be used when the Intake starts: it waits for passing faults, and ends with one sentence at
 * lasting ones.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { samplesIn } from '../../test/support/monitoring.ts';
import { entryOf } from '../../test/support/process.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { LEDGER_EXIT_CODES, RUNS_ALREADY_EXIT_CODE } from '../ledger/storage/errors.ts';
import { UNTOLD } from '../../shared/service/long-work/progress.ts';
import { openLedger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../ledger/inbox/sync-state.ts';
import { runCommand } from './commands.ts';
import { commitEntries, newAt, readableLog } from '../../test/support/agent/intake.ts';
import { makeVendorKey, pemOf } from '../../test/support/vendor-key.ts';

/** Memory, where a run keeps its temporary files, knows no immutable file before Linux 6.6. */
const DISK = process.platform === 'linux' ? '/var/tmp' : tmpdir();

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(DISK, 'causeway-start-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the Intake; `said` waits for a text in its output, `ended` for its exit code. */
function start(ledger: string, more = {}) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    CAUSEWAY_LEDGER: ledger,
    // No server listens on port 7, the port of the old echo service.
    CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:7',
    ...more,
  };
  const child = spawn(process.execPath, [entryOf('agent/intake/main.ts')], { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()));
  const ended = once(child, 'close').then(([code]) => code as number);
  return {
    said: async (text: string) => {
      while (!out.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended without saying "${text}":\n${out}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: () => child.kill('SIGTERM'),
    kill: () => child.kill('SIGKILL'),
    ended,
    out: () => out,
  };
}

test('the Intake waits for a ledger that another program holds', async () => {
  openLedger(file).close();
  const holder = new Database(file);
  holder.exec('BEGIN EXCLUSIVE');
  const intake = start(file);
  await intake.said('is locked by another program');
  holder.close();
  await intake.said('"msg":"ready"');
  intake.stop();
  expect(await intake.ended).toBe(0);
});

test('the metrics of a running Intake have an address of their own, and measure what it applies', async () => {
  const ledger = openLedger(file);
  // Issued and received while the Intake runs, as far as it can tell.
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  commitEntries(ledger, [{ ...newAt(1, 'a'), issued_at: soon }, newAt(2, 'b')], soon);
  ledger.close();
  const intake = start(file, { CAUSEWAY_INTAKE_METRICS_LISTEN: '127.0.0.1:0' });
  await intake.said('"msg":"entries applied"');
  const [, host = ''] = /"url":"http:\/\/([^"]+)","msg":"listening"/.exec(intake.out()) ?? [];
  expect(samplesIn(await (await fetch(`http://${host}/metrics`)).text())).toMatchObject({
    'causeway_intake_issued_to_committed_seconds_count{kind="NEW"}': 1,
    'causeway_intake_committed_to_applied_seconds_count{kind="NEW"}': 2,
    'causeway_intake_committed_to_applied_seconds_count{kind="INVALIDATION"}': 0,
    causeway_sync_unapplied_withdrawal_seconds: 0,
  });
  const second = start(path.join(folder, 'second.sqlite'), { CAUSEWAY_INTAKE_METRICS_LISTEN: host });
  expect([await second.ended, second.out()]).toEqual([
    1,
    expect.stringContaining(`CAUSEWAY_INTAKE_METRICS_LISTEN: ${host} cannot be listened on`),
  ]);
  intake.stop();
  expect(await intake.ended).toBe(0);
});

test('with a verification key the running Intake applies nothing that no key has signed, and says so', async () => {
  const ledger = openLedger(file);
  commitEntries(ledger, [newAt(1, 'a')], new Date().toISOString());
  const key = path.join(folder, 'signing.pub');
  writeFileSync(key, pemOf(makeVendorKey()));
  const intake = start(file, { CAUSEWAY_INTAKE_VERIFY_KEY: key });
  await intake.said('no verification key at hand has signed it');
  intake.stop();
  expect(await intake.ended).toBe(0);
  expect([readCursors(ledger).applied, syncStatus(ledger, new Date()).alarms]).toEqual([
    0,
    expect.arrayContaining(['RAW_DAMAGED']),
  ]);
  ledger.close();
});

test('the Intake can be stopped while it waits', async () => {
  openLedger(file).close();
  const holder = new Database(file);
  holder.exec('BEGIN EXCLUSIVE');
  const intake = start(file);
  await intake.said('is locked by another program');
  intake.stop();
  expect(await intake.ended).toBe(0);
  holder.close();
});

/** Not even root may write to a file that is immutable; not every file system knows it. */
function canBeImmutable(): boolean {
  const probe = mkdtempSync(path.join(DISK, 'causeway-start-'));
  try {
    execFileSync('chattr', ['+i', probe], { stdio: 'ignore' });
    execFileSync('chattr', ['-i', probe], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

test.skipIf(!canBeImmutable())('the status command works where nothing can be written', async () => {
  openLedger(file).close();
  execFileSync('chattr', ['+i', folder]);
  try {
    const printed: string[] = [];
    const print = (line: string): void => void printed.push(line);
    const context = {
      env: { CAUSEWAY_LEDGER: file },
      clock: systemClock,
      log: readableLog().log,
      print,
      progress: UNTOLD,
    };
    expect(await runCommand(['status'], context)).toBe(0);
    expect(JSON.parse(printed.join('\n'))).toMatchObject({ state: 'NEVER', committedCursor: 0 });
    await expect(runCommand(['verify'], context)).rejects.toThrow('cannot be opened for writing');
  } finally {
    execFileSync('chattr', ['-i', folder]);
  }
});

test.skipIf(!canBeImmutable())('the Intake waits for a read-only ledger', async () => {
  openLedger(file).close();
  execFileSync('chattr', ['+i', file]);
  try {
    const intake = start(file);
    await intake.said('may only be read');
    execFileSync('chattr', ['-i', file]);
    await intake.said('"msg":"ready"');
    intake.stop();
    expect(await intake.ended).toBe(0);
  } finally {
    execFileSync('chattr', ['-i', file]);
  }
});

test.each<[string, () => void, string, number]>([
  [
    'of a newer program',
    () => void new Database(file).pragma('user_version = 999'),
    'has schema version 999',
    LEDGER_EXIT_CODES['too-new'],
  ],
  [
    'that is none',
    () => writeFileSync(file, 'a text that is no ledger at all, long enough. '.repeat(20)),
    'is damaged or is not a ledger',
    LEDGER_EXIT_CODES.damaged,
  ],
  [
    'of no byte beside a log',
    () => (writeFileSync(file, ''), writeFileSync(`${file}-wal`, 'the log')),
    'but the log of one',
    LEDGER_EXIT_CODES.unreachable,
  ],
  [
    'in a folder that does not exist',
    () => (file = path.join(folder, 'none', 'ledger.sqlite')),
    'cannot be opened for writing',
    LEDGER_EXIT_CODES.unreachable,
  ],
])('a ledger %s ends it with one sentence and a code of its own', async (_, make, said, code) => {
  make();
  const intake = start(file);
  expect(await intake.ended).toBe(code);
  expect(intake.out()).toContain(said);
  expect(intake.out().trim().split('\n')).toHaveLength(1);
  if (existsSync(file)) expect(existsSync(`${file}-wal`)).toBe(said === 'but the log of one');
});

test('a second Intake on the same ledger ends with a code of its own; a killed one does not block the next', async () => {
  const first = start(file);
  await first.said('"msg":"ready"');
  const second = start(file);
  expect(await second.ended).toBe(RUNS_ALREADY_EXIT_CODE);
  expect(second.out()).toContain('Another Intake receives into the ledger');
  first.kill();
  await first.ended;
  const third = start(file);
  await third.said('"msg":"ready"');
  third.stop();
  expect(await third.ended).toBe(0);
});

test('a ledger of another tenant than the configured one ends it before the first request', async () => {
  const ledger = openLedger(file);
  ledger.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ tenant_id: 2 })));
  ledger.close();
  const intake = start(file, { CAUSEWAY_INTAKE_TENANT: '1' });
  expect(await intake.ended).toBe(1);
  expect(intake.out()).toContain('belongs to tenant 2, and CAUSEWAY_INTAKE_TENANT names tenant 1');
});
