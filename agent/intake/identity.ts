/**
 * What the Intake shows to its upstream and what it knows it by, from files that may be replaced while it
 * runs: a new certificate serves from the next pull on, and one that cannot be used yet (half-written, or
 * without its key) leaves the one before in place.
 */
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { createUpstream, type Identity, type Upstream } from './pull.ts';

/** Where an identity comes from. */
export interface IdentitySource {
  /** The files that it is read from. */
  files: readonly string[];
  /** Reads them anew. @throws StartError */
  read(): Identity;
}

/** As `createUpstream`, with the identity of the moment of each pull. */
export function createReloadingUpstream(address: URL, source: IdentitySource, log: Logger): Upstream {
  let marks = marksOf(source.files);
  let upstream = createUpstream(address, source.read());

  async function refresh(): Promise<void> {
    const now = marksOf(source.files);
    if (now === marks) return;
    // Remembered before reading: what changes meanwhile is seen at the next pull.
    marks = now;
    let identity: Identity;
    try {
      identity = source.read();
    } catch (error) {
      log.warn({ err: error }, 'the new certificate cannot be used yet; the one before serves on');
      return;
    }
    const before = upstream;
    upstream = createUpstream(address, identity);
    log.info({ files: source.files }, 'the files of the certificate have changed; the new ones serve from now on');
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

/** Changes whenever one of the files does; a file that is missing has a mark too. */
function marksOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    })
    .join(' ');
}
