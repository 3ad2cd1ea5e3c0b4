/** The long commands as an operator runs and stops them: real processes on a ledger of some thousand explanations. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { asPresentRelease, NEXT, NEXT_RELEASE, PRESENT } from '../../test/support/agent/next-release.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestFixture, type Exit, type Part } from '../../test/support/process.ts';
import { deepTest } from '../../test/support/runs.ts';
import { MIGRATED, openLedger } from '../ledger/storage/ledger.ts';
import { verifyLedger } from './maintenance/verify.ts';
import { changeOnDisk, newAt, partsOn, takeIn } from '../../test/support/agent/intake.ts';

const ENTRIES = 4_000;
const AT_ONCE = 100;
const PATIENCE_MS = 120_000;

const fixture = new TestFixture();
let folder: string;
let file: string;
/** Of so few explanations that no command takes long. */
let small: string;

function fill(ledgerFile: string, entries: number): void {
  const ledger = openLedger(ledgerFile, { synced: false });
  const parts = partsOn(ledger, '2026-11-20T08:00:00.000Z');
  for (let from = 0; from < entries; from += AT_ONCE)
    takeIn(parts, ...Array.from({ length: AT_ONCE }, (_, index) => newAt(from + index + 1, `e${from + index}`)));
  ledger.foldLog();
  ledger.close();
}

beforeAll(() => {
  folder = fixture.folder('long-commands');
  file = path.join(folder, 'ledger.sqlite');
  fill(file, ENTRIES);
  small = path.join(fixture.folder('short-commands'), 'ledger.sqlite');
  fill(small, AT_ONCE);
});
afterAll(() => fixture.clear());

let present: string[];
beforeEach(() => void (present = readdirSync(folder)));

const startOn = (ledger: string, args: string[], env: Record<string, string> = {}): Part =>
  fixture.start('agent/intake/main.ts', {
    args,
    env: {
      CAUSEWAY_LEDGER: ledger,
      CAUSEWAY_PROGRESS_SECONDS: '0',
      CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9',
      ...env,
    },
  });

const start = (...args: string[]): Part => startOn(file, args);

/** Stops it as soon as it has said how far it is. */
async function stopped(signal: 'SIGINT' | 'SIGTERM', ...args: string[]): Promise<{ exit: Exit; said: string }> {
  const part = start(...args);
  await part.output('Ctrl-C stops it.', PATIENCE_MS);
  const exit = await part.stop(signal, PATIENCE_MS);
  return { exit, said: part.stderr };
}

const ran = (...args: string[]): Promise<string> => outcome(start(...args));

async function outcome(part: Part): Promise<string> {
  expect(await part.ended(PATIENCE_MS)).toEqual({ code: 0, signal: null });
  return part.stdout;
}

test('verify says how far it is, stops with a sentence, and goes on', async () => {
  const { exit, said } = await stopped('SIGINT', 'verify');
  expect(exit).toEqual({ code: 130, signal: null });
  expect(said).toMatch(/^Stage \d of 7: [\d,]+ of [\d,]+ .*\. Ctrl-C stops it\.\n/);
  expect(said).toMatch(/Stopped at .* Nothing was changed\. Run "verify" again within a day/);
  const out = await ran('verify');
  expect(out).toMatch(/^Goes on from the run of \d{4}-.*, which has found sound: the pages, \d+ raw bundles/);
  expect(out).toContain('The ledger is sound.');
  expect(readdirSync(folder)).toEqual(present);
});

deepTest('a backup that was stopped leaves nothing, and the next one is whole', async () => {
  const backup = path.join(folder, 'backup.sqlite');
  const { exit, said } = await stopped('SIGTERM', 'backup', backup);
  expect(exit).toEqual({ code: 143, signal: null });
  expect(said).toMatch(/No backup was written, and nothing of it is left\. Run the command again/);
  expect(readdirSync(folder)).toEqual(present);
  expect(await ran('backup', backup)).toContain('Written and verified');
  const restoring = await stopped('SIGINT', 'restore', backup, '--accept-older');
  expect(restoring.exit.code).toBe(130);
  expect(existsSync(`${file}.incoming`)).toBe(false);
  expect(await ran('restore', backup, '--accept-older')).toContain('Restored up to cursor 4000');
});

deepTest('a rebuild that was stopped is completed by the next one', async () => {
  changeOnDisk(file, "UPDATE explanation SET summary = 'forged' WHERE number % 20 = 0");
  const { exit, said } = await stopped('SIGINT', 'rebuild');
  expect(exit.code).toBe(130);
  expect(said).toMatch(/What was corrected stays so/);
  expect(await ran('rebuild')).toMatch(/Rebuilt: 0 explanations restored, \d+ corrected/);
  const ledger = openLedger(file);
  expect(verifyLedger(ledger).findings).toEqual([]);
  ledger.close();
});

test('a command that is done sooner than its first line says nothing of its progress', async () => {
  const env = { CAUSEWAY_LEDGER: small, CAUSEWAY_PROGRESS_SECONDS: '3600' };
  const part = fixture.start('agent/intake/main.ts', { args: ['verify'], env });
  expect((await part.ended(120_000)).code).toBe(0);
  expect(part.stderr).toBe('');
});

test('an older ledger is migrated by the service with its progress in the log, and by the command', async () => {
  const migrated = (): Promise<string> => outcome(startOn(small, ['migrate'], NEXT_RELEASE));
  const said = await migrated();
  expect(said).toContain(`Migrated from schema version ${PRESENT} to ${NEXT}; the copy from before is `);
  expect(said).toContain(`.schema-${PRESENT}.`);
  expect(await migrated()).toContain(`The ledger has schema version ${NEXT} already.`);
  const db = new Database(small);
  expect(db.prepare('SELECT count(*) FROM upgraded').pluck().get()).toBe(AT_ONCE);
  asPresentRelease(db);
  db.close();
  const service = startOn(small, [], NEXT_RELEASE);
  await service.output(MIGRATED, PATIENCE_MS);
  await service.logLine('ready', (line) => line.msg === 'ready');
  expect(service.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([]);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
