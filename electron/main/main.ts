/**
 * The desktop program: a hardened window on the console's address. The functions in `start` are called in boot order.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { app, session, shell } from 'electron';
import { PINNED_RELEASE } from '../../shared/service/release.ts';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { readRights } from '../../shared/service/windows-rights.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { Appearance } from './windows/appearance.ts';
import {
  programHelp,
  readConfiguration,
  sourceOf,
  type ConsoleSource,
  type ProgramConfiguration,
} from './settings/configuration.ts';
import { Application } from './application.ts';
import { driverAttached } from './boot/driver.ts';
import { exportDiagnostics } from './boot/export-diagnostics.ts';
import { tellFailures } from './boot/failures.ts';
import { SwitchRefusedError } from './security/switches.ts';
import { denyPermissions, refuseUndoing } from './windows/hardening.ts';
import { SettingsStore } from './settings/settings-store.ts';
import { linkAmong, LINK_SCHEME } from './windows/links.ts';
import { LogFile } from './diagnostics/log-file.ts';
import { jsonLog } from './diagnostics/log.ts';
import { managedFile, readManaged, type ManagedSettings } from './settings/managed-settings.ts';
import { showAbout } from './menu/about.ts';
import { ProgramMenu } from './menu/menu.ts';
import { InstalledFiles } from './boot/installed-files.ts';
import type { ResourceFault } from './boot/resources.ts';
import { LocalServices } from './services/local-services.ts';
import { registerShellScheme, serveShellPages } from './windows/shell-pages.ts';
import { loadedFiles, windowsFolder } from './settings/windows-folder.ts';
import type { OwnLanguage } from './texts/texts.ts';
import { Updates } from './updates/updates.ts';

let logFile: LogFile | null = null;
const print = (line: string): void => {
  process.stdout.write(line);
  logFile?.write(line);
};
const log = jsonLog(print, systemClock, process.pid);

async function start(): Promise<void> {
  const driven = driverAttached();
  survivePrinting();
  if (wantsHelp()) return;
  const configuration = readConfiguration(process.env);
  const managed = readLaidDown();
  refuseUndoing();
  placeData(configuration);
  const isFirst = claimSingleInstance();
  if (!isFirst) return;
  keepLog();
  const chosen = chooseConsole(configuration, managed);
  const installed = new InstalledFiles(log);
  // The console API is started before Chromium is ready; all else of a start is beside it.
  if (installed.isKnown) chosen.services?.startConsole();
  // Its error reaches the window, which awaits the same check.
  else installed.check().catch(() => undefined);
  if (PINNED_RELEASE === null) log.warn('unsigned test build: it takes no updates');
  claimLinks();
  favourMemory();
  sandboxEverything();
  registerShellScheme();
  await app.whenReady();
  await driven;
  serveShellPages();
  denyPermissions(session.defaultSession, log);
  const appearance = new Appearance(log);
  const language: OwnLanguage = () => appearance.language;
  const application = openApplication(chosen, appearance, language);
  endCleanly(application);
  tellOfFailures(application, language);
  takeLinks(application);
  const isSound = async (): Promise<boolean> => isAsInstalled(await installed.check(), application);
  await application.begin(installed.isKnown ? Promise.resolve(true) : isSound());
  if (!installed.isKnown) return;
  await application.settled;
  await isSound();
}

/** A closed stdout (the terminal is gone) must not end the program. */
function survivePrinting(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
}

function wantsHelp(): boolean {
  if (!process.argv.slice(1).includes('--help')) return false;
  process.stdout.write(programHelp('causeway-console'));
  app.exit(0);
  return true;
}

/** Cookies, caches and the single-instance lock lie in one folder, so that two folders are two programs. */
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

/** A second start passes its link to the first instance, whose window comes to the front, and ends. */
function claimSingleInstance(): boolean {
  if (app.requestSingleInstanceLock({ link: linkAmong(process.argv) })) return true;
  log.info('already running: its window comes to the front');
  app.exit(0);
  return false;
}

/** Also keeps the printed lines in files for later. The program works without them too. */
function keepLog(): void {
  try {
    logFile = new LogFile(join(app.getPath('userData'), 'logs'));
  } catch (error) {
    log.warn('log files cannot be kept', { reason: String(error) });
  }
}

/** On Linux the package's desktop file registers the link scheme. */
function claimLinks(): void {
  if (process.platform === 'win32' && !CAUSEWAY_TEST_BUILD) app.setAsDefaultProtocolClient(LINK_SCHEME);
}

/**
 * A desktop shares its memory with other programs. Otherwise a page keeps some 200 MB of elements that it left long ago:
 * V8 grows its heaps by its own objects, of which these have few. New objects get some room, or they are moved too often.
 */
function favourMemory(): void {
  app.commandLine.appendSwitch('js-flags', '--optimize-for-size --max-semi-space-size=4');
}

/** Every page requests the sandbox anyway; this also makes it mandatory. It would undo root's `--no-sandbox`. */
function sandboxEverything(): void {
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
}

/** The settings managed by this machine's administrator. Tests use a file of their own. */
function readLaidDown(): ManagedSettings {
  const own = CAUSEWAY_TEST_BUILD ? process.env['CAUSEWAY_CONSOLE_MANAGED'] : undefined;
  if (own !== undefined) return readManaged(own, process.getuid?.() ?? null);
  if (process.platform !== 'win32') return readManaged(managedFile(null), 0);
  // Not by its variables: whoever starts the program sets them.
  const windows = windowsFolder(loadedFiles());
  return readManaged(managedFile(windows), null, (places) => readRights(places, { SystemRoot: windows }));
}

interface ChosenConsole {
  settings: SettingsStore;
  source: ConsoleSource | null;
  services: LocalServices | null;
}

/** Managed settings take precedence over the environment, and the environment over the program's own settings. */
function chooseConsole({ source: named }: ProgramConfiguration, managed: ManagedSettings): ChosenConsole {
  const settings = new SettingsStore(managed, named !== null, log);
  const { console } = settings.inForce;
  const kept = console === null ? null : sourceOf(console);
  const source = managed.console === undefined && named !== null ? named : kept;
  const services = source?.mode === 'local' ? openServices(source.chosen) : null;
  return { settings, source, services };
}

function openServices(chosen: Record<string, string>): LocalServices {
  const places = { resources: process.resourcesPath, data: app.getPath('userData') };
  return new LocalServices(places, { env: process.env, chosen }, log);
}

function openApplication(chosen: ChosenConsole, appearance: Appearance, language: OwnLanguage): Application {
  const updates = new Updates(language, log, () => application.end());
  const application: Application = new Application({ ...chosen, updates, appearance, log, print, openServices });
  updates.follow(chosen.settings.inForce.updates);
  application.useMenu(menuOf(application, updates, language));
  return application;
}

function menuOf(application: Application, updates: Updates, language: OwnLanguage): ProgramMenu {
  return new ProgramMenu(language, {
    act: (act) => application.act(act),
    print: () => application.print(),
    reload: () => application.reload(),
    openSettings: () => application.openSettings(),
    openManual: () => application.openManual(),
    checkForUpdate: () => void updates.check(),
    exportDiagnostics: () => void exportDiagnostics(application.standing, logFile, language(), log),
    openLogs: () => {
      if (logFile !== null) void shell.openPath(logFile.folder);
    },
    openNotices: () => void shell.openPath(join(process.resourcesPath, 'services', 'THIRD-PARTY-NOTICES.txt')),
    about: () => void showAbout(application.about, language()),
  });
}

/** Where a file is not the packed one, nothing is started, and what runs is ended. */
function isAsInstalled(faults: ResourceFault[], application: Application): boolean {
  if (faults.length === 0) return true;
  for (const { path, what } of faults.slice(0, MOST_FAULTS)) log.error('resource is not as installed', { path, what });
  application.refuse(
    faults
      .slice(0, MOST_FAULTS)
      .map(({ path, what }) => `${path} (${what})`)
      .join('\n'),
  );
  return false;
}

/** Most faults that are named; a completely wrong installation has thousands. */
const MOST_FAULTS = 20;

function takeLinks(application: Application): void {
  application.openLink(linkAmong(process.argv));
  app.on('second-instance', (_event, _args, _folder, handed) => {
    application.focus();
    application.openLink(linkOf(handed));
  });
  // macOS delivers links by this event.
  app.on('open-url', (event, link) => {
    event.preventDefault();
    application.focus();
    application.openLink(link);
  });
}

/** The argument of a second start is untrusted: only a text can be a link. */
function linkOf(handed: unknown): string | null {
  if (typeof handed !== 'object' || handed === null || !('link' in handed)) return null;
  return typeof handed.link === 'string' ? handed.link : null;
}

/** Every way to end stops the services first: closing the window, the menu, the system's signals. */
function endCleanly(application: Application): void {
  app.on('window-all-closed', () => app.quit());
  app.on('will-quit', (event) => {
    event.preventDefault();
    void application.end().finally(() => {
      log.info('ended');
      app.exit(0);
    });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      application.endNow();
      app.quit();
    });
  }
}

function tellOfFailures(application: Application, language: OwnLanguage): void {
  const quit = (): void => {
    application.endNow();
    app.quit();
  };
  const diagnose = (): Promise<void> => exportDiagnostics(application.standing, logFile, language(), log);
  tellFailures({ startAnew: () => application.startAnew(), quit, exportDiagnostics: diagnose }, language, log);
}

/** Reports one clear sentence with an exit code (D42), and leaves nothing half started. */
function refuseToStart(error: unknown): void {
  const isConfiguration = error instanceof ConfigurationError || error instanceof SwitchRefusedError;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  app.exit(isConfiguration ? 2 : 1);
}

start().catch(refuseToStart);
