/**
 * Builds a release: installers and archives in one folder, signed, with checksums, metadata and bill of materials. An
 * unsigned build says so in its folder's name and in the program.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createPublicKey } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { releaseKeyId, type PinnedRelease } from '../../../shared/service/release.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import type { ElectronRuntime } from '../../setup/electron-runtime.js';
import { billName, writeBill } from '../build/bill-of-materials.ts';
import { PackagingError } from '../build/inputs.ts';
import type { ReleasePins, ReleaseSigning } from './release-key.ts';
import { archivePackage, type ServicesPackage } from '../build/services-package.ts';
import { signRelease, type ReleaseTerms } from './sign-release.ts';

export interface ReleaseOrder {
  archives: readonly ServicesPackage[];
  /** Creates the installers in a folder; null: none requested. */
  installers: ((folder: string) => Promise<void>) | null;
  /** Null: an unsigned test build. Without its key the build waits for `signBuilt`. */
  signing: ReleasePins | null;
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
    if (signing !== null && signing.key !== null)
      await signRelease(fresh, signing.key, termsOf(signing.pinned.channel, now));
    const place = join(into, nameOf(signing));
    rmSync(place, { recursive: true, force: true });
    renameSync(fresh, place);
    return place;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const OF_THIS = `${PRODUCT_VERSION}-${releasePlatform}`;

const termsOf = (channel: string, now: Date): ReleaseTerms => ({
  ...{ version: PRODUCT_VERSION, channel, platform: releasePlatform, now },
  days: RELEASE_DAYS,
});

function nameOf(signing: ReleasePins | null): string {
  if (signing === null) return `unsigned-${OF_THIS}`;
  return signing.key === null ? waitingName(signing.pinned) : `release-${OF_THIS}`;
}

/** The channel and the key that the programs in it have pinned: another key's signature would be refused by all of them. */
function waitingName({ channel, keys: [first = ''] }: PinnedRelease): string {
  return `to-sign-${OF_THIS}-${channel}-${releaseKeyId(createPublicKey(first)).slice(0, 16)}`;
}

/** Signs a build that waits for it, and returns its new path. @throws PackagingError */
export async function signBuilt(folder: string, { key, pinned }: ReleaseSigning, now: Date): Promise<string> {
  const expected = waitingName(pinned);
  if (basename(resolve(folder)) !== expected)
    throw new PackagingError(
      `${folder} is no build that waits for this key and channel: such a folder is named ${expected}.`,
    );
  await signRelease(folder, key, termsOf(pinned.channel, now));
  const place = join(dirname(resolve(folder)), `release-${OF_THIS}`);
  rmSync(place, { recursive: true, force: true });
  renameSync(folder, place);
  return place;
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
