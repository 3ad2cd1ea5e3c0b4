/**
 * One case in a window of its own, beside the queue: the console's page of that explanation, under the same rules as
 * every page (`hardening.ts`). There is one such window; another case replaces its content.
 */
import type { BrowserWindow, WebContents } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { installContextMenu } from '../menu/context-menu.ts';
import { makePageWindow } from './page-window.ts';
import type { OwnLanguage } from '../texts/texts.ts';
import { askBeforeLosingWork } from './unsaved-work.ts';

const FIRST = { width: 900, height: 860 } as const;

export class CaseWindow {
  readonly #isEnding: () => boolean;
  readonly #language: OwnLanguage;
  readonly #log: Log;
  #window: BrowserWindow | null = null;
  #isProtected = false;

  constructor(isEnding: () => boolean, language: OwnLanguage, log: Log) {
    this.#isEnding = isEnding;
    this.#language = language;
    this.#log = log;
  }

  /** Shows a case, in front. */
  open(address: URL): void {
    const window = this.#window ?? this.#make();
    // A failed load is reported by its event.
    window.loadURL(address.href).catch(() => undefined);
    if (window.isMinimized()) window.restore();
    window.focus();
    this.#log.info('case window opened', { path: address.pathname });
  }

  /** Its page; null while it is closed. */
  get contents(): WebContents | null {
    return this.#window?.webContents ?? null;
  }

  protectContent(isOn: boolean): void {
    this.#isProtected = isOn;
    this.#window?.setContentProtection(isOn);
  }

  /** Closes together with its main window. */
  close(): void {
    this.#window?.destroy();
  }

  #make(): BrowserWindow {
    const window = makePageWindow(FIRST);
    this.#window = window;
    window.setContentProtection(this.#isProtected);
    window.once('ready-to-show', () => window.show());
    window.once('closed', () => {
      this.#window = null;
    });
    installContextMenu(window, this.#language);
    askBeforeLosingWork(window, { isEnding: this.#isEnding, stays: () => undefined }, this.#language);
    // The window with the queue reports the fault, and retries.
    const giveUp = (reason: string): void => {
      this.#log.warn('case window closed', { reason });
      window.destroy();
    };
    window.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) giveUp(description);
    });
    window.webContents.on('render-process-gone', (_event, { reason }) => giveUp(reason));
    return window;
  }
}

/** Chromium's code for a navigation that another one replaced. */
const ABORTED = -3;
