/**
 * New versions from a feed inside the tenant's network. Off until a feed is configured, so that the program sends no
 * request by default. Only a release signed by the vendor's key is accepted, and installed only on the user's command;
 * the feed is identified by its pinned authority but not trusted.
 */
import { basename, join } from 'node:path';
import { app, dialog, session } from 'electron';
import {
  checkFile,
  fileOf,
  PINNED_RELEASE,
  ReleaseRefusedError,
  type Release,
} from '../../../shared/service/release.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import type { Log } from '../diagnostics/log.ts';
import { parseAddress } from '../security/origins.ts';
import { newestRelease, PATIENCE, type Feed } from './release-feed.ts';
import { keepSeen, readSeen } from './seen-release.ts';
import type { UpdateChoice } from '../settings/settings.ts';
import { UPDATES, type OwnLanguage } from '../texts/texts.ts';
import { pinAuthority } from '../security/trust.ts';

const SESSION = 'causeway-updates';
const CHECK_EVERY_MS = 6 * 60 * 60 * 1_000;

export class Updates {
  readonly #language: OwnLanguage;
  readonly #log: Log;
  readonly #beforeInstall: () => Promise<void>;
  #choice: UpdateChoice | null = null;
  #looking: Promise<'newest' | 'offered' | 'not here'> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The last refusal that was reported without a request by the user. */
  #told = '';

  /** @param beforeInstall ends the program's services, so that its files can be replaced */
  constructor(language: OwnLanguage, log: Log, beforeInstall: () => Promise<void>) {
    this.#language = language;
    this.#log = log;
    this.#beforeInstall = beforeInstall;
  }

  /** Checks this feed from now on; null: none. */
  follow(choice: UpdateChoice | null): void {
    this.#choice = choice;
    clearInterval(this.#timer);
    if (choice === null) return;
    const check = (): void => void this.#check(choice).catch((error: unknown) => this.#tellOnce(error));
    this.#timer = setInterval(check, CHECK_EVERY_MS);
    check();
  }

  /** Checks at the user's request, and reports the outcome. */
  async check(): Promise<void> {
    const text = UPDATES[this.#language()];
    if (this.#choice === null) {
      await dialog.showMessageBox({ message: text.off, detail: text.offDetail, buttons: [text.close] });
      return;
    }
    try {
      const found = await this.#check(this.#choice);
      if (found === 'offered') return;
      const message = found === 'newest' ? text.newest : text.notHere;
      await dialog.showMessageBox({ message, buttons: [text.close] });
    } catch (error) {
      await this.#tell(error);
    }
  }

  /** The version in the feed; parallel checks share one. @throws when no release is accepted */
  #check(choice: UpdateChoice): Promise<'newest' | 'offered' | 'not here'> {
    this.#looking ??= this.#ask(choice)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        const code = error instanceof ReleaseRefusedError ? error.refusal.code : null;
        this.#log.error('update refused', { code, reason });
        throw error;
      })
      .finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #ask(choice: UpdateChoice): Promise<'newest' | 'offered' | 'not here'> {
    const feed = this.#confined(choice);
    const file = join(app.getPath('userData'), 'newest-release.json');
    const { release, seen } = await newestRelease(feed, {
      pinned: PINNED_RELEASE,
      platform: `${process.platform}-${process.arch}`,
      installed: app.getVersion(),
      seen: readSeen(file),
      now: systemClock.now(),
    });
    keepSeen(file, seen);
    if (release.version === app.getVersion()) return 'newest';
    const { downloadUpdate } = await import('./signed-updater.ts');
    const path = await downloadUpdate(release, feed);
    if (path === null) return 'not here';
    this.#log.info('update downloaded', { version: release.version });
    void this.#offer(release, path).catch((error: unknown) => this.#tell(error));
    return 'offered';
  }

  /** A feed in a session that reaches no other host, despite redirects. */
  #confined({ feed: address, authority }: UpdateChoice): Feed {
    const { origin, hostname } = new URL(address);
    const own = session.fromPartition(SESSION, { cache: false });
    pinAuthority(own, hostname, authority === '' ? null : authority, this.#log);
    own.webRequest.onBeforeRequest(({ url }, go) => {
      const isFeed = parseAddress(url)?.origin === origin;
      if (!isFeed) this.#log.warn('update request to another server refused', { url });
      go({ cancel: !isFeed });
    });
    return { address, ...PATIENCE, fetch: (url, options) => own.fetch(url, options) };
  }

  async #offer(release: Release, path: string): Promise<void> {
    const { version } = release;
    const text = UPDATES[this.#language()];
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: text.ready(version),
      detail: text.readyDetail,
      buttons: [text.later, text.install],
      defaultId: 1,
      cancelId: 0,
    });
    if (response !== 1) return;
    // It has been in a cache since, perhaps for days.
    await checkFile(path, fileOf(release, basename(path)), version);
    await this.#beforeInstall();
    // The new program starts before this one has ended.
    app.releaseSingleInstanceLock();
    const { installUpdate } = await import('./signed-updater.ts');
    installUpdate();
  }

  /** Reports a refusal of an automatic check once, and again when the refusal changes. */
  #tellOnce(error: unknown): void {
    if (!(error instanceof ReleaseRefusedError) || error.refusal.code === 'UNREACHABLE') return;
    if (error.message === this.#told) return;
    this.#told = error.message;
    void this.#tell(error);
  }

  async #tell(error: unknown): Promise<void> {
    const text = UPDATES[this.#language()];
    await dialog.showMessageBox({
      type: 'error',
      message: text.failed,
      detail: error instanceof ReleaseRefusedError ? text.refusal(error.refusal) : firstLineOf(error),
      buttons: [text.close],
    });
  }
}

const firstLineOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
