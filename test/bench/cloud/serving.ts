/** A cloud process over a benchmark's store, and one relay's connection to it. */
import { readFileSync } from 'node:fs';
import { Client } from 'undici';
import { certificateFacts } from '../../../cloud/pki/certificates.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { pull } from '../../../cloud/sync/pull.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { startPart, type Part } from '../../support/process.ts';
import type { BenchFixture, Side } from '../bench.ts';
import type { BenchStore } from './store.ts';

/** A keep-alive connection; requests a path and reads the whole body. @returns its length in bytes */
export interface Connection {
  get(path: string): Promise<number>;
}

/** A cloud's store, and the address of its read replica. */
type CloudStore = Pick<BenchStore, 'url' | 'pki'> & { readUrl?: string };

/** @returns the address of the named listener */
export async function startCloud(
  fixture: BenchFixture,
  made: CloudStore,
  listener: 'sync' | 'operator' = 'sync',
): Promise<string> {
  return (await startCloudPart(fixture, made).listening(listener)).url;
}

/** The process itself, which may not listen yet. */
export function startCloudPart(fixture: BenchFixture, { url, pki, readUrl = '' }: CloudStore): Part {
  const part = startPart('cloud/main.ts', {
    env: {
      CAUSEWAY_HOME: fixture.folder('cloud'),
      CAUSEWAY_DATABASE_URL: url,
      CAUSEWAY_DATABASE_READ_URL: readUrl,
      CAUSEWAY_ENGINE_TOKEN: 'bench-token-of-at-least-32-characters',
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
    },
  });
  fixture.after(() => part.stop());
  return part;
}

export function connectTo(fixture: BenchFixture, url: string, { pki, tenant }: BenchStore): Connection {
  const client = new Client(url, {
    connect: { ca: readFileSync(pki.ca), cert: readFileSync(tenant.cert), key: readFileSync(tenant.key) },
  });
  fixture.after(() => client.close());
  return {
    get: async (path) => {
      const { statusCode, body } = await client.request({ method: 'GET', path });
      const { byteLength } = await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
      return byteLength;
    },
  };
}

/** Entries of a bundle. */
const LIMIT = 100;

export const bundlePath = (after: number): string => `${BUNDLE_PATH}?after=${after}&limit=${LIMIT}`;

/** Only the statement that assembles a pull's bundle: as the product sends it, on an open connection. */
export async function statementAlone({ store, tenant }: BenchStore, after: number): Promise<Side> {
  const sent: [string, string, readonly unknown[]][] = [];
  const recording: Store = {
    ...store,
    prepared: (...statement) => {
      sent.push(statement);
      return store.prepared(...statement);
    },
  };
  const { fingerprint } = certificateFacts(readFileSync(tenant.cert, 'utf8'));
  const parts = { store: recording, clock: systemClock, ids: systemIds, calculations: false };
  const result = await pull(parts, { fingerprint, after, limit: LIMIT });
  const statement = sent.at(-1);
  if (result.standing !== 'SERVED' || result.entries !== LIMIT || statement === undefined)
    throw new Error(`the pull ended as ${JSON.stringify(result).slice(0, 200)}`);
  return { run: () => store.prepared(...statement) };
}
