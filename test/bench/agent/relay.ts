/** The bundled relay's resident memory while forwarding thousands of bundles, mutual TLS on both sides. */
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { bundleServices } from '../../../electron/packaging/build/bundle.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { makeAuthority, writePair, writeWhole, type Issued } from '../../support/pki.ts';
import { startPart } from '../../support/process.ts';
import { valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';

const MB = 1_000_000;
const PULLS = 10_000;
/** Fewer, because large bodies take longer. */
const LARGE_PULLS = 1_000;
/** After this many pulls, one-time allocations are done. */
const SETTLED = 1_000;

export const relayMemory: Bench = {
  name: 'relay',
  about: `resident size of the relay over ${PULLS.toLocaleString('en')} pulls`,
  run: async (fixture) => {
    if (process.platform !== 'linux') throw new Error('resident sizes are read from /proc, which only Linux has');
    const folder = fixture.folder('relay');
    await bundleServices(folder);
    const authority = await makeAuthority();
    const pki: Pki = { ca: authority.ca, server: await authority.server(), client: await authority.client() };
    return [
      ...(await measure(fixture, folder, pki, { what: '2 KB', bytes: 2_000, pulls: PULLS })),
      ...(await measure(fixture, folder, pki, { what: '1 MB', bytes: MB, pulls: PULLS })),
      ...(await measure(fixture, folder, pki, { what: '10 MB', bytes: 10 * MB, pulls: LARGE_PULLS })),
    ];
  },
};

interface Pki {
  ca: string;
  server: Issued;
  client: Issued;
}

async function measure(
  fixture: BenchFixture,
  folder: string,
  pki: Pki,
  { what, bytes, pulls }: { what: string; bytes: number; pulls: number },
): Promise<Row[]> {
  fixture.say(`${pulls} pulls of ${what}`);
  const cloud = await startCloud(bytes, pki);
  const server = writePair(folder, 'server', pki.server);
  const client = writePair(folder, 'client', pki.client);
  const ca = writeWhole(folder, 'ca.crt', pki.ca);
  const relay = startPart(path.join(folder, 'relay.js'), {
    env: {
      CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
      CAUSEWAY_RELAY_UPSTREAM: cloud.url,
      CAUSEWAY_RELAY_CERT: client.cert,
      CAUSEWAY_RELAY_KEY: client.key,
      CAUSEWAY_RELAY_CA: ca,
      CAUSEWAY_RELAY_INWARD_CERT: server.cert,
      CAUSEWAY_RELAY_INWARD_KEY: server.key,
      CAUSEWAY_RELAY_INWARD_CLIENT_CA: ca,
    },
  });
  const { url } = await relay.listening('relay');
  const { cert, key } = pki.client;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, cert, key, ca: pki.ca });
  try {
    let settled = Number.NaN;
    for (let pull = 1; pull <= pulls; pull += 1) {
      const received = await receive(`${url}${BUNDLE_PATH}?after=0`, agent);
      if (received !== bytes) throw new Error(`${received} bytes arrived instead of ${bytes}`);
      if (pull === Math.min(SETTLED, pulls / 2)) settled = resident(relay.pid, 'VmRSS');
    }
    return [
      valueRow(`relay, ${pulls} pulls of ${what}: highest resident size`, 'MB', resident(relay.pid, 'VmHWM'), {
        atMost: 90,
      }),
      valueRow(`relay, ${pulls} pulls of ${what}: growth once settled`, 'MB', resident(relay.pid, 'VmRSS') - settled, {
        atMost: 10,
      }),
    ];
  } finally {
    agent.destroy();
    await relay.stop();
    cloud.close();
  }
}

async function startCloud(bytes: number, { ca, server: { cert, key } }: Pki): Promise<{ url: string; close(): void }> {
  const body = Buffer.alloc(bytes, '{"text":"지수 하락에 따라 함께 내렸습니다."}');
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Counts the received bytes. */
function receive(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.once('error', reject);
      response.once('end', () => resolve(bytes));
    }).once('error', reject);
  });
}

/** In MB of 1024 × 1024 bytes, as `ps` and `top` count. */
function resident(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
