/**
 * `npm run intake`: receives the vendor's bundles into the ledger and applies them (document 3, D36).
 * Exit codes: 0 stopped, 1 cannot start or go on, 2 a variable or argument is wrong.
 */
import { pino } from 'pino';
import { ConfigurationError, helpText } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { LedgerError } from '../ledger/errors.ts';
import { runIntake } from './intake.ts';
import { INTAKE_VARIABLES, readSettings, StartError } from './settings.ts';

const ABOUT =
  'Asks the relay, or the cloud itself, for new bundles, keeps them unchanged in the ledger and applies them.';

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(helpText('npm run intake', ABOUT, INTAKE_VARIABLES));
    return 0;
  }
  if (args.length > 0) {
    process.stderr.write(`There is no argument "${args.join(' ')}"; --help tells what there is.\n`);
    return 2;
  }
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());
  const log = pino({ base: { part: 'intake' } });
  try {
    await runIntake(
      readSettings(process.env),
      { clock: systemClock, ids: systemIds, log, random: Math.random },
      ending.signal,
    );
    log.info('stopped');
    return 0;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof StartError || error instanceof LedgerError) {
      process.stderr.write(`${error.message}\n`);
      return error instanceof ConfigurationError ? 2 : 1;
    }
    log.fatal({ err: error }, 'the Intake cannot go on');
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
