/**
 * What the Intake shows to its upstream and what it knows it by, from files that may be replaced while it
 * runs: a new certificate serves from the next pull on, and one that cannot be used yet (half-written, or
 * without its key) leaves the one before in place.
 */
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { createUpstream, type Identity, type Upstream } from './pull.ts';

/** Something that is read from files, which may be replaced while the Intake runs. */
export interface WatchedFiles<T> {
  files: readonly string[];
  /** Reads them anew. @throws StartError */
  read(): T;
}

/** As `createUpstream`, with the identity of the moment of each pull. */
export function createReloadingUpstream(address: URL, source: WatchedFiles<Identity>, log: Logger): Upstream {
  const latest = latestOf(source, 'certificate', log);
  let identity = latest();
  let upstream = createUpstream(address, identity);

  async function refresh(): Promise<void> {
    const now = latest();
    if (now === identity) return;
    identity = now;
    const before = upstream;
    upstream = createUpstream(address, identity);
    await before.close();
  }

  return {
    pull: async (request, signal) => {
      await refresh();
      return upstream.pull(request, signal);
    },
    close: () => upstream.close(),
  };
}

/**
 * What the files say at the moment of each call; the same object until they change, and what they said before as
 * long as they cannot be used.
 *
 * @param what they hold, for the log
 */
export function latestOf<T>(source: WatchedFiles<T>, what: string, log: Logger): () => T {
  let marks = marksOf(source.files);
  let held = source.read();
  return () => {
    const now = marksOf(source.files);
    if (now === marks) return held;
    // Remembered before reading: what changes meanwhile is seen at the next call.
    marks = now;
    try {
      held = source.read();
      log.info({ files: source.files }, `the files of the ${what} have changed; the new ones serve from now on`);
    } catch (error) {
      log.warn({ err: error }, `the new ${what} cannot be used yet; the one before serves on`);
    }
    return held;
  };
}

/** Changes whenever one of the files does; a file that is missing has a mark too. */
function marksOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    })
    .join(' ');
}
