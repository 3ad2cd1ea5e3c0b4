/**
 * A program with one long command, for the tests of `supervise`: `steps` works in small steps until it is stopped, `stuck`
 * is in one statement of SQLite that does not end, since another one holds its lock, `short` ends by itself with the code that is named.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { complain, print } from '../../../shared/service/terminal.ts';
import { progressOfThread, STOPPED_EXIT_CODE, StoppedError } from '../../../shared/service/long-work/progress.ts';
import { supervise } from '../../../shared/service/long-work/supervise.ts';

const [what = '', operand = ''] = process.argv.slice(2);
const STAGES = [
  { name: 'steps to do', units: 1_000_000 },
  { name: 'rows to count', units: 1_000_000 },
];

function work(): number {
  const progress = progressOfThread();
  progress.plan(STAGES);
  if (what === 'short') {
    print('done');
    return Number(operand);
  }
  if (what === 'stuck') {
    progress.unfinished(operand);
    writeFileSync(operand, 'half');
    progress.at('rows to count', 0);
    const held = `${operand}.sqlite`;
    new Database(held).exec('BEGIN EXCLUSIVE');
    new Database(held, { timeout: 3_600_000 }).exec('BEGIN EXCLUSIVE');
  }
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let step = 1; ; step += 1) {
    progress.at('steps to do', step);
    Atomics.wait(pause, 0, 0, 1);
  }
}

// As a service that takes signals from its first moment: the stop must end the process beside these, too.
if (isMainThread) for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);

try {
  process.exitCode = isMainThread
    ? await supervise({
        args: [what, operand],
        again: 'Run it again.',
        env: process.env,
        say: complain,
      })
    : work();
} catch (error) {
  if (!(error instanceof StoppedError)) throw error;
  process.exitCode = STOPPED_EXIT_CODE;
}
