/** The process that makes the file of one request, and its channel: a line of JSON for each step on standard output. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { InspectionStoppedError } from '../../../agent/ledger/inspection/errors.ts';
import { workOn, type WorkParts } from '../../../agent/ledger/inspection/work.ts';
import type { Launch, WorkLine } from '../context/inspection-runner.ts';

/** The lowest priority: any other work of the machine goes first. */
const LOWEST = 19;
/** Rests for so many times as long as it kept a processor busy: it takes a third of one at most. */
const REST_TIMES = 2;

/** A rest after the work since the last one. */
export function gentle(): () => Promise<unknown> {
  let before = process.cpuUsage();
  return async () => {
    const { user, system } = process.cpuUsage(before);
    await sleep(((user + system) / 1_000) * REST_TIMES);
    before = process.cpuUsage();
  };
}

/** @param entry the file of this program, which runs the command `inspection work FOLDER` */
export const launchProcess =
  (entry: string, env: Record<string, string | undefined>, complain: (line: string) => void): Launch =>
  (folder) => {
    const child = spawn(process.execPath, [entry, 'inspection', 'work', folder], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stdout });
    createInterface({ input: child.stderr }).on('line', complain);
    child.once('error', (error) => {
      complain(error.message);
      lines.close();
    });
    return {
      lines: told(lines),
      end: () => void child.kill('SIGKILL'),
    };
  };

async function* told(lines: AsyncIterable<string>): AsyncGenerator<WorkLine> {
  for await (const line of lines) yield JSON.parse(line) as WorkLine;
}

/** The work in this process, as lines. */
export async function* linesOf(folder: string, parts: WorkParts): AsyncGenerator<WorkLine> {
  const work = workOn(folder, parts);
  try {
    for (let step = await work.next(); ; step = await work.next()) {
      yield step.done === true ? { made: step.value } : { done: step.value };
      if (step.done === true) return;
    }
  } catch (error) {
    if (!(error instanceof InspectionStoppedError)) throw error;
    yield { stop: error.stop, message: error.message };
  }
}

/** Runs in the process beside the console API; ends with it. */
export async function runWork(
  folder: string,
  parts: Omit<WorkParts, 'rest'>,
  print: (line: string) => void,
): Promise<void> {
  setPriority(LOWEST);
  // The folder says how far the work is. An orderly exit may never end in the middle of work (`endProcess`).
  process.stdin.resume().once('end', () => process.kill(process.pid, 'SIGKILL'));
  try {
    for await (const line of linesOf(folder, { ...parts, rest: gentle() })) print(JSON.stringify(line));
  } finally {
    process.stdin.destroy();
  }
}
