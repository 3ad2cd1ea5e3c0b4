/**
 * The command line of the Intake, as a function: without an argument it serves, with one it runs the named command.
 * `main.ts` has its exit codes.
 */
import type { Logger } from 'pino';
import { MetricsListenError } from '../../shared/service/http/metrics-address.ts';
import { progressOfThread, STOPPED_EXIT_CODE, StoppedError } from '../../shared/service/long-work/progress.ts';
import { supervise } from '../../shared/service/long-work/supervise.ts';
import { ConfigurationError, helpText } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { exitCodeOf, LedgerError, RUNS_ALREADY_EXIT_CODE } from '../ledger/storage/errors.ts';
import { IntakeRunsAlreadyError } from '../ledger/storage/single-writer-lock.ts';
import { BackupError } from './backup/backup.ts';
import { UsageError } from './command.ts';
import { commandsHelp, longCommand, runCommand } from './commands.ts';
import { RawBundleDamagedError } from './apply/committed-entries.ts';
import { RawRecordsDamagedError } from './maintenance/rebuild.ts';
import { RepairError } from './maintenance/repair.ts';
import { UnprovedTextError } from './maintenance/unproved-texts.ts';
import { INTAKE_VARIABLES, StartError } from './settings.ts';

const ABOUT =
  'Asks the relay, or the cloud itself, for new bundles, keeps them unchanged in the ledger and applies them.';

/** An expected obstacle, no bug: its message alone is logged. */
const EXPECTED = [
  BackupError,
  ConfigurationError,
  IntakeRunsAlreadyError,
  LedgerError,
  MetricsListenError,
  RawBundleDamagedError,
  RawRecordsDamagedError,
  RepairError,
  UnprovedTextError,
  StartError,
  UsageError,
];

/** The origin of a command line and its outputs. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  print(line: string): void;
  complain(line: string): void;
  log: Logger;
  /** Whether a long command runs here, and not in a thread of its own. */
  isThread: boolean;
  /** Runs the service until it is told to stop. */
  serve(): Promise<void>;
}

/** @returns the exit code */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<number> {
  const { env, print, complain, log } = around;
  if (args[0] === '--help') {
    print(`${helpText('npm run intake [-- COMMAND]', ABOUT, INTAKE_VARIABLES)}\n${commandsHelp()}`.trimEnd());
    return 0;
  }
  try {
    if (args.length > 0) {
      const again = around.isThread ? null : longCommand(args);
      if (again !== null) return await supervise({ args, again, env, say: complain });
      const progress = progressOfThread();
      return await runCommand(args, { env, clock: systemClock, log, print, progress });
    }
    await around.serve();
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
