/** The command line of the relay, as a function: it serves until it is told to stop. `main.ts` has its exit codes. */
import type { Logger } from 'pino';
import { tellReady } from '../../shared/service/ready.ts';
import { ConfigurationError, helpText } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { CredentialError, StartError } from './errors.ts';
import { startRelay } from './relay.ts';
import { readSettings, RELAY_VARIABLES } from './settings.ts';

const ABOUT =
  'Passes the Intake’s pulls on to the cloud with the tenant’s certificate, and the answers back unchanged.';

/** The origin of a command line and its outputs. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  print(line: string): void;
  complain(line: string): void;
  log: Logger;
  /** Settles when the relay is told to stop, which may be before it has started. */
  stopAsked(): Promise<void>;
}

/** @returns the exit code */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<number> {
  const { env, print, complain, log } = around;
  if (args.includes('--help')) {
    print(helpText('npm run relay', ABOUT, RELAY_VARIABLES).trimEnd());
    return 0;
  }
  if (args.length > 0) {
    complain(`Unknown argument "${args.join(' ')}"; see --help.`);
    return 2;
  }
  const asked = around.stopAsked();
  try {
    const relay = await startRelay(readSettings(env), { clock: systemClock, ids: systemIds, log });
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
