/**
 * `npm run provision`: gives the tenant's channels the exposed texts (D20, D57). Exit codes: 0 stopped, 1 cannot start,
 * 2 a variable or argument is wrong, and those of `LEDGER_EXIT_CODES`.
 */
import { isMainThread } from 'node:worker_threads';
import { pino } from 'pino';
import { MetricsListenError } from '../../shared/service/http/metrics-address.ts';
import { tellReady } from '../../shared/service/ready.ts';
import { ConfigurationError, helpText, readVariables } from '../../shared/service/variables.ts';
import { complain } from '../../shared/service/terminal.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { exitCodeOf, LedgerError } from '../ledger/storage/errors.ts';
import { isStoppedInMigration, MIGRATE, migrateInThread } from '../ledger/storage/migrate-first.ts';
import { ListenError, PROVISION_VARIABLES, startProvision } from './provision.ts';

const ABOUT = 'Gives the tenant’s channels the texts that may be shown at this moment, each channel by its own key.';

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(helpText('npm run provision', ABOUT, PROVISION_VARIABLES));
    return 0;
  }
  const isMigration = args[0] === MIGRATE && !isMainThread;
  if (args.length > 0 && !isMigration) {
    complain(`Unknown argument "${args.join(' ')}"; see --help.`);
    return 2;
  }
  const stopped = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  const log = pino({ base: { part: 'provision' } });
  try {
    const values = readVariables(PROVISION_VARIABLES, process.env);
    const file = values.CAUSEWAY_LEDGER;
    const migration = { env: process.env, say: (line: string): void => log.info(line) };
    if (isMigration) return migrateInThread(file, migration.say);
    if (await isStoppedInMigration(file, migration)) return 0;
    const provision = await startProvision(values, { clock: systemClock, ids: systemIds, log });
    tellReady();
    await stopped;
    await provision.close();
    log.info('stopped');
    return 0;
  } catch (error) {
    if (
      error instanceof ConfigurationError ||
      error instanceof ListenError ||
      error instanceof MetricsListenError ||
      error instanceof LedgerError
    ) {
      complain(error.message);
      return error instanceof ConfigurationError ? 2 : exitCodeOf(error);
    }
    log.fatal({ err: error }, 'the provision API cannot go on');
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
