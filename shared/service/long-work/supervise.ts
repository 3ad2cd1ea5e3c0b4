/**
 * Runs a long command in a thread and stays awake beside it: says at a fixed interval how far it is, and stops it at
 * SIGINT or SIGTERM (D183). Statements of SQLite that take minutes block the thread that they run on, so that neither a
 * signal nor a line would come through there.
 */
import { rmSync } from 'node:fs';
import { constants, totalmem } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { readVariables, variable } from '../variables.ts';
import { SHARED, STOPPED_EXIT_CODE, type Stage, type ThreadData, type ToSupervisor } from './progress.ts';

export const PROGRESS_VARIABLE = {
  CAUSEWAY_PROGRESS_SECONDS: variable.defaulted(
    'how often a long command says how far it is (0: at every look); one that is done sooner says nothing',
    10,
    variable.wholeNumber(0, 3_600),
  ),
};

export interface LongCommand {
  /** The arguments of this program, which runs the command in the thread. */
  args: readonly string[];
  /** What a stop leaves and how the next run goes on: a sentence. */
  again: string;
  env: Record<string, string | undefined>;
  /** Takes the lines; they are no result of the command. */
  say(line: string): void;
  /** True: what the command prints is not shown. */
  isQuiet?: boolean;
}

const LOOK_MS = 250;
/** The same wish twice: from the terminal, and passed on by the program that started this one. */
const SAME_WISH_MS = 500;
/** A step that has not ended by then is ended with the process; SQLite takes an open transaction back. */
const PATIENCE_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

/** The first wish to stop, and when it came. */
interface Stop {
  signal: Signal;
  at: number;
}

/**
 * The most that the thread's values may take, in MB: three quarters of what the process may have. V8 would take half of
 * it, and what is derived from a ledger of five years takes half of the 2 GB of a unit.
 *
 * @param bound of the unit, in bytes; as large as can be where there is none
 */
export function heapMb(bound: number, machine: number): number {
  return Math.floor((0.75 * Math.min(bound === 0 ? machine : bound, machine)) / 1_048_576);
}

const number = (value: number): string => Math.round(value).toLocaleString('en');

/**
 * @returns the command's exit code, or 128 and the signal's number where it was stopped; in the middle of a step the
 * signal ends the process, for which a shell says the same number
 * @throws ConfigurationError, and what ends the thread without being caught there
 */
export async function supervise({ args, again, env, say, isQuiet = false }: LongCommand): Promise<number> {
  const { CAUSEWAY_PROGRESS_SECONDS: seconds } = readVariables(PROGRESS_VARIABLE, env);
  const shared = new Int32Array(new SharedArrayBuffer(SHARED.length * Int32Array.BYTES_PER_ELEMENT));
  const data: ThreadData = { longWork: shared.buffer };
  const thread = new Worker(path.resolve(process.argv[1] ?? ''), {
    argv: [...args],
    workerData: data,
    execArgv: [],
    stdout: isQuiet,
    resourceLimits: { maxOldGenerationSizeMb: heapMb(process.constrainedMemory(), totalmem()) },
  });
  let stages: readonly Stage[] = [];
  let saidAt = 0;
  /** How far it is; null before its plan. */
  const place = (): string | null => {
    const stage = stages[Atomics.load(shared, SHARED.stage)];
    return stage === undefined
      ? null
      : `${number(Atomics.load(shared, SHARED.done))} of ${number(stage.units)} ${stage.name}`;
  };
  const sayPlace = (): void => {
    const present = place();
    if (present === null || performance.now() - saidAt < seconds * 1_000) return;
    saidAt = performance.now();
    say(`Stage ${Atomics.load(shared, SHARED.stage) + 1} of ${stages.length}: ${present}. Ctrl-C stops it.`);
  };
  let unfinished: string | null = null;
  thread.on('message', (message: ToSupervisor) => {
    if ('plan' in message) {
      stages = message.plan;
      saidAt = performance.now();
    } else unfinished = message.unfinished;
  });
  let stop: Stop | null = null;
  const sayStopped = (): void => {
    const present = place();
    say(`Stopped ${present === null ? 'before it began' : `at ${present}`}. ${again}`);
  };
  const leave = (): void => {
    clearInterval(look);
    for (const signal of SIGNALS) process.off(signal, take);
  };
  /** Ends the process beside a step that nothing interrupts: by the signal itself, because an exit waits for the thread. */
  const end = ({ signal }: Stop): void => {
    for (const beside of unfinished === null ? [] : ['', '-wal', '-shm', '-journal'])
      rmSync(`${unfinished}${beside}`, { force: true });
    sayStopped();
    leave();
    // A service takes signals itself, and would take this one, too.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  const look = setInterval(() => {
    sayPlace();
    if (stop !== null && performance.now() - stop.at > PATIENCE_MS) end(stop);
  }, LOOK_MS);
  const take = (signal: Signal): void => {
    const at = performance.now();
    if (stop !== null && at - stop.at > SAME_WISH_MS) end(stop);
    if (stop !== null) return;
    stop = { signal, at };
    Atomics.store(shared, SHARED.stop, 1);
    say('Stopping after the present step; a second signal ends it at once.');
  };
  for (const signal of SIGNALS) process.on(signal, take);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      thread.once('error', reject);
      thread.once('exit', resolve);
    });
    const asked = stop as Stop | null;
    if (code !== STOPPED_EXIT_CODE || asked === null) return code;
    sayStopped();
    return 128 + constants.signals[asked.signal];
  } finally {
    leave();
  }
}
