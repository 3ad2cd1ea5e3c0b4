/** `npm run console-api`: the tenant's console API as a process of its own, configured by variables (D42). */
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { exitCodeOf } from '../../agent/ledger/storage/errors.ts';
import { isStoppedInMigration, MIGRATE, migrateInThread } from '../../agent/ledger/storage/migrate-first.ts';
import { progressOfThread, STOPPED_EXIT_CODE, StoppedError } from '../../shared/service/long-work/progress.ts';
import { supervise } from '../../shared/service/long-work/supervise.ts';
import { complain, print } from '../../shared/service/terminal.ts';
import { endProcess } from '../../shared/service/end-process.ts';
import { tellReady } from '../../shared/service/ready.ts';
import { ConfigurationError, helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { AUDIT_HELP, longAudit, runAuditCommand } from './commands/audit.ts';
import { CHANNEL_HELP, runChannelCommand } from './commands/channel.ts';
import { DEMO_HELP, runDemoCommand } from './commands/demo.ts';
import { DOSSIER_HELP, runDossierCommand } from './commands/dossier.ts';
import { INSPECTION_HELP, runInspectionCommand } from './commands/inspection.ts';
import { JOURNAL_HELP, runJournalCommand } from './commands/journal.ts';
import { startConsoleApi, type ServiceOptions } from './service.ts';
import { checkpointKeyFile, checkpointPlace, relayAccess, serverTls, VARIABLES } from './context/settings.ts';
import { ssoSettings } from './context/sso-settings.ts';

const CHECK_HELP = '--check says whether the variables and the files that they name fit, and starts nothing.\n';

const COMMANDS = {
  audit: runAuditCommand,
  channel: runChannelCommand,
  demo: runDemoCommand,
  dossier: runDossierCommand,
  inspection: runInspectionCommand,
  journal: runJournalCommand,
};

void main(process.argv.slice(2));

async function main([command, ...args]: string[]): Promise<void> {
  if (process.argv.includes('--help')) {
    const about = 'The API of the tenant console: roles, review, policy. It also serves the pages.';
    process.stdout.write(
      `${helpText('npm run console-api [-- --check]', about, VARIABLES)}\n${CHECK_HELP}\n${CHANNEL_HELP}\n${AUDIT_HELP}\n${DOSSIER_HELP}\n${INSPECTION_HELP}\n${JOURNAL_HELP}\n${DEMO_HELP}`,
    );
  } else if (command !== undefined && Object.hasOwn(COMMANDS, command)) {
    process.exitCode = await runCommand(command as keyof typeof COMMANDS, args);
  } else if (command === '--check') {
    check();
  } else if (command === MIGRATE && !isMainThread) {
    process.exitCode = migrateInThread(readOptions(process.env).ledger, complain);
  } else if (command !== undefined) {
    fail(new ConfigurationError([`Unknown argument "${command}"; see --help.`]));
  } else {
    await run();
  }
}

/** A long command runs in a thread of this program, which comes here again. */
async function runCommand(command: keyof typeof COMMANDS, args: string[]): Promise<number> {
  const { env } = process;
  const again = isMainThread && command === 'audit' ? longAudit(args) : null;
  try {
    if (again !== null) return await supervise({ args: [command, ...args], again, env, say: complain });
    const progress = progressOfThread();
    return await COMMANDS[command](args, { env, clock: systemClock, print, complain, progress });
  } catch (error) {
    if (error instanceof StoppedError) return STOPPED_EXIT_CODE;
    if (!(error instanceof ConfigurationError)) throw error;
    complain(error.message);
    return 2;
  }
}

/** @throws ConfigurationError, ServerTlsError */
function readOptions(env: NodeJS.ProcessEnv): ServiceOptions {
  const values = readVariables(VARIABLES, env);
  const tls = serverTls(values);
  const trustedProxies = values.CAUSEWAY_CONSOLE_TRUSTED_PROXY;
  const windowSecret = values.CAUSEWAY_CONSOLE_WINDOW_SECRET;
  const operatorConsole = values.CAUSEWAY_CONSOLE_DEMO_OPERATOR;
  const channelPage = values.CAUSEWAY_CONSOLE_DEMO_CHANNEL;
  const replayedDate = values.CAUSEWAY_CONSOLE_DEMO_REPLAYED;
  return {
    ledger: values.CAUSEWAY_LEDGER,
    listen: values.CAUSEWAY_CONSOLE_LISTEN,
    metricsListen: values.CAUSEWAY_CONSOLE_METRICS_LISTEN ?? null,
    checkpoints: checkpointPlace(values),
    keyFile: checkpointKeyFile(values),
    demo: values.CAUSEWAY_DEMO === '1',
    ...(operatorConsole === undefined || channelPage === undefined
      ? {}
      : {
          demoAround: {
            operatorConsole: operatorConsole.href,
            channelPage: channelPage.href,
            ...(replayedDate === undefined ? {} : { replayedDate }),
          },
        }),
    journal:
      values.CAUSEWAY_DECISION_JOURNAL === undefined
        ? null
        : { folder: values.CAUSEWAY_DECISION_JOURNAL, mode: values.CAUSEWAY_DECISION_JOURNAL_MODE },
    limits: {
      idleMs: values.CAUSEWAY_CONSOLE_IDLE_SECONDS * 1_000,
      absoluteMs: values.CAUSEWAY_CONSOLE_SESSION_SECONDS * 1_000,
    },
    relay: relayAccess(values),
    sso: ssoSettings(values),
    ...(values.CAUSEWAY_CONSOLE_FIRM === undefined ? {} : { firm: values.CAUSEWAY_CONSOLE_FIRM }),
    pages: values.CAUSEWAY_CONSOLE_PAGES,
    ...(tls === null ? {} : { tls }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    ...(windowSecret === undefined ? {} : { windowSecret }),
    clock: systemClock,
    ids: systemIds,
    entry: path.resolve(process.argv[1] ?? ''),
    log: true,
  };
}

/** Reads the configuration and its files like a start, without opening anything. */
function check(): void {
  try {
    readOptions(process.env);
    process.stdout.write('The configuration fits.\n');
  } catch (error) {
    fail(error);
  }
}

async function run(): Promise<void> {
  const asked = stopAsked();
  try {
    const options = readOptions(process.env);
    const migration = { env: process.env, say: complain };
    if (await isStoppedInMigration(options.ledger, migration)) return;
    const service = await startConsoleApi(options);
    tellReady();
    await asked;
    await end(service.stop);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  complain(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof ConfigurationError ? 2 : exitCodeOf(error);
}

/**
 * Takes signals from here on, also during a start, which then ends in a stop: a signal that comes while its only handler
 * is replaced by another is lost.
 */
function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve());
  });
}

async function end(stop: () => Promise<void>): Promise<void> {
  try {
    await stop();
    endProcess(0);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    endProcess(1);
  }
}
