/**
 * Requests the newest release and its files from a feed. The feed is not trusted: reads are bounded, and every answer
 * must carry the signature of the vendor's release key. Without Electron, so that tests attack it over real HTTP.
 */
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import {
  readRelease,
  RELEASE_BYTES,
  releaseFile,
  ReleaseRefusedError,
  SIGNATURE_BYTES,
  signatureOf,
  type Release,
  type ReleaseExpectation,
  type ReleaseFile,
  type SeenRelease,
} from '../../../shared/service/release.ts';

export interface Feed {
  /** The address of its folder. */
  address: string;
  /** Node's, or that of a session of Chromium. */
  fetch: (address: string, options: RequestInit) => Promise<Response>;
  /** Longest pause without a byte, in ms. */
  stallMs: number;
  /** Lowest average speed: a slow drip would delay every later check. */
  bytesPerSecond: number;
}

export const PATIENCE = { stallMs: 60_000, bytesPerSecond: 10_000 } as const;

/** @throws ReleaseRefusedError */
export async function newestRelease(
  feed: Feed,
  expected: ReleaseExpectation,
): Promise<{ release: Release; seen: SeenRelease }> {
  // A build without a key can verify nothing, so it sends no request.
  if (expected.pinned === null) throw new ReleaseRefusedError('NO_KEY');
  const name = releaseFile(expected.platform);
  const bytes = await takeBytes(feed, name, RELEASE_BYTES);
  const signature = await takeBytes(feed, signatureOf(name), SIGNATURE_BYTES);
  return readRelease(name, bytes, signature, expected);
}

/** Writes a file of a release; a file that differs from it is removed. @throws ReleaseRefusedError */
export async function takeFile(
  feed: Feed,
  { name, size, sha512 }: ReleaseFile,
  version: string,
  path: string,
): Promise<void> {
  const hash = createHash('sha512');
  let isWhole = false;
  const file = await open(path, 'w', 0o600);
  try {
    const taken = await take(feed, name, size, 'FILE', version, async (chunk) => {
      hash.update(chunk);
      await file.writeFile(chunk);
    });
    isWhole = taken === size && hash.digest('hex') === sha512;
  } finally {
    await file.close();
    if (!isWhole) await rm(path, { force: true });
  }
  if (!isWhole) throw new ReleaseRefusedError('FILE', name, version);
}

async function takeBytes(feed: Feed, name: string, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await take(feed, name, limit, 'TOO_LARGE', String(limit), (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Passes on each chunk of an answer up to a limit, counted after any decompression, and returns the total length. */
async function take(
  feed: Feed,
  name: string,
  limit: number,
  tooLong: 'TOO_LARGE' | 'FILE',
  known: string,
  each: (chunk: Uint8Array) => void | Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(patience);
    patience = setTimeout(() => stop.abort(new Error('no byte arrived in time')), feed.stallMs);
  };
  const wholeMs = feed.stallMs + (limit / feed.bytesPerSecond) * 1_000;
  const end = setTimeout(() => stop.abort(new Error('it came too slowly')), wholeMs);
  try {
    wait();
    const response = await feed.fetch(new URL(name, folderOf(feed)).href, {
      redirect: 'error',
      cache: 'no-store',
      signal: stop.signal,
    });
    if (response.status === 404) throw new ReleaseRefusedError('MISSING', name);
    if (!response.ok) throw new ReleaseRefusedError('UNREACHABLE', name, `HTTP ${response.status}`);
    let taken = 0;
    for await (const chunk of response.body ?? []) {
      wait();
      taken += chunk.length;
      if (taken > limit) throw new ReleaseRefusedError(tooLong, name, known);
      await each(chunk);
    }
    return taken;
  } catch (error) {
    if (error instanceof ReleaseRefusedError) throw error;
    throw new ReleaseRefusedError('UNREACHABLE', name, reasonOf(stop.signal.aborted ? stop.signal.reason : error));
  } finally {
    clearTimeout(patience);
    clearTimeout(end);
    stop.abort();
  }
}

/** Without the trailing slash, URL resolution would replace the last folder. */
export const folderOf = ({ address }: Feed): string => (address.endsWith('/') ? address : `${address}/`);

/** The message of the innermost cause: the outer ones say only that something failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
