/**
 * A ledger of five years at the contract's peak: the start of each part, the reviewer's screens, and every long command,
 * each stopped once and then run. `CAUSEWAY_BENCH_ENTRIES` makes a smaller one for tries; `CAUSEWAY_BENCH_LEDGER` names a file that is filled once and used again.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { NEXT_RELEASE } from '../../support/agent/next-release.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { startPart, type Part } from '../../support/process.ts';
import { median, quantile, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { logIn, startTimes, timed } from '../console/console.ts';
import { FIVE_YEARS } from './ledger-growth.ts';
import { A_DAY, fillYears } from './year-ledger.ts';

const DAY_MS = 86_400_000;
const HOURS_MS = 12 * 3_600_000;
const PAGES = 100;
const GB = 1024 ** 3;
const ENTRIES = Number(process.env['CAUSEWAY_BENCH_ENTRIES'] ?? FIVE_YEARS);
/** The archive leaves the last of five parts in the ledger: a year of five. */
const ARCHIVE_AFTER_DAYS = Math.ceil(ENTRIES / A_DAY / 5);
/** A command that was told to stop ends the step that it is in, or is ended after ten seconds. */
const STOP_SECONDS = 15;

export const fiveYears: Bench = {
  name: 'five-years',
  about: `a ledger of ${FIVE_YEARS.toLocaleString('en')} explanations: starts, screens, and each long command`,
  run: async (fixture) => {
    const kept = process.env['CAUSEWAY_BENCH_LEDGER'];
    const file = kept ?? path.join(fixture.folder('five-years'), 'ledger.sqlite');
    const begins = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - Math.ceil(ENTRIES / A_DAY) * DAY_MS);
    if (!existsSync(file)) fill(file, ENTRIES, begins, fixture.say);
    const rows = [
      valueRow('the ledger', 'GB', statSync(file).size / GB, { atMost: 50 }),
      ...(await starts(file)),
      ...(await screens(fixture, file)),
    ];
    // The commands take an hour or more after these.
    for (const { what, measured, unit } of rows) fixture.say(`${what}: ${measured.toFixed(2)} ${unit}`);
    return [...rows, ...(await commands(fixture, file))];
  },
};

function fill(file: string, entries: number, begins: Date, say: (line: string) => void): void {
  // Made anew where the machine fails meanwhile.
  const ledger = openLedger(file, { synced: false, cacheMb: 400 });
  seedDemo(ledger, { now: () => begins }, systemIds);
  fillYears(ledger, { from: 0, to: entries, begins, isReviewed: true }, say);
  ledger.foldLog();
  ledger.close();
}

/** Of the program, or of its next release where it migrates. */
const env = (file: string, args: readonly string[] = []): Record<string, string> => ({
  ...(args[0] === 'migrate' ? NEXT_RELEASE : {}),
  CAUSEWAY_LEDGER: file,
  CAUSEWAY_DEMO: '1',
  CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
  // Nothing listens there: every command works without the cloud.
  CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9',
  CAUSEWAY_ARCHIVE_AFTER_DAYS: String(ARCHIVE_AFTER_DAYS),
  CAUSEWAY_PROGRESS_SECONDS: '1',
});

async function starts(file: string): Promise<Row[]> {
  const began = async (script: string, what: string): Promise<number> => {
    const at = performance.now();
    const part = startPart(script, { env: env(file) });
    await part.logLine(what, (line) => line.msg === what, HOURS_MS);
    const took = performance.now() - at;
    await part.stop();
    return took;
  };
  return [
    valueRow('console API: ready', 'ms', median(await startTimes(file)), { atMost: 600 }),
    valueRow('provision API: listening', 'ms', await began('agent/provision/main.ts', 'listening'), { atMost: 600 }),
    valueRow('Intake: ready', 'ms', await began('agent/intake/main.ts', 'ready'), { atMost: 10_000 }),
  ];
}

/** The page of the forbidden words asks for the last days, up to the present one (`words-part.tsx`). */
const wordsOf = (days: number, last: Date): string =>
  `screening/words/counts?receivedFrom=${kstDate(new Date(last.getTime() - (days - 1) * DAY_MS))}&receivedTo=${kstDate(last)}`;

/** @param last when the last explanation came in */
const screensUpTo = (last: Date): Readonly<Record<string, readonly string[]>> => ({
  'review queue': ['review/items', 'review/items?reason=FORBIDDEN_WORDS', 'review/items?sort=newest&page=40'],
  lists: ['explanations', 'explanations?status=REJECTED', 'explanations?sort=oldest', 'explanations?page=40000'],
  search: ['반도체 업종', '순매수 777주', '외국인의', '없는 말씀', '매수 시점', '편입 비중'].map(
    (term) => `explanations?q=${encodeURIComponent(term)}`,
  ),
  'review statistics': ['review/statistics'],
  dashboard: ['dashboard/traffic'],
  'words, 30 days': [wordsOf(30, last)],
  'words, 365 days': [wordsOf(365, last)],
  'audit log': ['audit/actions', 'audit/actions?page=100'],
});

/** A ledger that is used again ends before the present day. */
function lastReceived(file: string): Date {
  const db = new Database(file, { readonly: true });
  const at = db.prepare('SELECT max(received_at) FROM explanation').pluck().get();
  db.close();
  return new Date(String(at));
}

async function screens(fixture: BenchFixture, file: string): Promise<Row[]> {
  const part = startPart('electron/console-api/main.ts', {
    env: { ...env(file), CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0' },
  });
  const api = await logIn(fixture, (await part.listening(undefined, HOURS_MS)).url);
  const rows: Row[] = [];
  for (const [name, paths] of Object.entries(screensUpTo(lastReceived(file)))) {
    const times = await timed(api, PAGES, (n) => `/api/v1/${paths[n % paths.length]}`);
    rows.push(valueRow(`${name}, p50`, 'ms', median(times), { atMost: 25 }));
    rows.push(valueRow(`${name}, p99`, 'ms', quantile(times, 0.99), { atMost: 100 }));
  }
  // A restore needs the ledger for itself.
  await part.stop();
  return rows;
}

interface Ran {
  seconds: number;
  /** Of the processor. */
  cpu: number;
  peakMb: number;
}

async function commands(fixture: BenchFixture, file: string): Promise<Row[]> {
  const folder = path.dirname(file);
  const backup = path.join(fixture.folder('five-years-backup'), 'backup.sqlite');
  const tidy = (): void => {
    for (const name of readdirSync(folder).filter((each) => /\.(?:before-|schema-)/.test(each)))
      rmSync(path.join(folder, name));
  };
  const rows: Row[] = [];
  const measure = async (name: string, script: string, args: string[]): Promise<void> => {
    // Verify, archive and upgrade go on after it: their time is that of the rest.
    rows.push(...(await stopped(name, script, args, file)));
    const { seconds, cpu, peakMb } = await run(script, args, file);
    fixture.say(`${name}: ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} of the processor, ${peakMb.toFixed(0)} MB`);
    rows.push(valueRow(name, 'minutes', seconds / 60, { atMost: 60 }));
    rows.push(valueRow(`${name}: processor`, 'minutes', cpu / 60, { atMost: 60 }));
    rows.push(valueRow(`${name}: most memory`, 'MB', peakMb, { atMost: 4_096 }));
  };
  const intake = 'agent/intake/main.ts';
  await measure('audit verify', 'electron/console-api/main.ts', ['audit', 'verify']);
  await measure('verify', intake, ['verify']);
  await measure('rebuild', intake, ['rebuild']);
  await measure('backup', intake, ['backup', backup]);
  await measure('restore', intake, ['restore', backup, '--accept-older']);
  tidy();
  rmSync(backup);
  await measure('archive', intake, ['archive']);
  await measure('upgrade', intake, ['migrate']);
  tidy();
  return rows;
}

async function run(script: string, args: string[], file: string): Promise<Ran> {
  const began = performance.now();
  const part = startPart(script, { args, env: env(file, args) });
  let [peakMb, cpu] = [0, 0];
  const looking = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(part));
    cpu = Math.max(cpu, cpuOf(part));
  }, 200);
  const { code } = await part.ended(HOURS_MS);
  clearInterval(looking);
  if (code !== 0)
    throw new Error(`${args.join(' ')} ended with ${code}: ${part.stderr.slice(-2_000)}${part.stdout.slice(-2_000)}`);
  return { seconds: (performance.now() - began) / 1_000, cpu, peakMb };
}

/** Stops a command after its first line of progress. On a small ledger it may end before that line: no row. */
async function stopped(name: string, script: string, args: string[], file: string): Promise<Row[]> {
  const part = startPart(script, { args, env: env(file, args) });
  try {
    await part.output('Ctrl-C stops it.', HOURS_MS);
  } catch (error) {
    if (part.exit?.code === 0) return [];
    throw error;
  }
  const began = performance.now();
  const { code, signal } = await part.stop('SIGINT', HOURS_MS);
  const seconds = (performance.now() - began) / 1_000;
  // In the middle of a statement the signal itself ends it. A command that takes no notice misses the bound of the row.
  const isStopped = (code === 130 || signal === 'SIGINT') && part.stderr.includes('Stopped at');
  if (!isStopped && code !== 0)
    throw new Error(`${args.join(' ')} was stopped and ended with ${code}: ${part.stderr.slice(-2_000)}`);
  return [valueRow(`${name}: from Ctrl-C to its end`, 's', seconds, { atMost: STOP_SECONDS })];
}

function peakOf({ pid }: Part): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
}

/** Processor time so far, in seconds. */
function cpuOf({ pid }: Part): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
