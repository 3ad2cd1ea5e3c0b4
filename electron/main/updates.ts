/**
 * New versions from a feed inside the tenant's network. Off until a feed is configured, so that the program asks
 * nobody by itself. What comes is installed only when a person says so, and only when its hash is the one that
 * the feed names; the feed itself is known by its pinned authority.
 */
import { join } from 'node:path';
import { app, dialog, session } from 'electron';
import type { AppUpdater, UpdateDownloadedEvent } from 'electron-updater';
import type { Log } from './log.ts';
import { parseAddress } from './origins.ts';
import type { UpdateChoice } from './settings.ts';
import { UPDATES, type Language } from './texts.ts';
import { pinAuthority } from './trust.ts';

/** The session that electron-updater asks with. */
const SESSION = 'electron-updater';
const LOOK_EVERY_MS = 6 * 60 * 60 * 1_000;

export class Updates {
  readonly #language: Language;
  readonly #log: Log;
  readonly #beforeInstall: () => Promise<void>;
  #choice: UpdateChoice | null = null;
  #updater: Promise<AppUpdater> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param beforeInstall ends what the program runs, so that its files can be replaced */
  constructor(language: Language, log: Log, beforeInstall: () => Promise<void>) {
    this.#language = language;
    this.#log = log;
    this.#beforeInstall = beforeInstall;
  }

  /** Looks at this feed from now on; null: at none. */
  follow(choice: UpdateChoice | null): void {
    this.#choice = choice;
    clearInterval(this.#timer);
    if (choice === null) return;
    this.#timer = setInterval(() => void this.#look(choice).catch(() => undefined), LOOK_EVERY_MS);
    void this.#look(choice).catch(() => undefined);
  }

  /** Looks because a person asks, and says what comes of it. */
  async look(): Promise<void> {
    const text = UPDATES[this.#language];
    if (this.#choice === null) {
      await dialog.showMessageBox({ message: text.off, detail: text.offDetail, buttons: [text.close] });
      return;
    }
    try {
      const found = await this.#look(this.#choice);
      if (found === 'downloaded') return;
      const message = found === 'newest' ? text.newest : text.notHere;
      await dialog.showMessageBox({ message, buttons: [text.close] });
    } catch (error) {
      const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      await dialog.showMessageBox({ type: 'error', message: text.failed, detail, buttons: [text.close] });
    }
  }

  /** What the feed has. @throws when it cannot be asked, or what came is not what it names */
  async #look(choice: UpdateChoice): Promise<'newest' | 'downloaded' | 'not here'> {
    const updater = await (this.#updater ??= this.#makeUpdater());
    this.#confine(choice);
    updater.setFeedURL({ provider: 'generic', url: choice.feed, useMultipleRangeRequest: false });
    try {
      const found = await updater.checkForUpdates();
      if (found === null) return 'not here';
      if (!found.isUpdateAvailable) return 'newest';
      await found.downloadPromise;
      return 'downloaded';
    } catch (error) {
      this.#log.error('update refused', { reason: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  async #makeUpdater(): Promise<AppUpdater> {
    // Loaded only where updates are on.
    const { autoUpdater } = await import('electron-updater');
    autoUpdater.updateConfigPath = join(app.getAppPath(), 'app-update.yml');
    autoUpdater.autoDownload = true;
    autoUpdater.autoInstallOnAppQuit = false;
    autoUpdater.allowDowngrade = false;
    autoUpdater.disableWebInstaller = true;
    autoUpdater.logger = null;
    // Each is told by the promise that waits for it, too.
    autoUpdater.on('error', () => undefined);
    autoUpdater.on('update-downloaded', (event) => void this.#offer(autoUpdater, event));
    return autoUpdater;
  }

  /** The updater reaches the feed and nothing else, however it is redirected. */
  #confine({ feed, authority }: UpdateChoice): void {
    const { origin, hostname } = new URL(feed);
    const own = session.fromPartition(SESSION, { cache: false });
    pinAuthority(own, hostname, authority === '' ? null : authority, this.#log);
    own.webRequest.onBeforeRequest(({ url }, go) => {
      const isFeed = parseAddress(url)?.origin === origin;
      if (!isFeed) this.#log.warn('update asked elsewhere', { url });
      go({ cancel: !isFeed });
    });
  }

  async #offer(updater: AppUpdater, { version }: UpdateDownloadedEvent): Promise<void> {
    this.#log.info('update downloaded', { version });
    const text = UPDATES[this.#language];
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: text.ready(version),
      detail: text.readyDetail,
      buttons: [text.later, text.install],
      defaultId: 1,
      cancelId: 0,
    });
    if (response !== 1) return;
    await this.#beforeInstall();
    // The new program starts before this one is gone.
    app.releaseSingleInstanceLock();
    updater.quitAndInstall();
  }
}
