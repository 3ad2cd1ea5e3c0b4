/**
 * `npm run intake`: receives the vendor's bundles into the ledger and applies them (sync protocol 1, D36); with an
 * argument, runs one command on the ledger. Exit codes: 0 stopped or done, 1 cannot start, continue or complete, 2 a
 * variable or argument is wrong, 130 or 143 a command was stopped by SIGINT or SIGTERM; the service also exits with those of `LEDGER_EXIT_CODES`, and with 75 where another
 * Intake already receives into the ledger.
 */
import { isMainThread } from 'node:worker_threads';
import { pino } from 'pino';
import { progressOfThread, STOPPED_EXIT_CODE, StoppedError } from '../../shared/service/long-work/progress.ts';
import { supervise } from '../../shared/service/long-work/supervise.ts';
import { ConfigurationError, helpText } from '../../shared/service/variables.ts';
import { complain, print } from '../../shared/service/terminal.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { exitCodeOf, LedgerError, RUNS_ALREADY_EXIT_CODE } from '../ledger/storage/errors.ts';
import { isStoppedInMigration } from '../ledger/storage/migrate-first.ts';
import { lockReception, IntakeRunsAlreadyError } from '../ledger/storage/single-writer-lock.ts';
import { BackupError } from './backup/backup.ts';
import { UsageError } from './command.ts';
import { commandsHelp, longCommand, runCommand } from './commands.ts';
import { RawBundleDamagedError } from './apply/committed-entries.ts';
import { runIntake } from './intake.ts';
import { RawRecordsDamagedError } from './maintenance/rebuild.ts';
import { RepairError } from './maintenance/repair.ts';
import { INTAKE_VARIABLES, readSettings, StartError } from './settings.ts';

const ABOUT =
  'Asks the relay, or the cloud itself, for new bundles, keeps them unchanged in the ledger and applies them.';

/** An expected obstacle, no bug: its message alone is logged. */
const EXPECTED = [
  BackupError,
  ConfigurationError,
  IntakeRunsAlreadyError,
  LedgerError,
  RawBundleDamagedError,
  RawRecordsDamagedError,
  RepairError,
  StartError,
  UsageError,
];

/** In a package it lies beside the Intake's own bundle. */
const READ_AHEAD = new URL(
  import.meta.url.endsWith('.ts') ? './read-ahead/thread.ts' : './intake-read-ahead.js',
  import.meta.url,
);

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === '--help') {
    process.stdout.write(`${helpText('npm run intake [-- COMMAND]', ABOUT, INTAKE_VARIABLES)}\n${commandsHelp()}`);
    return 0;
  }
  // A command prints its result on stdout and logs to stderr.
  const log = pino({ base: { part: 'intake' } }, pino.destination(args.length === 0 ? 1 : 2));
  try {
    if (args.length > 0) {
      const again = isMainThread ? longCommand(args) : null;
      const { env } = process;
      if (again !== null) return await supervise({ args, again, env, clock: systemClock, say: complain });
      const progress = progressOfThread(complain);
      return await runCommand(args, { env, clock: systemClock, log, print, progress });
    }
    const ending = new AbortController();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());
    const settings = readSettings(process.env);
    const release = lockReception(settings.ledger);
    try {
      const migration = { env: process.env, clock: systemClock, say: (line: string): void => log.info(line) };
      const isStopped = (): Promise<boolean> => isStoppedInMigration(settings.ledger, migration);
      const parts = { clock: systemClock, ids: systemIds, log, random: Math.random, thread: READ_AHEAD, isStopped };
      await runIntake(settings, parts, ending.signal);
    } finally {
      release();
    }
    log.info('stopped');
    return 0;
  } catch (error) {
    if (error instanceof StoppedError) return STOPPED_EXIT_CODE;
    if (error instanceof Error && EXPECTED.some((kind) => error instanceof kind)) {
      complain(error.message);
      if (error instanceof IntakeRunsAlreadyError) return RUNS_ALREADY_EXIT_CODE;
      if (error instanceof ConfigurationError || error instanceof UsageError) return 2;
      return args.length === 0 ? exitCodeOf(error) : 1;
    }
    log.fatal({ err: error }, 'the Intake cannot go on');
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
