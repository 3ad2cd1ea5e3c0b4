/**
 * A release as the vendor signs it: metadata with an Ed25519 signature over its bytes as served, and the checks that
 * the updater and `verify-package` share. Unsigned bytes are never parsed.
 */
import { createHash, createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import { compareProducts } from '../wire/version.ts';

/** The keys that a build pins; the second is the next key, so that a rotation needs no trust in a feed. */
export interface PinnedRelease {
  channel: string;
  /** Public keys, PEM. */
  keys: readonly string[];
}

declare const CAUSEWAY_RELEASE: string | undefined;
/** Null in a checkout and in an unsigned test build. */
export const PINNED_RELEASE =
  typeof CAUSEWAY_RELEASE === 'undefined' ? null : (JSON.parse(CAUSEWAY_RELEASE) as PinnedRelease | null);

export const PRODUCT = 'causeway';
export const SUMS_FILE = 'SHA256SUMS';
export const signatureOf = (file: string): string => `${file}.sig`;
export const releaseFile = (platform: string): string => `release-${platform}.json`;
/** Metadata of a dozen files has some 4 KB. */
export const RELEASE_BYTES = 64 * 1024;
export const SIGNATURE_BYTES = 64;

const instant = z.iso.datetime({ precision: 3 });
const FILE_SCHEMA = z.strictObject({
  // A bare file name: it cannot lead to another folder or another server.
  name: z.string().check(z.regex(/^\w[\w.+-]{0,127}$/)),
  size: z.int().check(z.gte(1)),
  sha512: z.string().check(z.regex(/^[\da-f]{128}$/)),
});
export const RELEASE_SCHEMA = z.strictObject({
  v: z.literal(1),
  product: z.string(),
  channel: z.string(),
  /** `linux-x64`, `win32-x64`. */
  platform: z.string(),
  version: z.string().check(z.regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/)),
  issuedAt: instant,
  expiresAt: instant,
  files: z.array(FILE_SCHEMA).check(z.minLength(1), z.maxLength(32)),
});
export type Release = z.infer<typeof RELEASE_SCHEMA>;
export type ReleaseFile = z.infer<typeof FILE_SCHEMA>;

/** The reason of a refusal. `named`: the received value; `known`: the value that it was compared with. */
export interface Refusal {
  code:
    | 'NO_KEY'
    | 'UNREACHABLE'
    | 'MISSING'
    | 'TOO_LARGE'
    | 'SIGNATURE'
    | 'FORM'
    | 'PRODUCT'
    | 'CHANNEL'
    | 'PLATFORM'
    | 'OLDER_THAN_INSTALLED'
    | 'OLDER_THAN_SEEN'
    | 'EXPIRED'
    | 'UNLISTED'
    | 'FILE';
  named: string;
  known: string;
}

const SENTENCES: Record<Refusal['code'], (named: string, known: string) => string> = {
  NO_KEY: () => 'This is an unsigned test build: it pins no release key, so it can check no release.',
  UNREACHABLE: (named, known) => `${named} did not come: ${known}.`,
  MISSING: (named) => `There is no ${named}.`,
  TOO_LARGE: (named, known) => `${named} is longer than ${known} bytes.`,
  SIGNATURE: (named, known) => `${named} is not signed by the vendor's release key (${known}).`,
  FORM: (named) => `${named} is signed and cannot be read: a newer program may be needed.`,
  PRODUCT: (named, known) => `The release is of the product ${named}, and this is ${known}.`,
  CHANNEL: (named, known) => `The release is of the channel ${named}, and this program follows ${known}.`,
  PLATFORM: (named, known) => `The release is for ${named}, and this is ${known}.`,
  OLDER_THAN_INSTALLED: (named, known) => `The release is version ${named}, older than the installed ${known}.`,
  OLDER_THAN_SEEN: (named, known) => `The release is ${named}, older than one seen before, ${known}.`,
  EXPIRED: (named, known) => `The release ${named} expired at ${known}: a newer one may be withheld.`,
  UNLISTED: (named, known) => `${named} is no file of the release ${known}.`,
  FILE: (named, known) => `${named} differs in size or hash from what the release ${known} says.`,
};

export const refusalSentence = ({ code, named, known }: Refusal): string => SENTENCES[code](named, known);

export class ReleaseRefusedError extends Error {
  override name = 'ReleaseRefusedError';
  readonly refusal: Refusal;
  constructor(code: Refusal['code'], named = '', known = '') {
    const refusal = { code, named, known };
    super(refusalSentence(refusal));
    this.refusal = refusal;
  }
}

/** The fingerprint by which people tell release keys apart. */
export function releaseKeyId(key: KeyObject): string {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  return hash('sha256', spki, 'hex').slice(0, 16);
}

/** The id of the pinned key that signed. @throws ReleaseRefusedError */
export function signerOf(name: string, bytes: Uint8Array, signature: Uint8Array, pinned: PinnedRelease | null): string {
  if (pinned === null) throw new ReleaseRefusedError('NO_KEY');
  const keys = pinned.keys.map((pem) => createPublicKey(pem));
  const signer = keys.find(
    (key) =>
      key.asymmetricKeyType === 'ed25519' &&
      signature.length === SIGNATURE_BYTES &&
      verify(null, bytes, key, signature),
  );
  if (signer === undefined) throw new ReleaseRefusedError('SIGNATURE', name, keys.map(releaseKeyId).join(', '));
  return releaseKeyId(signer);
}

/** The newest release that this machine has seen. */
export interface SeenRelease {
  version: string;
  issuedAt: string;
  /** The id of its signer. */
  key: string;
}

export interface ReleaseExpectation {
  pinned: PinnedRelease | null;
  platform: string;
  installed: string;
  seen: SeenRelease | null;
  now: Date;
}

/**
 * Reads metadata with a valid signature and checks it against the known attacks of a feed. @throws ReleaseRefusedError
 */
export function readRelease(
  name: string,
  bytes: Uint8Array,
  signature: Uint8Array,
  { pinned, platform, installed, seen: kept, now }: ReleaseExpectation,
): { release: Release; seen: SeenRelease } {
  const key = signerOf(name, bytes, signature, pinned);
  const release = parsed(name, bytes);
  const refuse = (code: Refusal['code'], named: string, known: string): never => {
    throw new ReleaseRefusedError(code, named, known);
  };
  if (release.product !== PRODUCT) refuse('PRODUCT', release.product, PRODUCT);
  if (release.channel !== pinned?.channel) refuse('CHANNEL', release.channel, pinned?.channel ?? '');
  if (release.platform !== platform) refuse('PLATFORM', release.platform, platform);
  if (compareProducts(release.version, installed) < 0) refuse('OLDER_THAN_INSTALLED', release.version, installed);
  // A key that is no longer pinned may have been stolen and used to raise the version out of reach, so its record does
  // not count.
  const isHeld = kept !== null && pinned !== null && pinnedKeyIds(pinned).includes(kept.key);
  const seen = isHeld ? kept : null;
  if (seen !== null && orderOf(release, seen) < 0) refuse('OLDER_THAN_SEEN', momentOf(release), momentOf(seen));
  // A clock that was set back does not make an expired release valid again.
  const present = Math.max(now.getTime(), seen === null ? 0 : Date.parse(seen.issuedAt));
  if (Date.parse(release.expiresAt) <= present) refuse('EXPIRED', release.version, release.expiresAt);
  return { release, seen: { version: release.version, issuedAt: release.issuedAt, key } };
}

export const pinnedKeyIds = ({ keys }: PinnedRelease): string[] =>
  keys.map((pem) => releaseKeyId(createPublicKey(pem)));

type Moment = Pick<Release, 'version' | 'issuedAt'>;
const orderOf = (a: Moment, b: Moment): number =>
  compareProducts(a.version, b.version) || Date.parse(a.issuedAt) - Date.parse(b.issuedAt);
const momentOf = ({ version, issuedAt }: Moment): string => `${version} of ${issuedAt}`;

function parsed(name: string, bytes: Uint8Array): Release {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new ReleaseRefusedError('FORM', name);
  }
  const read = z.safeParse(RELEASE_SCHEMA, value);
  if (!read.success) throw new ReleaseRefusedError('FORM', name);
  return read.data;
}

/** @throws ReleaseRefusedError when the release does not list the name */
export function fileOf(release: Release, name: string): ReleaseFile {
  const file = release.files.find((one) => one.name === name);
  if (file === undefined) throw new ReleaseRefusedError('UNLISTED', name, release.version);
  return file;
}

/** Sizes and hashes of a file, read once. */
export async function measureFile(path: string): Promise<{ size: number; sha256: string; sha512: string }> {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  let size = 0;
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      size += chunk.length;
      sha256.update(chunk);
      sha512.update(chunk);
    }
  });
  return { size, sha256: sha256.digest('hex'), sha512: sha512.digest('hex') };
}

/** @throws ReleaseRefusedError when the file on disk is not the one that the release lists */
export async function checkFile(path: string, listed: ReleaseFile, version: string): Promise<void> {
  const { size, sha512 } = await measureFile(path);
  if (size !== listed.size || sha512 !== listed.sha512) throw new ReleaseRefusedError('FILE', listed.name, version);
}
