/**
 * `causeway-agent verify-package FILE`: checks whether a package is the vendor's, by the key that this program pins and
 * the files beside the package. Uses no network.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './error-code.ts';
import {
  fileOf,
  readRelease,
  RELEASE_BYTES,
  releaseFile,
  ReleaseRefusedError,
  signatureOf,
  signerOf,
  SIGNATURE_BYTES,
  SUMS_FILE,
  type PinnedRelease,
} from './release.ts';
import { trustedPlace, UntrustedPlaceError, type Trusted } from './trusted-place.ts';
import { PRODUCT_VERSION } from '../wire/version.ts';

export const VERIFY_PACKAGE = {
  usage: 'verify-package FILE [--file COPY]',
  about:
    'Checks that a package is the vendor’s: its signature, SHA256SUMS and the metadata of its release beside it, by the ' +
    'key that this program pins. Uses no network. --file writes the very bytes that were checked into a new file; without ' +
    'it the package must lie where no other user could exchange it afterwards.',
};

export interface VerifyContext {
  /** The release keys that this program pins; null: a checkout or an unsigned build. */
  pinned: PinnedRelease | null;
  now(): Date;
  /** The users who may have written the installed files; null where file modes do not show it (Windows). */
  trusted: Trusted | null;
  print(line: string): void;
  complain(line: string): void;
}

/** The caller, root, and the person who became root by sudo. */
export function ownUsers(env: Readonly<Record<string, string | undefined>>): Trusted | null {
  const uid = process.getuid?.();
  return uid === undefined ? null : new Set([0, uid, ...(uid === 0 ? [Number(env['SUDO_UID'] ?? '0')] : [])]);
}

/**
 * @param copy a new file for the checked bytes; null: the file itself is installed
 * @returns the exit code: 0 when every check passes, otherwise 1
 */
export async function verifyPackage(file: string, copy: string | null, context: VerifyContext): Promise<number> {
  try {
    const bytes = taken(file, LARGEST);
    for (const line of checks(file, bytes, context)) context.print(`ok  ${line}`);
    if (copy === null) refuseExchangeable(file, context.trusted);
    else context.print(`ok  ${writtenTo(copy, bytes, context.trusted)}`);
  } catch (error) {
    if (!(error instanceof ReleaseRefusedError || error instanceof UntrustedPlaceError)) throw error;
    context.complain(`NO  ${error.message}`);
    context.complain(`Do not install ${basename(file)}.`);
    return 1;
  }
  context.print(`${basename(copy ?? file)} is the vendor's.`);
  return 0;
}

/** The most bytes of one read. */
const LARGEST = 2 ** 31 - 1;

/**
 * The checked file is installed later, by its path, so no other user may be able to exchange it.
 *
 * @throws UntrustedPlaceError
 */
function refuseExchangeable(file: string, trusted: Trusted | null): void {
  if (trusted === null) return;
  try {
    trustedPlace(file, trusted);
  } catch (error) {
    if (!(error instanceof UntrustedPlaceError)) throw error;
    throw new UntrustedPlaceError(
      `Other users may change ${file} after this check: have a copy checked and written, by "--file COPY", in a folder of your own.`,
    );
  }
}

/** @throws UntrustedPlaceError */
function writtenTo(copy: string, bytes: Uint8Array, trusted: Trusted | null): string {
  refuseExchangeable(dirname(copy), trusted);
  try {
    writeFileSync(copy, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new UntrustedPlaceError(
      `${copy} cannot be written (${codeOf(error)}): give a new name in a folder that is there.`,
    );
  }
  return `${copy} holds the bytes that were checked`;
}

/** The finished checks, line by line. @throws ReleaseRefusedError at the first thing that does not fit */
function* checks(file: string, bytes: Buffer, { pinned, now }: VerifyContext): Generator<string> {
  if (pinned === null) throw new ReleaseRefusedError('NO_KEY');
  const [folder, name] = [dirname(file), basename(file)];
  const take = (one: string, limit: number): Buffer => taken(join(folder, one), limit);
  const signed = (one: string, content: Buffer): string =>
    signerOf(one, content, take(signatureOf(one), SIGNATURE_BYTES), pinned);

  const key = signed(name, bytes);
  yield `${name} is signed by the release key ${key}`;

  const sums = take(SUMS_FILE, RELEASE_BYTES);
  signed(SUMS_FILE, sums);
  const sha256 = hash('sha256', bytes);
  if (!sums.toString('utf8').split('\n').includes(`${sha256}  ${name}`))
    throw new ReleaseRefusedError('FILE', name, SUMS_FILE);
  yield `${SUMS_FILE} is signed and lists it under this name with SHA-256 ${sha256}`;

  const platform = platformOf(name);
  const metadata = releaseFile(platform);
  const { release } = readRelease(
    metadata,
    take(metadata, RELEASE_BYTES),
    take(signatureOf(metadata), SIGNATURE_BYTES),
    { pinned, platform, installed: PRODUCT_VERSION, seen: null, now: now() },
  );
  const listed = fileOf(release, name);
  if (bytes.length !== listed.size || hash('sha512', bytes) !== listed.sha512)
    throw new ReleaseRefusedError('FILE', name, release.version);
  yield `${metadata} is signed and lists it as version ${release.version} of ${release.product}, channel ${release.channel}`;
  yield `version ${release.version} is not older than the ${PRODUCT_VERSION} installed here, and good until ${release.expiresAt}`;
}

/** A package for another system may be verified here, on the way to its host. */
const platformOf = (name: string): string =>
  /\b(?:linux|win32)-(?:x64|arm64)\b/.exec(name)?.[0] ?? (name.endsWith('.exe') ? 'win32-x64' : 'linux-x64');

/** Opened once: the checked size and the bytes are of one file, even if the path is replaced meanwhile. */
function taken(path: string, limit: number): Buffer {
  let handle: number;
  try {
    // A pipe would keep a plain open waiting.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw new ReleaseRefusedError('MISSING', path);
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new ReleaseRefusedError('MISSING', path);
    if (stat.size > limit) throw new ReleaseRefusedError('TOO_LARGE', path, String(limit));
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
