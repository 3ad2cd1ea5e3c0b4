/**
 * Uses electron-updater only as an installer: the signed release names what to install, and our own download fetches
 * the file, so that no unsigned statement of the feed is ever read. Loaded only with updates turned on.
 */
import { basename, join } from 'node:path';
import { app } from 'electron';
import { autoUpdater, Provider, type AppUpdater, type UpdateInfo } from 'electron-updater';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { fileOf, type Release } from '../../../shared/service/release.ts';
import { folderOf, takeFile, type Feed } from './release-feed.ts';

/** @returns null if this installation does not update itself */
export async function downloadUpdate(release: Release, feed: Feed): Promise<string | null> {
  const updater = configured();
  // Replaces electron-updater's HTTP client, which follows redirects and has no limits.
  Object.assign(updater, {
    httpExecutor: {
      download: (address: URL, path: string) =>
        takeFile(feed, fileOf(release, basename(decodeURIComponent(address.pathname))), release.version, path),
    },
  });
  updater.setFeedURL({ provider: 'custom', updateProvider: providerOf(release, feed) });
  const found = await updater.checkForUpdates();
  const paths = await found?.downloadPromise;
  return paths?.[0] ?? null;
}

/** Starts the downloaded installer, and ends the program. */
export function installUpdate(): void {
  configured().quitAndInstall();
}

function configured(): AppUpdater {
  autoUpdater.updateConfigPath = join(app.getAppPath(), 'app-update.yml');
  autoUpdater.autoDownload = true;
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.allowDowngrade = false;
  autoUpdater.disableWebInstaller = true;
  // Block maps are not signed.
  autoUpdater.disableDifferentialDownload = true;
  autoUpdater.logger = null;
  return autoUpdater;
}

function providerOf(
  release: Release,
  feed: Feed,
): new (options: object, updater: unknown, runtime: ProviderRuntimeOptions) => Provider<UpdateInfo> {
  const files = release.files.map(({ name, size, sha512 }) => ({
    url: name,
    size,
    sha512: Buffer.from(sha512, 'hex').toString('base64'),
  }));
  return class SignedProvider extends Provider<UpdateInfo> {
    constructor(_options: object, _updater: unknown, runtime: ProviderRuntimeOptions) {
      super(runtime);
    }
    getLatestVersion(): Promise<UpdateInfo> {
      const { version, issuedAt: releaseDate } = release;
      return Promise.resolve({ version, releaseDate, files, path: '', sha512: '' });
    }
    resolveFiles(): { url: URL; info: (typeof files)[number] }[] {
      return files.map((info) => ({ url: new URL(info.url, folderOf(feed)), info }));
    }
  };
}
