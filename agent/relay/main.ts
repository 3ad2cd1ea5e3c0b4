/**
 * `npm run relay`: forwards the Intake's pulls through the DMZ to the cloud (D39). Exit codes: 0 stopped, 1 cannot
 * start, 2 a variable or argument is wrong.
 */
import { pino } from 'pino';
import { tellReady } from '../../shared/service/ready.ts';
import { ConfigurationError, helpText } from '../../shared/service/variables.ts';
import { complain } from '../../shared/service/terminal.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { CredentialError, StartError } from './errors.ts';
import { startRelay } from './relay.ts';
import { readSettings, RELAY_VARIABLES } from './settings.ts';

const ABOUT =
  'Passes the Intake’s pulls on to the cloud with the tenant’s certificate, and the answers back unchanged.';

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(helpText('npm run relay', ABOUT, RELAY_VARIABLES));
    return 0;
  }
  if (args.length > 0) {
    complain(`Unknown argument "${args.join(' ')}"; see --help.`);
    return 2;
  }
  const asked = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  const log = pino({ base: { part: 'relay', name: 'relay' } });
  try {
    const relay = await startRelay(readSettings(process.env), { clock: systemClock, ids: systemIds, log });
    log.info({ url: relay.url }, 'listening');
    tellReady();
    await asked;
    await relay.stop();
    log.info('stopped');
    return 0;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof StartError || error instanceof CredentialError) {
      complain(error.message);
      return error instanceof ConfigurationError ? 2 : 1;
    }
    log.fatal({ err: error }, 'the relay cannot go on');
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
