/**
 * `npm run intake`: receives the vendor's bundles into the ledger and applies them (sync protocol 1, D36); with an
 * argument, runs one command on the ledger. Exit codes: 0 stopped or done, 1 cannot start, continue or complete, 2 a
 * variable or argument is wrong, 130 or 143 a command was stopped by SIGINT or SIGTERM; the service also exits with those of `LEDGER_EXIT_CODES`, and with 75 where another
 * Intake already receives into the ledger.
 */
import { isMainThread } from 'node:worker_threads';
import { pino } from 'pino';
import { complain, print } from '../../shared/service/terminal.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { isStoppedInMigration } from '../ledger/storage/migrate-first.ts';
import { lockReception } from '../ledger/storage/single-writer-lock.ts';
import { runCommandLine } from './command-line.ts';
import { runIntake } from './intake.ts';
import { readSettings } from './settings.ts';

const args = process.argv.slice(2);
// A command prints its result on stdout and logs to stderr.
const log = pino({ base: { part: 'intake' } }, pino.destination(args.length === 0 ? 1 : 2));

async function serve(): Promise<void> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());
  const settings = readSettings(process.env);
  const release = lockReception(settings.ledger);
  try {
    const migration = { env: process.env, say: (line: string): void => log.info(line) };
    const isStopped = (): Promise<boolean> => isStoppedInMigration(settings.ledger, migration);
    const parts = { clock: systemClock, ids: systemIds, log, random: Math.random, isStopped };
    await runIntake(settings, parts, ending.signal);
  } finally {
    release();
  }
}

process.exitCode = await runCommandLine(args, {
  env: process.env,
  print,
  complain,
  log,
  isThread: !isMainThread,
  serve,
});
