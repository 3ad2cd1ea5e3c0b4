/**
 * The Intake's own certificate and the authorities by which it knows its upstream, from files that may be replaced
 * while it runs: a new certificate serves from the next pull on, and one that cannot be used yet (half-written, or
 * without its key) leaves the one before in place.
 */
import type { Logger } from 'pino';
import { FileWatch } from '../../../shared/service/tls/file-watch.ts';
import { createUpstream, type Identity, type Upstream } from './pull.ts';

/** Something that is read from files, which may be replaced while the Intake runs. */
export interface FromFiles<T> {
  files: readonly string[];
  /** Reads them anew. @throws StartError */
  read(): T;
}

/**
 * As `createUpstream`, with the identity of the moment of each pull.
 *
 * @param others looked at before each pull too
 */
export function createReloadingUpstream(
  address: URL,
  source: FromFiles<Identity>,
  log: Logger,
  ...others: readonly FileWatch<unknown>[]
): Upstream {
  const watch = followed(source, 'certificate', log);
  let identity = watch.current;
  let upstream = createUpstream(address, identity);

  async function refresh(): Promise<void> {
    const [now] = await Promise.all([watch.check(), ...others.map((other) => other.check())]);
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

/** @param what the files hold, for the log */
export function followed<T>({ files, read }: FromFiles<T>, what: string, log: Logger): FileWatch<T> {
  return new FileWatch({
    paths: files,
    first: read(),
    read,
    told: (change) => {
      if (change.kind === 'TAKEN')
        log.info({ files }, `the files of the ${what} have changed; the new ones serve from now on`);
      else log.warn({ err: change.error }, `the new ${what} cannot be used yet; the one before serves on`);
    },
  });
}
