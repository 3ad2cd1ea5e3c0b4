/** `npm run console-api`: the tenant's console API as a process of its own, configured by variables (D42). */
import { LEDGER_EXIT_CODES, ledgerProblemOf } from '../../agent/ledger/errors.ts';
import { tellReady } from '../../shared/service/ready.ts';
import { ConfigurationError, helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { AUDIT_HELP, runAuditCommand } from './audit-commands.ts';
import { CHANNEL_HELP, runChannelCommand } from './channel-commands.ts';
import { startConsoleApi } from './service.ts';
import { relayAccess, serverTls, VARIABLES } from './settings.ts';
import { ssoSettings } from './sso-settings.ts';
import { ServerTlsError } from './tls.ts';

const [command, ...args] = process.argv.slice(2);
if (process.argv.includes('--help')) {
  const about = 'The API of the tenant console: roles, review, policy. It also serves the web front.';
  process.stdout.write(`${helpText('npm run console-api', about, VARIABLES)}\n${CHANNEL_HELP}\n${AUDIT_HELP}`);
} else if (command === 'audit' || command === 'channel') {
  process.exitCode = (command === 'audit' ? runAuditCommand : runChannelCommand)(args, {
    env: process.env,
    clock: systemClock,
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
  });
} else {
  await run();
}

async function run(): Promise<void> {
  try {
    const values = readVariables(VARIABLES, process.env);
    const tls = serverTls(values);
    const windowSecret = values.CAUSEWAY_CONSOLE_WINDOW_SECRET;
    const service = await startConsoleApi({
      ledger: values.CAUSEWAY_LEDGER,
      listen: values.CAUSEWAY_CONSOLE_LISTEN,
      demo: values.CAUSEWAY_DEMO === '1',
      limits: {
        idleMs: values.CAUSEWAY_CONSOLE_IDLE_SECONDS * 1_000,
        absoluteMs: values.CAUSEWAY_CONSOLE_SESSION_SECONDS * 1_000,
      },
      relay: relayAccess(values),
      sso: ssoSettings(values),
      front: values.CAUSEWAY_CONSOLE_FRONT,
      ...(tls === null ? {} : { tls }),
      ...(windowSecret === undefined ? {} : { windowSecret }),
      clock: systemClock,
      ids: systemIds,
      log: true,
    });
    tellReady();
    stopOnSignal(service.stop);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    const problem = ledgerProblemOf(error);
    process.exitCode = problem !== null ? LEDGER_EXIT_CODES[problem] : isWronglyConfigured(error) ? 2 : 1;
  }
}

function isWronglyConfigured(error: unknown): boolean {
  return error instanceof ConfigurationError || error instanceof ServerTlsError;
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
