/**
 * The memory of a bundle serves the next one (D179): every answer that arrives whole holds the bytes that were signed,
 * with readers that stop and go on, and others that leave in the middle.
 */
import { generateKeyPairSync, hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLoad } from '../../../cloud/ingest/read-load.ts';
import type { KeyedCertificate } from '../../../cloud/pki/certificates.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { createSyncServer } from '../../../cloud/sync/server.ts';
import { SetClock } from '../../../cloud/testing/clock.ts';
import { live, paddedTo } from '../../../cloud/testing/loads.ts';
import { addTenants, AT, postgresKind } from '../../../cloud/testing/store.ts';
import { NOW, registeredCertificate, syncAuthority, syncParts } from '../../../cloud/testing/sync-parts.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { newSeed } from '../../support/runs.ts';

const SEED = newSeed();
const TENANTS = 4;
/** Of one tenant; the endpoint answers four at once. */
const READERS = 3;
const PULLS = 4;
/** From one that the buffers of a connection hold to some of which three are more than is kept. */
const SIZES = [60_000, 100_000, 200_000, 300_000, 600_000, 900_000, 1_200_000];

let store: Store;
let ca: string;
let server: FastifyInstance;
let parts: ReturnType<typeof syncParts>;
let port: number;
const tenants: KeyedCertificate[] = [];
/** The id of the result at each cursor. */
const results = SIZES.map((_, index) => `res-${index + 1}`);

beforeAll(async () => {
  ({ store } = await (await postgresKind()).open());
  await addTenants(store, TENANTS);
  const { authority, tls } = await syncAuthority();
  ca = authority.cert;
  for (let tenant = 1; tenant <= TENANTS; tenant += 1)
    tenants.push(await registeredCertificate(store, authority, tenant));
  for (const [index, size] of SIZES.entries())
    await publish(store, readLoad(Buffer.from(paddedTo(live({ key: String(index + 1) }), size))), AT);
  const { privateKey } = generateKeyPairSync('ed25519');
  parts = syncParts(store);
  const signed = { ...parts, calculations: true, signingKey: () => privateKey };
  server = createSyncServer({ ...signed, clock: new SetClock(NOW), ids: systemIds, log: false, tls });
  await server.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(async () => {
  server.server.closeAllConnections();
  await server.close();
  await parts.pullLog.flush();
  await store.close();
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @returns the body, or null where the reader has left */
async function read(answer: IncomingMessage, random: () => number): Promise<Buffer | null> {
  const leavesAfter = random() < 0.3 ? random() * 400_000 : Infinity;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    // As it was when it came.
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes > leavesAfter) {
      answer.destroy();
      return null;
    }
    if (random() < 0.1) await sleep(random() * 10);
  }
  return Buffer.concat(pieces);
}

/** @returns null where no whole answer came */
async function pullOnce(
  url: string,
  agent: Agent,
  random: () => number,
): Promise<{ body: Buffer; statement: string } | null> {
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  const body = await read(answer, random);
  if (body === null || answer.statusCode !== 200) return null;
  return { body, statement: String(answer.headers['x-causeway-statement']) };
}

async function reader(pair: KeyedCertificate, random: () => number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, cert: pair.cert, key: pair.key });
  let whole = 0;
  for (let pulls = 0; pulls < PULLS; pulls += 1) {
    const after = Math.floor(random() * SIZES.length);
    const limit = 1 + Math.floor(random() * 3);
    const path = `${BUNDLE_PATH}?after=${after}&limit=${limit}`;
    // A loaded machine may cut a connection off; only an answer that came whole tells anything.
    const answered = await pullOnce(`https://127.0.0.1:${port}${path}`, agent, random).catch(() => null);
    if (answered === null) continue;
    const { body, statement } = answered;
    whole += 1;
    const [said = ''] = statement.split('.');
    const { sha256 } = JSON.parse(Buffer.from(said, 'base64url').toString()) as { sha256: string };
    expect(hash('sha256', body, 'hex')).toBe(sha256);
    const { result } = JSON.parse(body.toString()) as {
      result: { entries: { explanation_result: { explanation_result_id: string } }[] };
    };
    expect(result.entries.map((entry) => entry.explanation_result.explanation_result_id)).toEqual(
      results.slice(after, after + limit),
    );
  }
  agent.destroy();
  return whole;
}

test(`every whole answer is the one that was signed (seed ${SEED})`, async () => {
  const readers = Array.from({ length: TENANTS * READERS }, (_, index) =>
    reader(tenants[index % TENANTS] as KeyedCertificate, randomFrom(SEED + index)),
  );
  const whole = await Promise.all(readers);
  expect(whole.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(TENANTS);
});
