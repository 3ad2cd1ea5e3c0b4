/** `npm run console-api`: the tenant's console API as a process of its own, configured by variables (D42). */
import path from 'node:path';
import { ConfigurationError, helpText, readVariables, variable } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { startConsoleApi } from './service.ts';

const VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('the file of the ledger, made when it does not exist', variable.text),
  CAUSEWAY_CONSOLE_LISTEN: variable.defaulted(
    'where the API and the web front are served',
    { host: '127.0.0.1', port: 4300 },
    variable.listenAddress,
  ),
  CAUSEWAY_DEMO: variable.defaulted(
    '1 seeds an empty ledger with accounts, a policy and channels',
    '0',
    variable.oneOf('0', '1'),
  ),
  CAUSEWAY_CONSOLE_IDLE_SECONDS: variable.defaulted(
    'a session ends after so long without a request',
    1_800,
    variable.wholeNumber(1, 86_400),
  ),
  CAUSEWAY_CONSOLE_SESSION_SECONDS: variable.defaulted(
    'a session ends after so long whatever happens',
    43_200,
    variable.wholeNumber(1, 604_800),
  ),
  CAUSEWAY_CONSOLE_FRONT: variable.defaulted(
    'folder of the built web front',
    path.resolve(import.meta.dirname, '../../renderer/dist'),
    variable.text,
  ),
};

if (process.argv.slice(2).includes('--help')) {
  process.stdout.write(
    helpText(
      'npm run console-api',
      'The API of the tenant console: roles, review, policy. It also serves the web front.',
      VARIABLES,
    ),
  );
} else {
  await run();
}

async function run(): Promise<void> {
  try {
    const values = readVariables(VARIABLES, process.env);
    const service = await startConsoleApi({
      ledger: values.CAUSEWAY_LEDGER,
      listen: values.CAUSEWAY_CONSOLE_LISTEN,
      demo: values.CAUSEWAY_DEMO === '1',
      limits: {
        idleMs: values.CAUSEWAY_CONSOLE_IDLE_SECONDS * 1_000,
        absoluteMs: values.CAUSEWAY_CONSOLE_SESSION_SECONDS * 1_000,
      },
      front: values.CAUSEWAY_CONSOLE_FRONT,
      clock: systemClock,
      ids: systemIds,
      log: true,
    });
    stopOnSignal(service.stop);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  }
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const end = (): void => {
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
