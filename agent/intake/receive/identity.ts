/**
 * The Intake's certificate and the authorities that identify its upstream, from files that may be replaced while it
 * runs: the next pull uses a new certificate, and an unusable one (half-written, or without its key) leaves the
 * previous one in place.
 */
import type { Logger } from 'pino';
import { FileWatch } from '../../../shared/service/tls/file-watch.ts';
import { createUpstream, type Identity, type Upstream } from './pull.ts';

/** Values read from files, which may be replaced while the Intake runs. */
export interface FromFiles<T> {
  files: readonly string[];
  /** Reads the files again. @throws StartError */
  read(): T;
}

/**
 * As `createUpstream`, with the identity at the time of each pull.
 *
 * @param others also reread before each pull
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

/** @param what the files' content, named in the log */
export function followed<T>({ files, read }: FromFiles<T>, what: string, log: Logger): FileWatch<T> {
  return new FileWatch({
    paths: files,
    first: read(),
    read,
    told: (change) => {
      if (change.kind === 'TAKEN')
        log.info({ files }, `the files of the ${what} have changed; the new ones are in use`);
      else log.warn({ err: change.error }, `the new ${what} cannot be used yet; the earlier one stays in use`);
    },
  });
}
