/** Runs the Vitest projects of one suite in a separate process and counts its results. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hasDisplay, startDisplay } from './display.ts';
import { processorTimeMs } from '../bench/processor-time.ts';
import { endLeftovers } from './leftovers.ts';
import { BUNDLES, RUN_MARK, type Exit } from './process.ts';
import { STRAY_ERRORS } from './stray-errors.ts';
import { FILE_TIMES, readFileTimes } from './suite-files.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SuiteOutcome {
  name: string;
  passed: number;
  failed: number;
  /** Tests that a condition (another operating system) or a filter skips. */
  skipped: number;
  ms: number;
  /** Processor time of its files and of all processes that they started, in ms; null where the system does not tell. */
  processorMs: number | null;
  files: SuiteFile[];
  /** Notes, such as the reason why a suite counts as failed although no test did. */
  notes: string[];
}

export interface SuiteFile {
  /** Path from the project's folder. */
  name: string;
  /** Duration in ms; other files may run at the same time. */
  ms: number;
  /** Processor time in ms, or null where the system does not tell. */
  processorMs: number | null;
}

/** The part of Vitest's JSON report that is used. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** A suite that takes longer hangs. Generous: the longest of `npm run test:deep` should take a third of it. */
const SUITE_LIMIT_MS = 60 * 60_000;
/** Suites that open windows. */
const WITH_DISPLAY = ['program'];

let stopped: NodeJS.Signals | null = null;
/** Processor time that no parent has inherited. */
let orphanedMs = 0;
/** Processor time at the signal. Processes whose parent ends before them take theirs along. */
let spentAtStop = 0;
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopped === null) spentAtStop = processorTime() ?? 0;
    stopped ??= signal;
    for (const child of running) endGroup(child, 'SIGTERM');
  });
}

/** The signal that has stopped this run, or null. */
export function interruption(): NodeJS.Signals | null {
  return stopped;
}

export interface SuiteOptions {
  /** Where Vitest's own output goes; to the console unless told otherwise. `hold` gives it to the console at its end. */
  output?: 'inherit' | 'ignore' | 'hold';
  /** Time in ms for processes to end after the suite. */
  graceMs?: number;
  /** Makes the parts' bundles and gives their folder; without it parts start from their sources. */
  bundles?: () => Promise<string>;
}

/** Runs the suite `name`; `rest` are path filters and options for Vitest. Never throws because of a suite's result. */
export async function runSuite(
  root: string,
  name: string,
  rest: string[],
  options: SuiteOptions = {},
): Promise<SuiteOutcome> {
  const watch = stopwatch();
  const outcome: SuiteOutcome = {
    name,
    passed: 0,
    failed: 0,
    skipped: 0,
    ms: 0,
    processorMs: null,
    files: [],
    notes: [],
  };
  const fail = (note: string): void => {
    outcome.failed += 1;
    outcome.notes.push(note);
  };
  const temporary = temporaryFolder();
  try {
    await using display = WITH_DISPLAY.includes(name) && !hasDisplay() ? await temporaryDisplay() : null;
    const file = path.join(root, 'artifacts/reports', `${name}.json`);
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
    const times = path.join(root, 'artifacts/reports', `${name}-times.jsonl`);
    rmSync(times, { force: true });
    const strays = path.join(root, 'artifacts/reports', `${name}-strays.json`);
    rmSync(strays, { force: true });
    const mark = randomUUID();
    const env = {
      ...process.env,
      [RUN_MARK]: mark,
      // Parts are started a thousand times; cached compiled code loads in a third less processor time.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/node'),
      [BUNDLES]: await options.bundles?.(),
      [FILE_TIMES]: times,
      [STRAY_ERRORS]: strays,
      TMPDIR: temporary,
      ...(display === null ? {} : { DISPLAY: display.name }),
    };
    const args = [
      '--project',
      `${name}*`,
      '--reporter=default',
      '--reporter=json',
      `--reporter=${path.join(import.meta.dirname, 'stray-errors.ts')}`,
      `--outputFile.json=${file}`,
      ...rest,
    ];
    const exit = await vitest(root, args, env, options.output ?? 'inherit');
    const report = readJson<Report>(file);
    if (report === null) {
      fail(`the suite wrote no report (code ${exit.code}, signal ${exit.signal}): it crashed, hung or was killed`);
    } else {
      count(report, root, outcome, fail);
      const told = readFileTimes(times);
      outcome.processorMs = told?.files.values().reduce((sum, ms) => sum + ms, 0) ?? null;
      orphanedMs += told?.orphanedMs ?? 0;
      outcome.files = report.testResults.map((file) => ({
        name: path.relative(root, file.name),
        ms: file.endTime - file.startTime,
        processorMs: told?.files.get(file.name) ?? null,
      }));
      for (const stray of readJson<string[]>(strays) ?? [])
        fail(`no test awaited this ${stray.split('\n').slice(0, 10).join('\n            ')}`);
      if (exit.code !== 0 && outcome.failed === 0)
        fail(`every test passed, but Vitest ended with code ${exit.code}, signal ${exit.signal}: see the errors above`);
    }
    if (outcome.passed + outcome.failed === 0) fail('the suite ran no test');
    for (const { pid, command } of await endLeftovers(mark, options.graceMs))
      fail(`left a process behind, which was ended: ${pid} ${command}`);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
  return { ...outcome, ms: watch().ms };
}

/** Measures from now on: wall time, and processor time of this process and all that it has started. */
export function stopwatch(): () => Pick<SuiteOutcome, 'ms' | 'processorMs'> {
  const began = performance.now();
  const before = processorTime();
  return () => {
    const after = processorTime();
    return {
      ms: performance.now() - began,
      processorMs: before === null || after === null ? null : Math.max(after, spentAtStop) - before,
    };
  };
}

/** Processor time so far of this process and all that it has started, in ms. */
function processorTime(): number | null {
  return process.platform === 'linux' ? processorTimeMs({ own: true }) + orphanedMs : null;
}

async function temporaryDisplay(): Promise<AsyncDisposable & { name: string }> {
  const display = await startDisplay();
  return { name: display.name, [Symbol.asyncDispose]: () => display.end() };
}

async function vitest(
  root: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  output: NonNullable<SuiteOptions['output']>,
): Promise<Exit> {
  const stream = output === 'hold' ? 'pipe' : output;
  const script = path.join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [script, 'run', '--config', path.join(root, 'test/vitest.config.ts'), ...args],
    {
      cwd: root,
      env,
      stdio: ['ignore', stream, stream],
      // A process group of its own, so that a hanging suite is ended with all its workers.
      detached: process.platform !== 'win32',
    },
  );
  running.add(child);
  const held: Buffer[] = [];
  for (const one of [child.stdout, child.stderr]) one?.on('data', (text: Buffer) => held.push(text));
  const limit = setTimeout(() => endGroup(child, 'SIGKILL'), SUITE_LIMIT_MS);
  try {
    return await new Promise<Exit>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    clearTimeout(limit);
    running.delete(child);
    process.stdout.write(Buffer.concat(held));
  }
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The report in this file, or null without a whole one. */
function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return null;
  }
}

function count(report: Report, root: string, outcome: SuiteOutcome, fail: (note: string) => void): void {
  outcome.passed += report.numPassedTests;
  outcome.failed += report.numFailedTests;
  outcome.skipped += report.numPendingTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = path.relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // Readers start at the end of a long log, and sometimes only that is kept.
    for (const test of failed) outcome.notes.push(`${file}: ${test.fullName}${reason(test.failureMessages)}`);
    // A file that breaks before its first test, or in a hook, has no failed test to count.
    if (status === 'failed' && failed.length === 0) fail(`${file} broke outside its tests: ${shortened(message)}`);
  }
}

function reason(messages: string[]): string {
  return messages.map((message) => `\n            ${shortened(message)}`).join('');
}

/**
 * A message without its stack, in at most ten lines: the first two, and the last ones, where the log of a browser tells
 * how the browser ended.
 */
function shortened(message: string): string {
  const [said = ''] = message.split(/\n\s+at /u);
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const kept = lines.length <= 10 ? lines : [...lines.slice(0, 2), ...lines.slice(-8)];
  return kept.map((line) => line.slice(0, 300)).join('\n            ');
}
