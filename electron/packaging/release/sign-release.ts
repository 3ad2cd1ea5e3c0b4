/** Signs a folder of packages: each file, `SHA256SUMS`, and the metadata for updater and `verify-package`. */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkFile,
  measureFile,
  PRODUCT,
  readRelease,
  RELEASE_SCHEMA,
  releaseFile,
  signatureOf,
  SUMS_FILE,
  type PinnedRelease,
  type Release,
} from '../../../shared/service/release.ts';
import { PackagingError } from '../build/inputs.ts';

export interface ReleaseTerms {
  version: string;
  channel: string;
  platform: string;
  now: Date;
  /** How long the metadata is valid without renewal. */
  days: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** @throws PackagingError */
export async function signRelease(folder: string, key: KeyObject, terms: ReleaseTerms): Promise<void> {
  const names = packagesIn(folder);
  if (names.length === 0) throw new PackagingError(`${folder} holds no package to be signed.`);
  const files: Release['files'] = [];
  const sums: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const { size, sha256, sha512 } = await measureFile(path);
    files.push({ name, size, sha512 });
    sums.push(`${sha256}  ${name}\n`);
    writeFileSync(join(folder, signatureOf(name)), sign(null, readFileSync(path), key));
  }
  writeSigned(folder, SUMS_FILE, sums.join(''), key);
  const { channel, platform, version } = terms;
  writeMetadata(folder, { v: 1, product: PRODUCT, channel, platform, version, ...lifeOf(terms), files }, key);
}

/**
 * Renews the metadata of a release, after checking that the folder is still what was signed. @throws PackagingError,
 * ReleaseRefusedError
 */
export async function renewRelease(
  folder: string,
  key: KeyObject,
  terms: Omit<ReleaseTerms, 'version'>,
): Promise<Release> {
  const { channel, platform } = terms;
  const name = releaseFile(platform);
  if (!existsSync(join(folder, name))) throw new PackagingError(`${folder} holds no ${name}.`);
  const bytes = readFileSync(join(folder, name));
  const signature = readFileSync(join(folder, signatureOf(name)));
  const pinned: PinnedRelease = { channel, keys: [publicPem(key)] };
  // An expired release may be renewed, so the check uses a time before any expiry.
  const expected = { pinned, platform, installed: '0.0.0', seen: null, now: new Date(0) };
  const { release } = readRelease(name, bytes, signature, expected);
  for (const file of release.files) await checkFile(join(folder, file.name), file, release.version);
  const renewed = { ...release, ...lifeOf(terms) };
  writeMetadata(folder, renewed, key);
  return renewed;
}

export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

/** Files other than `SHA256SUMS` and the like, which describe the packages. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !isAboutPackages(entry.name))
    .map(({ name }) => name)
    .toSorted();
}

const isAboutPackages = (name: string): boolean =>
  name === SUMS_FILE || name.endsWith('.sig') || /^release-[\w-]+\.json$/.test(name);

function lifeOf({ now, days }: Pick<ReleaseTerms, 'now' | 'days'>): Pick<Release, 'issuedAt' | 'expiresAt'> {
  return { issuedAt: now.toISOString(), expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString() };
}

function writeMetadata(folder: string, release: Release, key: KeyObject): void {
  const read = RELEASE_SCHEMA.safeParse(release);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new PackagingError(`This release cannot be signed: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  }
  writeSigned(folder, releaseFile(release.platform), `${JSON.stringify(release, null, 2)}\n`, key);
}

/** Each by a rename, so that a served folder never shows half a file. */
function writeSigned(folder: string, name: string, text: string, key: KeyObject): void {
  for (const [file, bytes] of [
    [signatureOf(name), sign(null, Buffer.from(text), key)],
    [name, Buffer.from(text)],
  ] as const) {
    writeFileSync(join(folder, `${file}.new`), bytes);
    renameSync(join(folder, `${file}.new`), join(folder, file));
  }
}
