/** Tries mutants with tests in a process of Vitest, and begins another where a mutant does not come back. */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLAN, type Event, type Plan, type PlannedMutant } from './plan.ts';

/** Beyond the time that the process itself allows a mutant, in ms. */
const HUNG = 90_000;
/** A whole file without a mutant. */
const SLOW_FILE = 300_000;

export interface Tried {
  /** The test that noticed the mutant; null where none did. */
  killedBy: string | null;
  /** How many tests ran for it. */
  ran: number;
}

export interface Session {
  root: string;
  mutants: PlannedMutant[];
  tests: string[];
  slowest: number;
  say: (line: string) => void;
}

/** A file of tests that fails without a mutant proves nothing. */
export class UnsoundTestsError extends Error {
  constructor(file: string, why: string) {
    super(`${file} fails without a mutant: ${why}`);
    this.name = 'UnsoundTestsError';
  }
}

/** What became of each mutant, by its number. */
export async function tryMutants(session: Session): Promise<Map<number, Tried>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-mutate-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const results = new Map<number, Tried>(session.mutants.map(({ number }) => [number, { killedBy: null, ran: 0 }]));
  const tried = new Map<string, Set<number>>(session.tests.map((file) => [file, new Set()]));
  const alone = new Set<number>();
  let tests = session.tests;
  try {
    while (tests.length > 0) {
      const events = path.join(folder, 'events.jsonl');
      writeFileSync(events, '');
      const plan: Plan = {
        root: session.root,
        mutants: session.mutants,
        tests: tests.map((file) => ({ file, tried: [...(tried.get(file) ?? [])] })),
        killed: [...results].flatMap(([number, { killedBy }]) => (killedBy === null ? [] : [number])),
        alone: [...alone],
        events,
        slowest: session.slowest,
      };
      writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(plan));
      const left = await oneProcess(folder, events, session, { results, tried, alone });
      tests = left === null ? [] : tests.slice(tests.indexOf(left));
    }
  } finally {
    process.off('exit', remove);
    remove();
  }
  return results;
}

interface Known {
  results: Map<number, Tried>;
  tried: Map<string, Set<number>>;
  alone: Set<number>;
}

/** Runs until the tests end or a mutant does not come back; then the file to go on with. */
async function oneProcess(folder: string, events: string, session: Session, known: Known): Promise<string | null> {
  const log = openSync(path.join(folder, 'output.txt'), 'w');
  const child = spawn(
    process.execPath,
    [
      path.join(session.root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      path.join(import.meta.dirname, 'vitest.config.ts'),
    ],
    {
      cwd: session.root,
      env: { ...process.env, [PLAN]: path.join(folder, 'plan.json') },
      stdio: ['ignore', log, log],
      detached: true,
    },
  );
  const group = child.pid;
  let ended = false;
  const exit = new Promise<void>((resolve) => {
    child.on('exit', () => {
      ended = true;
      resolve();
    });
  });
  const killGroup = (): void => {
    if (group !== undefined && !ended) process.kill(-group, 'SIGKILL');
  };
  const exitNow = (): never => process.exit(1);
  process.once('exit', killGroup);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, exitNow);
  const reader = new EventReader(known, session.say);
  try {
    let length = 0;
    let since = performance.now();
    for (;;) {
      const wasEnded = ended;
      const lines = readFileSync(events, 'utf8').slice(length);
      const whole = lines.slice(0, lines.lastIndexOf('\n') + 1);
      length += whole.length;
      if (whole.length > 0) since = performance.now();
      for (const line of whole.split('\n').filter(Boolean))
        if (reader.take(JSON.parse(line) as Event)) return reader.file;
      // It ran out of memory, for example.
      if (wasEnded && reader.running !== null) return reader.hung();
      if (wasEnded) break;
      const waited = performance.now() - since;
      if (waited > reader.limit) return reader.hung();
      await Promise.race([exit, sleep(100)]);
    }
    if (!reader.isWhole(session.tests))
      throw new Error(`The tests ended early:\n${readFileSync(path.join(folder, 'output.txt'), 'utf8').slice(-4_000)}`);
    return null;
  } finally {
    killGroup();
    await exit;
    process.off('exit', killGroup);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, exitNow);
    closeSync(log);
  }
}

class EventReader {
  file: string | null = null;
  running: number | null = null;
  /** How long the next line may take. */
  limit = SLOW_FILE;
  private readonly known: Known;
  private readonly say: (line: string) => void;
  /** Since the last control. */
  private waiting: (Event & { is: 'end' })[] = [];

  constructor(known: Known, say: (line: string) => void) {
    this.known = known;
    this.say = say;
  }

  /** Whether the process cannot go on. */
  take(event: Event): boolean {
    switch (event.is) {
      case 'file':
        if (event.failed !== null) throw new UnsoundTestsError(event.test, event.failed);
        this.file = event.test;
        this.say(
          `${event.test}: ${event.tests} tests reach ${event.covered} mutants, ${(event.ms / 1000).toFixed(1)} s${event.slow === 0 ? '' : `, ${event.slow} too slow to repeat`}`,
        );
        return false;
      case 'start':
        this.running = event.number;
        this.limit = event.limit + HUNG;
        return false;
      case 'end':
        this.running = null;
        this.limit = SLOW_FILE;
        this.waiting.push(event);
        return false;
      case 'sound':
        this.settle();
        return false;
      case 'spoiled':
        // The control before it passed, so that the results of one mutant alone count.
        if (this.waiting.length === 1) this.settle();
        else for (const { number } of this.waiting) this.known.alone.add(number);
        return true;
    }
  }

  hung(): string | null {
    const { running, file } = this;
    if (running === null || file === null)
      throw new Error(`The tests stand still${file === null ? '' : ` in ${file}`}.`);
    if (this.waiting.length > 0 && !this.known.alone.has(running)) {
      // An earlier mutant may have left the loop: once more, with controls.
      for (const { number } of [...this.waiting, { number: running }]) this.known.alone.add(number);
      return file;
    }
    this.settle();
    this.known.tried.get(file)?.add(running);
    this.known.results.set(running, { killedBy: `${file}: does not end`, ran: 1 });
    return file;
  }

  isWhole(tests: readonly string[]): boolean {
    return this.waiting.length === 0 && this.running === null && (this.file !== null || tests.length === 0);
  }

  private settle(): void {
    for (const { number, test, by, ran } of this.waiting) {
      this.known.tried.get(test)?.add(number);
      const former = this.known.results.get(number);
      const killedBy = by === null ? null : `${test}: ${by}`;
      this.known.results.set(number, { killedBy: former?.killedBy ?? killedBy, ran: (former?.ran ?? 0) + ran });
    }
    this.waiting = [];
  }
}
