/** A page of the program's own in a window of its own: the settings, the manual. Escape closes it. */
import type { BrowserWindow } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { installContextMenu } from '../menu/context-menu.ts';
import { shellAddress, type ShellPage } from '../security/origins.ts';
import type { OwnLanguage } from '../texts/texts.ts';
import { makePageWindow } from './page-window.ts';

const FIRST = { width: 820, height: 860 } as const;

export class ShellWindow {
  readonly #page: ShellPage;
  readonly #path: () => string;
  readonly #language: OwnLanguage;
  readonly #log: Log;
  #window: BrowserWindow | null = null;

  /** @param path of the page's file now, without the first slash */
  constructor(page: ShellPage, path: () => string, language: OwnLanguage, log: Log) {
    this.#page = page;
    this.#path = path;
    this.#language = language;
    this.#log = log;
  }

  /** In front; there is one such window. */
  open(): void {
    const window = this.#window;
    if (window === null) return this.#make();
    if (window.isMinimized()) window.restore();
    window.focus();
  }

  close(): void {
    this.#window?.destroy();
  }

  #make(): void {
    const window = makePageWindow(FIRST);
    this.#window = window;
    // The menus' keys act here too; the menus are those of the console.
    window.setAutoHideMenuBar(true);
    window.setMenuBarVisibility(false);
    window.once('ready-to-show', () => window.show());
    window.once('closed', () => {
      this.#window = null;
    });
    installContextMenu(window, this.#language);
    window.webContents.on('before-input-event', (event, { type, key, isComposing }) => {
      if (type !== 'keyDown' || key !== 'Escape' || isComposing) return;
      event.preventDefault();
      window.close();
    });
    window.webContents.on('did-finish-load', () => this.#log.info(`${this.#page} page shown`));
    window
      .loadURL(`${shellAddress(this.#page)}${this.#path()}`)
      .catch((error: unknown) => this.#log.error(`${this.#page} page not shown`, { reason: String(error) }));
  }
}
