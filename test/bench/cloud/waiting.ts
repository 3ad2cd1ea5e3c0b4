/**
 * All tenants wait at one cloud process (D223): how soon one publication is answered to all of them and a withdrawal to
 * those that have the text, what a wait costs while nothing happens, and how they come back after a restart of the cloud.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { CLOUD } from '../../../cloud/operations/install/cloud-part.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { freePort, startPart, waitFor, type Part } from '../../support/process.ts';
import { quantile, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { pause } from '../agent/idle.ts';
import { processorTimeMs, processorTimeOf } from '../processor-time.ts';
import { initialise, tenantsWithCertificates, type BenchStore } from './store.ts';
import { WaitingTenant } from './waiting-tenant.ts';

/** Fewer for a quick look. */
const TENANTS = Number(process.env['CAUSEWAY_BENCH_TENANTS'] ?? 10_000);
/** Of them have the texts that are withdrawn. */
const HOLDERS = 100;
const ROUNDS = 3;
const HANDSHAKES_AT_ONCE = 50;
/** Four looks and two waits of each tenant. */
const WATCHED_MS = 60_000;
const PATIENCE_MS = 10 * 60_000;
const MOST = 0.9;

export interface Waiting {
  cloud: Part;
  /** Starts the process again, at the same addresses, and returns when it listens. */
  start(): Promise<Part>;
  tenants: WaitingTenant[];
  /** How many wait at the cloud, by its own count. */
  count(): Promise<number>;
}

interface Prepared {
  pki: BenchStore['pki'];
  contexts: readonly SecureContext[];
  /** What each has received already. */
  heads: readonly number[];
}

/** A cloud process over a prepared database, whose tenants are not connected yet. */
export async function prepareWaiting(
  url: string,
  { pki, contexts, heads }: Prepared,
  folder: (name: string) => string,
): Promise<Waiting> {
  const [port, metrics] = [await freePort(), await freePort()];
  const home = folder('cloud');
  const start = async (): Promise<Part> => {
    const part = startPart('cloud/main.ts', {
      env: {
        NODE_OPTIONS: CLOUD.flags.join(' '),
        CAUSEWAY_HOME: home,
        CAUSEWAY_DATABASE_URL: url,
        CAUSEWAY_ENGINE_TOKEN: 'waiting-token-of-at-least-32-characters',
        CAUSEWAY_SYNC_CERT: pki.serverCert,
        CAUSEWAY_SYNC_KEY: pki.serverKey,
        CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
        CAUSEWAY_SYNC_LISTEN: `127.0.0.1:${port}`,
        CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
        CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
        CAUSEWAY_CLOUD_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      },
    });
    await part.listening('sync', 60_000);
    return part;
  };
  const waiting: Waiting = {
    cloud: await start(),
    start: async () => (waiting.cloud = await start()),
    tenants: contexts.map((context, index) => new WaitingTenant(port, context, heads[index] ?? 0)),
    count: async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      return Number(/^causeway_cloud_waiting_pulls (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
    },
  };
  return waiting;
}

/** Connects all, some at a time, and returns when all wait. */
export async function connectAll({ tenants, count }: Waiting): Promise<void> {
  for (let from = 0; from < tenants.length; from += HANDSHAKES_AT_ONCE)
    await Promise.all(tenants.slice(from, from + HANDSHAKES_AT_ONCE).map((tenant) => tenant.connect()));
  await allWait({ tenants, count });
}

/** All are connected, and but for those that are just answered and ask again they wait. */
const allWait = ({ tenants, count }: Pick<Waiting, 'tenants' | 'count'>, ms = PATIENCE_MS): Promise<unknown> =>
  waitFor(
    'all to wait',
    async () => tenants.every(({ askedAt }) => askedAt > 0) && (await count()) >= tenants.length * MOST,
    ms,
    200,
  );

export const waiting: Bench = {
  name: 'waiting',
  about: `${TENANTS.toLocaleString('en')} tenants wait at one cloud process, over mutual TLS`,
  run: async (fixture) => {
    const url = await (await fixture.postgres()).createDatabase();
    const { pki } = await initialise(url, fixture.folder('pki'));
    const store = await openPostgres(url, 2);
    fixture.after(() => store.close());
    fixture.say(`issuing ${TENANTS} certificates`);
    const holders = await tenantsWithCertificates(url, pki, HOLDERS);
    for (let round = 0; round < ROUNDS; round += 1) await publishOne(store, `held-${round}`);
    const others = await tenantsWithCertificates(url, pki, TENANTS, HOLDERS + 1);
    await sql`analyze`.execute(store.db);
    const contexts = [...holders, ...others];
    const heads = contexts.map((_, index) => (index < HOLDERS ? ROUNDS : 0));
    const all = await prepareWaiting(url, { pki, contexts, heads }, (name) => fixture.folder(name));
    fixture.after(() => all.cloud.stop());
    fixture.after(() => all.tenants.forEach((tenant) => tenant.close()));
    return [
      ...(await restRows(fixture, all)),
      ...(await newsRows(fixture, all, store)),
      ...(await restartRows(fixture, all)),
    ];
  },
};

const publishOne = async (store: Store, key: string): Promise<void> =>
  void (await publish(store, read(live({ key, documents: 4 })), new Date()));

/** Memory of a connection that waits, and processor time while all wait. */
async function restRows(fixture: BenchFixture, all: Waiting): Promise<Row[]> {
  const before = residentKb(all.cloud);
  const began = performance.now();
  await connectAll(all);
  fixture.say(`all wait after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  await pause(WATCHED_MS / 2);
  const kb = (residentKb(all.cloud) - before) / TENANTS;
  const [cloud, both, since] = [processorTimeOf(all.cloud.pid), processorTimeMs({ own: false }), performance.now()];
  await pause(WATCHED_MS);
  const ms = performance.now() - since;
  const share = (time: number): number => (time / ms) * 100;
  const [ofCloud, ofBoth] = [
    share(processorTimeOf(all.cloud.pid) - cloud),
    share(processorTimeMs({ own: false }) - both),
  ];
  fixture.say(`${kb.toFixed(0)} KB a connection`);
  fixture.say(`cloud ${ofCloud.toFixed(1)} % of a core, PostgreSQL ${(ofBoth - ofCloud).toFixed(1)} %`);
  return [
    valueRow('memory of a connection that waits', 'KB', kb, { atMost: 100 }),
    valueRow('cloud and PostgreSQL while all wait, of a core', '%', ofBoth, { atMost: 12 }),
  ];
}

/** From the publication's, or the withdrawal's, beginning until each has its answer. */
async function newsRows(fixture: BenchFixture, all: Waiting, store: Store): Promise<Row[]> {
  const to = { all: [] as number[], holders: [] as number[] };
  const told = async (tenants: readonly WaitingTenant[], act: () => Promise<unknown>): Promise<number[]> => {
    await allWait(all);
    const cost = { cloud: processorTimeOf(all.cloud.pid), both: processorTimeMs({ own: false }) };
    const began = performance.now();
    await act();
    await waitFor('the news', () => tenants.every(({ newsAt }) => newsAt > began), PATIENCE_MS, 50);
    const times = tenants.map(({ newsAt }) => newsAt - began);
    const [own, both] = [processorTimeOf(all.cloud.pid) - cost.cloud, processorTimeMs({ own: false }) - cost.both];
    fixture.say(
      `${tenants.length} have news after ${Math.max(...times).toFixed(0)} ms; processor time of the cloud ${own} ms, of PostgreSQL ${both - own} ms`,
    );
    return times;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    to.all.push(...(await told(all.tenants, () => publishOne(store, `news-${round}`))));
    const id = { explanationResultId: `res-held-${round}` };
    const off = (): Promise<unknown> => store.transaction((trx) => withdraw(trx, id, '수치 오류', new Date()));
    to.holders.push(...(await told(all.tenants.slice(0, HOLDERS), off)));
  }
  return [
    valueRow('one publication to all, p99', 's', quantile(to.all, 0.99) / 1_000, { atMost: 5 }),
    valueRow(`a withdrawal to ${HOLDERS} of them, p99`, 's', quantile(to.holders, 0.99) / 1_000, { atMost: 1 }),
  ];
}

/** The cloud stops and starts again. */
async function restartRows(fixture: BenchFixture, all: Waiting): Promise<Row[]> {
  await allWait(all);
  const stopping = performance.now();
  const ended = endOf(all.cloud);
  await all.cloud.stop('SIGTERM', PATIENCE_MS);
  const stopSeconds = ((await ended) - performance.timeOrigin - stopping) / 1_000;
  const slowest = Math.max(...all.tenants.map(({ answeredAt }) => answeredAt)) - stopping;
  fixture.say(`a stop has answered all after ${slowest.toFixed(0)} ms`);
  await all.start();
  const listens = performance.now();
  await waitFor(
    'all to be back',
    () => all.tenants.every(({ connectedAt }) => connectedAt > listens),
    PATIENCE_MS,
    200,
  );
  const seconds = (Math.max(...all.tenants.map(({ connectedAt }) => connectedAt)) - listens) / 1_000;
  const failed = all.tenants.filter(({ failedAt }) => failedAt.some((at) => at > listens)).length;
  return [
    valueRow('a stop while all wait', 's', stopSeconds, { atMost: 10 }),
    valueRow('after a restart: all are connected again', 's', seconds, { atMost: 30 }),
    valueRow('after a restart: connections that failed', '', failed, { atMost: 0 }),
  ];
}

/** The wall clock at the end of a process, in ms; a process of its own looks, because this one has thousands of callers. */
async function endOf({ pid }: Part): Promise<number> {
  const look = `while grep -q ') [^ZX]' /proc/${pid}/stat 2>/dev/null; do sleep 0.05; done; date +%s%3N`;
  const { stdout } = await promisify(execFile)('sh', ['-c', look]);
  return Number(stdout);
}

const residentKb = ({ pid }: Part): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
