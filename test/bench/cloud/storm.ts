/** All tenants connect at once, as after a restart of the cloud: how many fail, how long it takes, what stays in memory. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { startPart, type Part } from '../../support/process.ts';
import { valueRow, type Bench } from '../bench.ts';
import { initialise, tenantsWithCertificates } from './store.ts';

/** As many connections of a tenant as may pull at one time. */
const EACH = 4;
/** What a relay waits for a connection (`agent/relay/settings.ts`). */
const CONNECT_MS = 25_000;

interface Storm {
  cloud: Part;
  /** Connects and pulls, all at once. @returns the status lines, and the connections that were made */
  run(): Promise<{ answers: string[]; sockets: TLSSocket[] }>;
}

/** A cloud process over a new database with a tenant and a certificate for every fourth connection. */
export async function prepareStorm(url: string, connections: number, folder: (name: string) => string): Promise<Storm> {
  const { pki } = await initialise(url, folder('pki'));
  const contexts = await tenantsWithCertificates(url, pki, Math.ceil(connections / EACH));
  const cloud = startPart('cloud/main.ts', {
    env: {
      CAUSEWAY_HOME: folder('cloud'),
      CAUSEWAY_DATABASE_URL: url,
      CAUSEWAY_ENGINE_TOKEN: 'storm-token-of-at-least-32-characters',
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      ...Object.fromEntries(
        ['SYNC', 'OPERATOR', 'ENGINE', 'CLOUD_METRICS'].map((name) => [`CAUSEWAY_${name}_LISTEN`, '127.0.0.1:0']),
      ),
    },
  });
  const { hostname: host, port } = new URL((await cloud.listening('sync')).url);
  const sockets: TLSSocket[] = [];
  const one = async (index: number): Promise<string> => {
    const secureContext = contexts[index % contexts.length];
    if (secureContext === undefined) throw new Error('no certificate');
    const socket = connect({ host, port: Number(port), servername: 'localhost', secureContext });
    socket.on('error', () => undefined);
    try {
      await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
    } catch {
      socket.destroy();
      return 'no connection';
    }
    sockets.push(socket);
    socket.write(`GET ${BUNDLE_PATH}?after=0&limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const said = await once(socket, 'data').then(
      ([first]: Buffer[]) => first?.toString('latin1'),
      () => 'no answer',
    );
    return said?.slice(0, 12) ?? '';
  };
  return {
    cloud,
    run: async () => ({
      answers: await Promise.all(Array.from({ length: connections }, (_, index) => one(index))),
      sockets,
    }),
  };
}

const CONNECTIONS = 10_000;

export const storm: Bench = {
  name: 'storm',
  about: '10,000 connections over mutual TLS at once, with a pull each',
  run: async (fixture) => {
    const url = await (await fixture.postgres()).createDatabase();
    fixture.say(`issuing ${CONNECTIONS / EACH} certificates`);
    const { cloud, run } = await prepareStorm(url, CONNECTIONS, (name) => fixture.folder(name));
    fixture.after(() => cloud.stop());
    const before = residentKb(cloud);
    const began = performance.now();
    const { answers, sockets } = await run();
    const seconds = (performance.now() - began) / 1_000;
    const kb = (residentKb(cloud) - before) / CONNECTIONS;
    for (const socket of sockets) socket.destroy();
    const failed = answers.filter((answer) => answer !== 'HTTP/1.1 200').length;
    return [
      valueRow('10,000 connections at once: not served', '', failed, { atMost: 0 }),
      valueRow('10,000 connections at once: until the last answer', 's', seconds, { atMost: 20 }),
      valueRow('resident memory of a connection', 'KB', kb, { atMost: 120 }),
    ];
  },
};

function residentKb({ pid }: Part): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}
