/**
 * The running program: one window, its content, and in local mode the services behind it. It starts with the chosen
 * console, or with the setup page.
 */
import { app, session, shell, type Session, type WebContents } from 'electron';
import { systemClock } from '../../shared/time/clock.ts';
import type { MenuAct } from '../../shared/wire/console/program.ts';
import type { Appearance } from './windows/appearance.ts';
import { CaseWindow } from './windows/case-window.ts';
import type { SetupView } from './ipc/channels.ts';
import { sourceOf, type ConsoleSource } from './settings/configuration.ts';
import { Connection } from './connection/connection.ts';
import { confinePages } from './windows/hardening.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { LastAnswer } from './windows/last-response.ts';
import { pathOf, readLink } from './windows/links.ts';
import type { ServiceEnd } from './services/local-service.ts';
import type { LocalEvents, LocalServices } from './services/local-services.ts';
import type { Log } from './diagnostics/log.ts';
import type { ProgramMenu } from './menu/menu.ts';
import { printPage } from './menu/print.ts';
import { answerMessages, push } from './windows/messages.ts';
import { mayNavigate } from './security/origins.ts';
import { misfitOf, watchPageVersions } from './connection/other-version.ts';
import { lockWhenIdle } from './presence/lock-when-idle.ts';
import { PresenceView } from './presence/presence-view.ts';
import { networkProbe } from './connection/probe.ts';
import { timerSchedule } from './services/schedule.ts';
import { SignIn } from './connection/sign-in.ts';
import { setUpCodeIn, showSetUpCode } from './services/set-up-code.ts';
import type { ProgramSettings, SaveAnswer } from './settings/settings.ts';
import type { Language, OwnLanguage } from './texts/texts.ts';
import { pinAuthority } from './security/trust.ts';
import { ShellWindow } from './windows/shell-window.ts';
import { mayStayInTray } from './presence/tray-notice.ts';
import type { Updates } from './updates/updates.ts';
import { MainWindow } from './windows/window.ts';
import { carryWindowSecret } from './security/window-secret.ts';

export interface ApplicationParts {
  settings: SettingsStore;
  /** The console to open; null: a person chooses. */
  source: ConsoleSource | null;
  /** The services of a local one, started already or not; see `openServices`. */
  services: LocalServices | null;
  /** The services of a local console that a person has chosen. */
  openServices(chosen: Record<string, string>): LocalServices;
  updates: Updates;
  appearance: Appearance;
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
  readonly #settings: ShellWindow;
  readonly #manual: ShellWindow;
  readonly #language: OwnLanguage;
  /** Null until the program's menus are drawn. */
  #menu: ProgramMenu | null = null;
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
    const { appearance, log } = parts;
    const language = (): Language => appearance.language;
    this.#language = language;
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
    this.#settings = new ShellWindow('setup', () => '', language, log);
    this.#manual = new ShellWindow('manual', () => `${language()}.html`, language, log);
    this.#case = new CaseWindow(() => this.#isEnding, language, log);
    this.#window = new MainWindow(
      {
        consoleLoaded: () => {
          this.#lastAnswer.heard(performance.now());
          this.#connection.loaded();
        },
        consoleFailed: (problem) => {
          this.#presence.take(null);
          this.#menu?.offer([]);
          this.#connection.failed(problem);
        },
        painted: () => void timerSchedule(SETTLES_MS, settled.resolve),
        isEnding: () => this.#isEnding,
        closing: () => {
          if (this.#isQuitting || !this.#parts.settings.inForce.keepRunning) return true;
          void this.#stayInTray();
          return false;
        },
        closed: () => {
          for (const window of [this.#case, this.#settings, this.#manual]) window.close();
        },
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
        badge: (count, words) => this.#window.showBadge(count, words),
      },
      language,
      systemClock,
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
    lockWhenIdle(parts.settings, () => this.#lock());
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
    if (source === null) this.#window.showSetup();
    else this.#open(source);
    await isSound;
  }

  /** Hides the console and starts nothing, because packed files have been altered. `words` names the files. */
  refuse(words: string): void {
    this.#isRefused = true;
    // No work of a page holds it up: the page may be an altered one.
    this.#isEnding = true;
    for (const window of [this.#case, this.#settings]) window.close();
    void this.#services?.stop();
    this.#connection.end({ kind: 'altered', words });
  }

  /** Menus that follow the page's acts and language from now on. */
  useMenu(menu: ProgramMenu): void {
    this.#menu = menu;
  }

  openSettings(): void {
    if (this.#isRefused) return;
    // At the first start they are in the window already.
    if (this.#source === null) this.focus();
    else this.#settings.open();
  }

  openManual(): void {
    this.#manual.open();
  }

  /** Runs an act of the console's page in the window that has the focus; another screen opens in the main one. */
  act({ id, place }: MenuAct): void {
    if (place === 'go') this.focus();
    const contents = place === 'go' ? this.#window.contents : this.#pageInFront;
    if (contents !== null) push(contents, 'console:act', id);
  }

  print(): void {
    const contents = this.#pageInFront;
    if (contents !== null) printPage(contents, this.#language(), this.#parts.log);
  }

  get #pageInFront(): WebContents | null {
    const { contents } = this.#case;
    return contents?.isFocused() === true ? contents : this.#window.contents;
  }

  reload(): void {
    if (this.#connection.isShown) this.#window.reload();
    else this.tryAgain();
  }

  tryAgain(): void {
    if (this.#isRefused) return;
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

  /** For Help, About. */
  get about(): { version: string | null; address: string | null } {
    return { version: this.#told, address: this.#connection.address?.origin ?? null };
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
    for (const window of [this.#window, this.#case])
      window.protectContent(this.#parts.settings.inForce.contentProtection);
  }

  async #stayInTray(): Promise<void> {
    if (await mayStayInTray(this.#language(), this.#parts.log)) this.#window.hide();
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
    const { print } = this.#parts;
    return {
      said: (line, service) => {
        const code = service === 'console' ? setUpCodeIn(line) : null;
        if (code === null) print(`${line}\n`);
        else void showSetUpCode(code, this.#language());
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

  #lock(): void {
    this.#parts.log.info('console locked');
    for (const contents of [this.#window.contents, this.#case.contents])
      if (contents !== null) push(contents, 'console:lock', null);
  }

  #speak(language: Language): void {
    if (language === this.#language()) return;
    this.#parts.appearance.choose({ language });
    this.#menu?.draw();
    this.#presence.draw();
  }

  #answerPages(): void {
    const { appearance, log } = this.#parts;
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
          this.#speak(report.language);
          this.#presence.take(report);
          this.#lastAnswer.take(report, performance.now());
          return null;
        },
        'console:appear': (scheme) => {
          appearance.choose({ scheme });
          return null;
        },
        'console:speak': (language) => {
          this.#speak(language);
          return null;
        },
        'console:menu': (acts, sender) => {
          // A case runs the acts of the menus, and adds none.
          if (sender === this.#window.contents) this.#menu?.offer(acts);
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

  #setupView(): SetupView {
    const { inForce: settings, fixed } = this.#parts.settings;
    return {
      language: this.#language(),
      settings,
      fixed,
      isFirst: this.#source === null,
      inUse: this.#inUse,
      services: this.#services?.standings ?? [],
    };
  }

  get #inUse(): SetupView['inUse'] {
    const source = this.#source;
    if (source === null) return null;
    const address = source.mode === 'connected' ? source.address : this.#connection.address;
    return { mode: source.mode, address: address?.origin ?? null };
  }

  #save(asked: ProgramSettings): SaveAnswer {
    const { settings, updates } = this.#parts;
    const before = settings.chosen.console;
    const answer = settings.keep(asked);
    if (answer.kind !== 'saved') return answer;
    const { console } = settings.chosen;
    updates.follow(settings.inForce.updates);
    this.#protectContent();
    if (this.#source === null && console !== null) this.#open(sourceOf(console));
    else if (JSON.stringify(before) !== JSON.stringify(console)) this.startAnew();
    else this.tryAgain();
    // After the answer, which is for the page of this window.
    setImmediate(() => this.#settings.close());
    return answer;
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
