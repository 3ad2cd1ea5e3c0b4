/**
 * The desktop program: a hardened window on the console's address. The order of the start is the
 * order of the functions in `start`.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { app, session, shell } from 'electron';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { programHelp, readConfiguration, type ConsoleSource, type ProgramConfiguration } from './configuration.ts';
import { Connection } from './connection.ts';
import { ConsoleService, type ServiceEvents } from './console-service.ts';
import { confinePages, DebuggingRefusedError, denyPermissions, refuseRemoteDebugging } from './hardening.ts';
import { jsonLog } from './log.ts';
import { exportDiagnostics } from './export-diagnostics.ts';
import { linkAmong, LINK_SCHEME, pathOf, readLink } from './links.ts';
import { LogFile } from './log-file.ts';
import { installMenu } from './menu.ts';
import { answerMessages } from './messages.ts';
import { serviceCommand } from './packed-service.ts';
import { PresenceView } from './presence-view.ts';
import { networkProbe } from './probe.ts';
import { timerSchedule } from './schedule.ts';
import { registerShellScheme, serveShellPages } from './shell-pages.ts';
import { languageOf } from './texts.ts';
import { MainWindow } from './window.ts';

let logFile: LogFile | null = null;
const print = (line: string): void => {
  process.stdout.write(line);
  logFile?.write(line);
};
const log = jsonLog(print, systemClock, process.pid);

/** What the running program consists of, for its end. */
interface Running {
  connection: Connection;
  service: ConsoleService | null;
}

async function start(): Promise<void> {
  survivePrinting();
  if (askedForHelp()) return;
  const configuration = readConfiguration(process.env);
  refuseRemoteDebugging();
  placeData(configuration);
  const isFirst = claimSingleInstance();
  if (!isFirst) return;
  keepLog();
  claimLinks();
  sandboxEverything();
  registerShellScheme();
  await app.whenReady();
  serveShellPages();
  denyPermissions(session.defaultSession, log);
  const ending = { now: false };
  const running = openConsole(configuration.source, ending);
  endCleanly(running, ending);
}

/** A closed stdout (the terminal is gone) must not end the program. */
function survivePrinting(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
}

function askedForHelp(): boolean {
  if (!process.argv.slice(1).includes('--help')) return false;
  process.stdout.write(programHelp('causeway-console'));
  app.exit(0);
  return true;
}

/** Cookies, caches and the lock of the single instance lie in one folder, so that two folders are two programs. */
function placeData({ data }: ProgramConfiguration): void {
  if (data === undefined) return;
  const folder = resolve(data);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `CAUSEWAY_CONSOLE_DATA names ${folder}, which cannot be made: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  app.setPath('userData', folder);
}

/** The second start of the program hands its link to the first one, whose window comes to the front, and ends. */
function claimSingleInstance(): boolean {
  if (app.requestSingleInstanceLock({ link: linkAmong(process.argv) })) return true;
  log.info('already running: its window comes to the front');
  app.exit(0);
  return false;
}

/** What is printed is also kept in files, for whoever looks later. Without them the program works as well. */
function keepLog(): void {
  try {
    logFile = new LogFile(join(app.getPath('userData'), 'logs'));
  } catch (error) {
    log.warn('log files cannot be kept', { reason: String(error) });
  }
}

/** On Linux the package's desktop file says whose the links are. */
function claimLinks(): void {
  if (process.platform === 'win32' && !CAUSEWAY_TEST_BUILD) app.setAsDefaultProtocolClient(LINK_SCHEME);
}

/** Every page asks for the sandbox anyway; this also makes it impossible not to. Root's `--no-sandbox` would be undone by it. */
function sandboxEverything(): void {
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
}

function openConsole(source: ConsoleSource, ending: { now: boolean }): Running {
  const language = languageOf(app.getLocale());
  // Before the first window: only pages that are made afterwards are confined.
  confinePages(
    () => connection.address,
    (reason) => connection.failed({ kind: 'refused', reason }),
    log,
  );
  const window = new MainWindow(
    {
      consoleLoaded: () => connection.loaded(),
      consoleFailed: (problem) => {
        presence.take(null, language);
        connection.failed(problem);
      },
      isEnding: () => ending.now,
    },
    language,
    log,
  );
  const presence = new PresenceView(
    {
      show: () => window.focus(),
      openItem: (id) => {
        window.focus();
        window.goTo(pathOf({ screen: 'review', id }), connection.isShown ? connection.address : null);
      },
      quit: () => app.quit(),
      isInFront: () => window.isInFront,
    },
    language,
    log,
  );
  const connection = new Connection(window, networkProbe(session.defaultSession), timerSchedule, log);
  const service = source.mode === 'local' ? localService(source, connection) : null;
  const tryAgain = (): void => {
    connection.retryNow();
    service?.start();
  };
  answerMessages(
    {
      'shell:state': () => window.state,
      'shell:retry': () => {
        tryAgain();
        return null;
      },
      'console:report': (report) => {
        presence.take(report, language);
        return null;
      },
    },
    () => connection.address,
    log,
  );
  installMenu(language, {
    reload: () => (connection.isShown ? window.reload() : tryAgain()),
    exportDiagnostics: () =>
      void exportDiagnostics(
        {
          mode: source.mode,
          address: connection.address?.href ?? null,
          shown: connection.isShown,
          status: window.state.kind,
        },
        logFile,
        language,
        log,
      ),
    openLogs: () => {
      if (logFile !== null) void shell.openPath(logFile.folder);
    },
  });
  const openLink = (link: string | null): void => {
    if (link === null) return;
    const route = readLink(link);
    if (route === null) log.warn('link refused', { link });
    else {
      log.info('link opened', { screen: route.screen, id: route.id });
      window.goTo(pathOf(route), connection.isShown ? connection.address : null);
    }
  };
  openLink(linkAmong(process.argv));
  app.on('second-instance', (_event, _args, _folder, handed) => {
    window.focus();
    openLink(linkOf(handed));
  });
  // How macOS hands links over.
  app.on('open-url', (event, link) => {
    event.preventDefault();
    window.focus();
    openLink(link);
  });
  if (source.mode === 'connected') connection.open(source.address);
  else service?.start();
  return { connection, service };
}

/** What a second start handed over: whatever it is, only a text can be a link. */
function linkOf(handed: unknown): string | null {
  if (typeof handed !== 'object' || handed === null || !('link' in handed)) return null;
  return typeof handed.link === 'string' ? handed.link : null;
}

function localService({ ledger }: { ledger: string | undefined }, connection: Connection): ConsoleService {
  const events: ServiceEvents = {
    said: (line) => print(`${line}\n`),
    starting: () => connection.withdraw({ kind: 'starting' }),
    listening: (address) => connection.open(address),
    ended: ({ reason, words, ledger: problem, retryInMs }) =>
      connection.withdraw(
        problem === null
          ? { kind: 'service-ended', reason, words, retryInMs }
          : { kind: `ledger-${problem}`, words, retryInMs },
      ),
  };
  return new ConsoleService(
    serviceCommand(process.resourcesPath, app.getPath('userData'), ledger, process.env),
    events,
    log,
    timerSchedule,
  );
}

/** Every way to the end stops the service first: the window's closing, the menu, the system's signals. */
function endCleanly({ connection, service }: Running, ending: { now: boolean }): void {
  app.on('window-all-closed', () => app.quit());
  app.on('will-quit', (event) => {
    event.preventDefault();
    connection.close();
    void (service?.stop() ?? Promise.resolve()).finally(() => {
      log.info('ended');
      app.exit(0);
    });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      ending.now = true;
      app.quit();
    });
  }
}

/** Nothing is left half-started: one clear sentence and an exit code (D42). */
function refuseToStart(error: unknown): void {
  const isConfiguration = error instanceof ConfigurationError || error instanceof DebuggingRefusedError;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  app.exit(isConfiguration ? 2 : 1);
}

start().catch(refuseToStart);
