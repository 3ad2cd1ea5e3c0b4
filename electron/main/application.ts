/**
 * The running program: one window, its content, and in local mode the services behind it. It starts with the chosen
 * console, or with the setup page.
 */
import { app, session, shell, type Session } from 'electron';
import { chooseScheme } from './windows/appearance.ts';
import { CaseWindow } from './windows/case-window.ts';
import type { SaveAnswer, SetupView } from './ipc/channels.ts';
import { sourceOf, type ConsoleSource } from './settings/configuration.ts';
import { Connection } from './connection/connection.ts';
import { confinePages } from './windows/hardening.ts';
import { keepSettings } from './settings/settings-file.ts';
import { LastAnswer } from './windows/last-response.ts';
import { pathOf, readLink } from './windows/links.ts';
import type { ServiceEnd } from './services/local-service.ts';
import type { LocalEvents, LocalServices } from './services/local-services.ts';
import type { Log } from './diagnostics/log.ts';
import { inForce, type ManagedSettings } from './settings/managed-settings.ts';
import { answerMessages } from './windows/messages.ts';
import { mayNavigate } from './security/origins.ts';
import { misfitOf, watchPageVersions } from './connection/other-version.ts';
import { PresenceView } from './windows/presence-view.ts';
import { networkProbe } from './connection/probe.ts';
import { timerSchedule } from './services/schedule.ts';
import { SignIn } from './connection/sign-in.ts';
import { setUpCodeIn, showSetUpCode } from './services/set-up-code.ts';
import { lacksTenant, settingsProblems, type ProgramSettings } from './settings/settings.ts';
import type { Language } from './texts/texts.ts';
import { pinAuthority } from './security/trust.ts';
import { mayStayInTray } from './windows/tray-notice.ts';
import type { Updates } from './updates/updates.ts';
import { MainWindow } from './windows/window.ts';
import { carryWindowSecret } from './security/window-secret.ts';

export interface ApplicationParts {
  settings: ProgramSettings;
  /** The settings managed by this machine's administrator. */
  managed: ManagedSettings;
  /** The environment names the console. */
  isNamed: boolean;
  /** The console to open; null: a person chooses. */
  source: ConsoleSource | null;
  /** The services of a local one, started already or not; see `openServices`. */
  services: LocalServices | null;
  /** The services of a local console that a person has chosen. */
  openServices(chosen: Record<string, string>): LocalServices;
  updates: Updates;
  language: Language;
  log: Log;
  /** Prints a line of a service's log unchanged. */
  print(line: string): void;
}

/** The pause after the first paint before work that no person waits for, so that a login is not delayed. */
const SETTLES_MS = 1_000;

export class Application {
  readonly #parts: ApplicationParts;
  readonly #session: Session = session.defaultSession;
  readonly #window: MainWindow;
  readonly #presence: PresenceView;
  readonly #connection: Connection;
  readonly #lastAnswer = new LastAnswer();
  readonly #signIn: SignIn;
  readonly #case: CaseWindow;
  #source: ConsoleSource | null = null;
  #services: LocalServices | null;
  /** Begins the work that no person waits for, a while after the first paint. */
  readonly settled: Promise<void>;
  /** The version that the console last reported. */
  #told: string | null = null;
  /** The program is ending; a page can no longer delay it. */
  #isEnding = false;
  /** The user quit the whole program, not only the window. */
  #isQuitting = false;
  /** Files differ from the installed ones, so nothing may start. */
  #isRefused = false;
  /** The outcome of the integrity check; nothing is started before it is known. */
  #isSound: Promise<boolean> = Promise.resolve(false);

  constructor(parts: ApplicationParts) {
    this.#parts = parts;
    const { language, log } = parts;
    this.#services = parts.services;
    const settled = Promise.withResolvers<void>();
    this.settled = settled.promise;
    // Before the first window: it applies only to pages created afterwards.
    confinePages(
      () => this.#connection.address,
      (reason) => this.#connection.failed({ kind: 'refused', reason }),
      (address) => this.#case.open(address),
      log,
    );
    this.#case = new CaseWindow(() => this.#isEnding, language, log);
    this.#window = new MainWindow(
      {
        consoleLoaded: () => {
          this.#lastAnswer.heard(performance.now());
          this.#connection.loaded();
        },
        consoleFailed: (problem) => {
          this.#presence.take(null, language);
          this.#connection.failed(problem);
        },
        painted: () => void timerSchedule(SETTLES_MS, settled.resolve),
        isEnding: () => this.#isEnding,
        closing: () => {
          if (this.#isQuitting || !this.#inForce.keepRunning) return true;
          void this.#stayInTray();
          return false;
        },
        closed: () => this.#case.close(),
        stays: () => {
          this.#isQuitting = false;
        },
      },
      language,
      log,
    );
    this.#protectContent();
    this.#presence = new PresenceView(
      {
        show: () => this.#window.focus(),
        openItem: (id) => {
          this.#window.focus();
          this.#window.goTo(pathOf({ screen: 'review', id }), this.#shownAt());
        },
        quit: () => app.quit(),
        isInFront: () => this.#window.isInFront,
      },
      language,
      log,
    );
    this.#connection = new Connection(this.#window, networkProbe(this.#session), timerSchedule, log);
    watchPageVersions(
      this.#session,
      (url) => mayNavigate(url, this.#connection.address),
      (told) => {
        this.#told = told;
        const misfit = misfitOf(told);
        if (misfit !== null) this.#connection.failed(misfit);
      },
    );
    this.#signIn = new SignIn({
      openOutside: (address) => shell.openExternal(address),
      returned: () => this.#window.focus(),
      language,
      schedule: timerSchedule,
      log,
    });
    this.#answerPages();
    app.on('before-quit', () => {
      this.#isQuitting = true;
    });
  }

  /**
   * Opens the chosen console; without one, the setup page. The services wait for `isSound`, the window does not.
   *
   * @param isSound whether the packed files are the installed ones
   * @throws the rejection of `isSound`
   */
  async begin(isSound: Promise<boolean>): Promise<void> {
    this.#isSound = isSound;
    const { source } = this.#parts;
    if (source === null) void this.openSettings();
    else this.#open(source);
    await isSound;
  }

  /** Hides the console and starts nothing, because packed files have been altered. `words` names the files. */
  refuse(words: string): void {
    this.#isRefused = true;
    // No work of a page holds it up: the page may be an altered one.
    this.#isEnding = true;
    this.#case.close();
    void this.#services?.stop();
    this.#connection.end({ kind: 'altered', words });
  }

  async openSettings(): Promise<void> {
    if (this.#isRefused) return;
    // Held first: a retry while the page loads would put the status page in its place.
    const isNew = this.#connection.hold();
    if (!(await this.#window.showSetup()) && isNew) this.#connection.takeBack();
  }

  reload(): void {
    if (this.#connection.isShown) this.#window.reload();
    else this.tryAgain();
  }

  tryAgain(): void {
    if (this.#isRefused) return;
    this.#connection.release();
    this.#connection.retryNow();
    this.#startServices();
  }

  focus(): void {
    this.#window.focus();
  }

  /** Opens the target of a link; null: not a link. */
  openLink(link: string | null): void {
    if (link === null) return;
    const { log } = this.#parts;
    const route = readLink(link);
    if (route === null) {
      log.warn('link refused', { link });
      return;
    }
    log.info('link opened', { screen: route.screen, id: route.id });
    this.#window.goTo(pathOf(route), this.#shownAt());
  }

  /** For the diagnostics. */
  get standing(): Record<string, string | boolean | null> {
    return {
      mode: this.#source?.mode ?? null,
      address: this.#connection.address?.href ?? null,
      shown: this.#connection.isShown,
      version: this.#told,
      status: this.#window.state.kind,
      ...Object.fromEntries((this.#services?.standings ?? []).map(({ name, state }) => [name, state])),
    };
  }

  /** From now on no page can delay the end of the program. */
  endNow(): void {
    this.#isEnding = true;
  }

  /** Stops the services. Settles when they have ended. */
  async end(): Promise<void> {
    this.#connection.close();
    this.#signIn.end();
    await this.#services?.stop();
  }

  #protectContent(): void {
    for (const window of [this.#window, this.#case]) window.protectContent(this.#inForce.contentProtection);
  }

  async #stayInTray(): Promise<void> {
    const { language, log } = this.#parts;
    if (await mayStayInTray(language, log)) this.#window.hide();
    else app.quit();
  }

  #shownAt(): URL | null {
    return this.#connection.isShown ? this.#connection.address : null;
  }

  #open(source: ConsoleSource): void {
    const { log } = this.#parts;
    this.#source = source;
    if (source.mode === 'connected') {
      pinAuthority(this.#session, source.address.hostname, source.authority, log);
      this.#connection.open(source.address);
      return;
    }
    pinAuthority(this.#session, null, null, log);
    const services = (this.#services ??= this.#parts.openServices(source.chosen));
    carryWindowSecret(this.#session, services.windowSecret, () => this.#connection.address);
    this.#connection.withdraw({ kind: 'starting' });
    services.hear(this.#serviceEvents());
    this.#startServices();
  }

  #startServices(): void {
    // A failed check ends the program; the caller reports it.
    const start = (isSound: boolean): void => {
      if (!isSound) return;
      this.#services?.startConsole();
      void this.settled.then(() => this.#services?.startOthers());
    };
    this.#isSound.then(start, () => undefined);
  }

  #serviceEvents(): LocalEvents {
    const { language, print } = this.#parts;
    return {
      said: (line, service) => {
        const code = service === 'console' ? setUpCodeIn(line) : null;
        if (code === null) print(`${line}\n`);
        else void showSetUpCode(code, language);
      },
      starting: () => this.#connection.withdraw({ kind: 'starting' }),
      ready: (address) => this.#connection.open(address, true),
      ended: (end) => this.#tellEnd(end),
    };
  }

  #tellEnd({ reason, words, ledger, retryInMs }: ServiceEnd): void {
    this.#connection.withdraw(
      ledger === null
        ? { kind: 'service-ended', reason, words, retryInMs }
        : { kind: `ledger-${ledger}`, words, retryInMs },
    );
  }

  #answerPages(): void {
    const { language, log } = this.#parts;
    answerMessages(
      {
        'shell:state': () => this.#window.state,
        'shell:seen': () => this.#lastAnswer.seen(performance.now()),
        'shell:retry': () => {
          this.tryAgain();
          return null;
        },
        'setup:read': () => this.#setupView(),
        'setup:save': (settings) => this.#save(settings),
        'console:report': (report) => {
          this.#presence.take(report, language);
          this.#lastAnswer.take(report, performance.now());
          return null;
        },
        'console:appear': (scheme) => {
          chooseScheme(scheme, log);
          return null;
        },
        'console:print': (sender) =>
          sender.printToPDF({
            ...{ pageSize: 'A4', printBackground: true },
            ...{ generateTaggedPDF: true, generateDocumentOutline: true },
          }),
        'sign-in:listen': (port) => this.#signIn.listen(port),
        'sign-in:open': (address) => this.#signIn.open(address),
      },
      () => this.#connection.address,
      log,
    );
  }

  /** The user's choice, overridden by the administrator's. */
  get #inForce(): ProgramSettings {
    return inForce(this.#parts.settings, this.#parts.managed);
  }

  #setupView(): SetupView {
    const { managed, isNamed } = this.#parts;
    return {
      language: this.#parts.language,
      settings: this.#inForce,
      fixed: {
        console: managed.console !== undefined || isNamed,
        updates: managed.updates !== undefined,
        contentProtection: managed.contentProtection !== undefined,
        keepRunning: managed.keepRunning !== undefined,
      },
      isFirst: this.#source === null,
      services: this.#services?.standings ?? [],
    };
  }

  #save(asked: ProgramSettings): SaveAnswer {
    const { log, updates } = this.#parts;
    const before = this.#parts.settings;
    const { fixed } = this.#setupView();
    const problems = settingsProblems(asked);
    if (!fixed.console && lacksTenant(asked, before)) problems.push('tenant');
    if (problems.length > 0) return { kind: 'wrong', problems };
    // An administrator's setting is not the user's choice, and is not saved as one.
    const settings: ProgramSettings = {
      console: fixed.console ? before.console : asked.console,
      updates: fixed.updates ? before.updates : asked.updates,
      contentProtection: fixed.contentProtection ? before.contentProtection : asked.contentProtection,
      keepRunning: fixed.keepRunning ? before.keepRunning : asked.keepRunning,
    };
    try {
      keepSettings(settings);
    } catch (error) {
      log.error('settings not kept', { reason: String(error) });
      return { kind: 'not-written', reason: error instanceof Error ? error.message : String(error) };
    }
    log.info('settings kept', { mode: settings.console?.mode ?? null, updates: settings.updates !== null });
    this.#parts.settings = settings;
    updates.follow(this.#inForce.updates);
    this.#protectContent();
    if (this.#source === null && settings.console !== null) {
      this.#connection.release();
      this.#open(sourceOf(settings.console));
    } else if (JSON.stringify(before.console) !== JSON.stringify(settings.console)) this.startAnew();
    else this.tryAgain();
    return { kind: 'saved' };
  }

  /** Restarts for another console, so that no state of the earlier one remains, including verified certificates. */
  startAnew(): void {
    this.#isEnding = true;
    // An AppImage runs from a mount that disappears when it ends.
    const file = process.env['APPIMAGE'];
    app.relaunch(file === undefined ? {} : { execPath: file });
    app.quit();
  }
}
