/**
 * Builds a release: installers and archives in one folder, signed, with checksums, metadata and bill of materials. An
 * unsigned build says so in its folder's name and in the program.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import type { ElectronRuntime } from '../../setup/electron-runtime.js';
import { billName, writeBill } from '../build/bill-of-materials.ts';
import { PackagingError } from '../build/inputs.ts';
import type { ReleaseSigning } from './release-key.ts';
import { archivePackage, type ServicesPackage } from '../build/services-package.ts';
import { signRelease } from './sign-release.ts';

export interface ReleaseOrder {
  archives: readonly ServicesPackage[];
  /** Creates the installers in a folder; null: none requested. */
  installers: ((folder: string) => Promise<void>) | null;
  /** Null: an unsigned test build. */
  signing: ReleaseSigning | null;
  now: Date;
  /** The folder in which the result gets a folder of its own. */
  into: string;
}

/** The metadata is renewed before that: see the release guide. */
export const RELEASE_DAYS = 90;
export const releasePlatform = `${process.platform}-${process.arch}`;
const INSTALLERS = /\.(?:deb|AppImage|exe)$/;

/**
 * Builds in a temporary folder of `into`, which may lie on another disk than the project, renames the result into place, and
 * returns its path. @throws PackagingError
 */
export async function buildRelease({ archives, installers, signing, now, into }: ReleaseOrder): Promise<string> {
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(into, 'making-release-'));
  const fresh = join(work, 'release');
  try {
    mkdirSync(fresh);
    for (const kind of archives) await archivePackage(kind, fresh, signing?.pinned ?? null);
    if (installers !== null) {
      const made = join(work, 'installers');
      await installers(made);
      for (const name of readdirSync(made).filter((one) => INSTALLERS.test(one)))
        cpSync(join(made, name), join(fresh, name));
    }
    writeBill(join(fresh, billName(releasePlatform)), [
      ...new Set(archives.map((kind) => (kind === 'cloud' ? kind : 'tenant'))),
      ...(installers === null ? [] : (['program'] as const)),
    ]);
    if (signing !== null) {
      const { key, pinned } = signing;
      const terms = { version: PRODUCT_VERSION, channel: pinned.channel, platform: releasePlatform, now };
      await signRelease(fresh, key, { ...terms, days: RELEASE_DAYS });
    }
    const place = join(into, `${signing === null ? 'unsigned' : 'release'}-${PRODUCT_VERSION}-${releasePlatform}`);
    rmSync(place, { recursive: true, force: true });
    renameSync(fresh, place);
    return place;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param isUnsigned whether an unsigned test build was requested explicitly. @throws PackagingError */
export function requireSigning(signing: ReleaseSigning | null, isUnsigned: boolean): ReleaseSigning | null {
  if (isUnsigned) return null;
  if (signing === null)
    throw new PackagingError(
      'A release is signed: name the release key in CAUSEWAY_RELEASE_KEY (npm run release -- key makes one), or say --unsigned for a test build that the program shows as one.',
    );
  return signing;
}

/** @throws PackagingError */
export function requireOfficial({ kind, version }: Pick<ElectronRuntime, 'kind' | 'version'>): void {
  if (kind === 'stand-in')
    throw new PackagingError(
      `The installers need the official Electron, and this machine has only the stand-in ${version} for development: give it a way to the official one (a proxy by HTTPS_PROXY, or a mirror by ELECTRON_MIRROR).`,
    );
}
