/**
 * `causeway-agent verify-package FILE`: whether a package is the vendor's, held against the key that this program pins
 * and the files that lie beside the package. It asks no network.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  checkFile,
  fileOf,
  measureFile,
  readRelease,
  RELEASE_BYTES,
  releaseFile,
  ReleaseRefusedError,
  signatureOf,
  signerOf,
  SIGNATURE_BYTES,
  SUMS_FILE,
  type PinnedRelease,
} from '../../shared/service/release.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';

export const VERIFY_PACKAGE = {
  usage: 'verify-package FILE',
  about:
    'Checks that a package is the vendor’s: its signature, SHA256SUMS and the metadata of its release beside it, by the ' +
    'key that this program pins. Uses no network.',
};

export interface VerifyContext {
  /** The release keys that this program pins; null: a checkout or an unsigned build. */
  pinned: PinnedRelease | null;
  now(): Date;
  print(line: string): void;
  complain(line: string): void;
}

/** @returns the exit code: 0 when everything fits, 1 when anything does not */
export async function verifyPackage(file: string, context: VerifyContext): Promise<number> {
  try {
    for await (const line of checks(file, context)) context.print(`ok  ${line}`);
  } catch (error) {
    if (!(error instanceof ReleaseRefusedError)) throw error;
    context.complain(`NO  ${error.message}`);
    context.complain(`Do not install ${basename(file)}.`);
    return 1;
  }
  context.print(`${basename(file)} is the vendor's.`);
  return 0;
}

/** The finished checks, line by line. @throws ReleaseRefusedError at the first thing that does not fit */
async function* checks(file: string, { pinned, now }: VerifyContext): AsyncGenerator<string> {
  if (pinned === null) throw new ReleaseRefusedError('NO_KEY');
  const [folder, name] = [dirname(file), basename(file)];
  const take = (one: string, limit: number): Buffer => taken(join(folder, one), limit);
  const signed = (one: string, bytes: Buffer): string =>
    signerOf(one, bytes, take(signatureOf(one), SIGNATURE_BYTES), pinned);

  const key = signed(name, take(name, Number.MAX_SAFE_INTEGER));
  yield `${name} is signed by the release key ${key}`;

  const sums = take(SUMS_FILE, RELEASE_BYTES);
  signed(SUMS_FILE, sums);
  const { sha256 } = await measureFile(file);
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
  await checkFile(file, fileOf(release, name), release.version);
  yield `${metadata} is signed and lists it as version ${release.version} of ${release.product}, channel ${release.channel}`;
  yield `version ${release.version} is not older than the ${PRODUCT_VERSION} installed here, and good until ${release.expiresAt}`;
}

/** A package for another system may be verified here, on the way to its host. */
const platformOf = (name: string): string =>
  /\b(?:linux|win32)-(?:x64|arm64)\b/.exec(name)?.[0] ?? (name.endsWith('.exe') ? 'win32-x64' : 'linux-x64');

function taken(path: string, limit: number): Buffer {
  if (!existsSync(path) || !statSync(path).isFile()) throw new ReleaseRefusedError('MISSING', path);
  if (statSync(path).size > limit) throw new ReleaseRefusedError('TOO_LARGE', path, String(limit));
  return readFileSync(path);
}
