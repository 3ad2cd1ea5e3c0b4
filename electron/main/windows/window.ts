/** The one window, and its reports about the page in it. */
import { app, nativeImage, type BrowserWindow, type WebContents } from 'electron';
import type { ShellState } from '../ipc/channels.ts';
import type { Problem, View } from '../connection/connection.ts';
import type { Log } from '../diagnostics/log.ts';
import { push } from './messages.ts';
import { shellAddress, shellPageOf, type ShellPage } from '../security/origins.ts';
import { keepWindowState, storedWindowState } from './stored-window.ts';
import { installContextMenu } from '../menu/context-menu.ts';
import { makePageWindow } from './page-window.ts';
import { timerSchedule } from '../services/schedule.ts';
import { BADGE, badgePixels } from '../presence/badge.ts';
import type { OwnLanguage } from '../texts/texts.ts';
import { distrustNamed } from '../security/trust.ts';
import { askBeforeLosingWork, type ClosingEvents } from './unsaved-work.ts';
import { FIRST } from './window-state.ts';

export interface WindowEvents extends ClosingEvents {
  consoleLoaded(): void;
  consoleFailed(problem: Problem): void;
  /** Something is in the window for the first time. */
  painted(): void;
  /** The window is about to close. False: it stays, hidden. */
  closing(): boolean;
  /** It is gone. */
  closed(): void;
}

/** Chromium's code for a navigation that another one replaced. */
const ABORTED = -3;

export class MainWindow implements View {
  readonly #window: BrowserWindow;
  readonly #log: Log;
  #state: ShellState = { kind: 'starting' };
  /** The program's own page that is in the window, or loading. */
  #shellPage: ShellPage | null = null;
  /** The window's path in the console, or the one to open when the console can be shown. Begins with a slash. */
  #path = '/';

  constructor(events: WindowEvents, language: OwnLanguage, log: Log) {
    this.#log = log;
    const kept = storedWindowState();
    this.#window = makePageWindow(kept?.bounds ?? FIRST);
    this.#window.once('ready-to-show', () => {
      if (kept?.maximized === true) this.#window.maximize();
      this.#window.show();
      events.painted();
    });
    keepWindowState(this.#window, timerSchedule, log);
    installContextMenu(this.#window, language);
    this.#reportLoads(events);
    askBeforeLosingWork(this.#window, events, language);
    this.#window.on('close', (event) => {
      if (!events.closing()) event.preventDefault();
    });
    this.#window.once('closed', () => events.closed());
  }

  /** The state for the status page. */
  get state(): ShellState {
    return this.#state;
  }

  showConsole(address: URL): void {
    this.#shellPage = null;
    // Appended to the origin, never resolved against it: a path like //host would name another host. An event reports a
    // failed load; the promise would only repeat it.
    this.#window.loadURL(`${address.origin}${this.#path}`).catch(() => undefined);
  }

  /** Goes to a path in the console: at once if it is shown, otherwise as soon as it is. */
  goTo(path: string, shown: URL | null): void {
    this.#path = path;
    if (shown !== null) this.showConsole(shown);
  }

  /** Hides the window with its page. */
  hide(): void {
    this.#window.hide();
    this.#log.info('window hidden');
  }

  /** Excludes the window from screenshots and shared screens; Linux does not support this. */
  protectContent(isOn: boolean): void {
    this.#window.setContentProtection(isOn);
    if (isOn) this.#log.info('content protected');
  }

  /** Shows a number on the program's icon: macOS and Linux draw it, Windows shows a picture over the taskbar's button. */
  showBadge(count: number, words: string): void {
    app.setBadgeCount(count);
    if (process.platform !== 'win32' || this.#window.isDestroyed()) return;
    const size = { width: BADGE, height: BADGE, scaleFactor: 2 };
    const picture = count === 0 ? null : nativeImage.createFromBitmap(Buffer.from(badgePixels(count)), size);
    this.#window.setOverlayIcon(picture, count === 0 ? '' : words);
  }

  /** Its page; null once it is closed. */
  get contents(): WebContents | null {
    return this.#window.isDestroyed() ? null : this.#window.webContents;
  }

  get isInFront(): boolean {
    return this.#window.isFocused();
  }

  showStatus(state: ShellState): void {
    if (this.#window.isDestroyed()) return;
    this.#state = state;
    if (this.#shellPage === 'status') {
      push(this.#window.webContents, 'shell:state-changed', state);
      return;
    }
    this.#shellPage = 'status';
    this.#window
      .loadURL(shellAddress('status'))
      .catch((error: unknown) => this.#log.error('status page not shown', { reason: String(error) }));
  }

  /** Asks for the console at the first start, before there is one. */
  showSetup(): void {
    this.#shellPage = 'setup';
    this.#window
      .loadURL(shellAddress('setup'))
      .catch((error: unknown) => this.#log.error('setup page not shown', { reason: String(error) }));
  }

  /** Reloads the console's page, like a browser. */
  reload(): void {
    this.#window.webContents.reload();
  }

  /** Brings the window to the front, for a second start of the program. */
  focus(): void {
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  #reportLoads(events: WindowEvents): void {
    const contents = this.#window.webContents;
    // `getURL()` is no such record: while the next page is only asked for, it gives that page's address already.
    let inWindow = { url: '', httpStatus: -1 };
    contents.on('did-navigate', (_event, url, httpStatus) => {
      inWindow = { url, httpStatus };
      if (shellPageOf(url) === null && httpStatus >= 400)
        events.consoleFailed({ kind: 'refused', reason: `HTTP ${httpStatus}` });
    });
    // A page that is opened again, for instance after a crash, opens at its last address.
    contents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
      if (!isMainFrame || shellPageOf(url) !== null) return;
      const { pathname, search } = new URL(url);
      this.#path = `${pathname}${search}`;
    });
    contents.on('did-finish-load', () => {
      const page = shellPageOf(inWindow.url);
      if (page === 'status') this.#log.info('status page shown', { state: this.#state.kind });
      else if (page === 'setup') this.#log.info('setup page shown');
      // A blank page has no status.
      else if (inWindow.httpStatus >= 200 && inWindow.httpStatus < 400) events.consoleLoaded();
    });
    contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      if (!isMainFrame || code === ABORTED || shellPageOf(url) !== null) return;
      const distrust = distrustNamed(description);
      events.consoleFailed(
        distrust === null
          ? { kind: 'unreachable', reason: description === '' ? `error ${code}` : description }
          : { kind: 'untrusted', reason: distrust },
      );
    });
    contents.on('render-process-gone', (_event, { reason, exitCode }) => {
      if (reason === 'clean-exit') return;
      this.#log.error('page process gone', { reason, exitCode });
      this.#shellPage = null;
      events.consoleFailed({ kind: 'crashed', reason });
    });
  }
}
