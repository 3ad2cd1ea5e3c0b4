/** Loads that wait for their turn at the door (D151), on real connections and a real PostgreSQL. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { waitFor } from '../../test/support/process.ts';
import { withdrawAnalysis } from '../operator/withdraw.ts';
import { FAN_OUT_LOCK } from '../publication/fan-out.ts';
import type { LineAnswer } from '../publication/load.ts';
import { publish } from '../publication/publish.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, deliveries, postgresKind, reset, type StoreKind } from '../../test/support/cloud/store.ts';
import { createEngineDoor, LOADS_PATH, type EngineDoorParts } from './server.ts';
import { runs } from '../../test/support/runs.ts';

const TOKEN = 'engine-token';
const KNOWN_ORDER = 20;
const LOADS = runs(60, 200);

let kind: StoreKind;
/** Takes one load at a time, and waits for a lock for 50 ms only. */
let store: Store;
/** Takes one load at a time. */
let steady: Store;
let holder: Store;
let attempts: number;

beforeAll(async () => {
  kind = await postgresKind();
  const opened = await kind.open();
  holder = opened.store;
  steady = await openPostgres(opened.url ?? '', 2);
  const hasty = await openPostgres(`${opened.url}?options=-c%20lock_timeout%3D50`, 2);
  store = {
    ...hasty,
    transaction: (work) => {
      attempts += 1;
      return hasty.transaction(work);
    },
  };
});
afterAll(async () => {
  await Promise.all([store.close(), steady.close(), holder.close()]);
  await kind.stop();
});
beforeEach(async () => {
  attempts = 0;
  await reset(holder);
  await addTenants(holder, 1);
});

interface Reply {
  status: number;
  retryAfter: string | undefined;
  lines: LineAnswer[];
}

class Door {
  readonly #server;
  private constructor(server: ReturnType<typeof createEngineDoor>) {
    this.#server = server;
  }

  static async open(parts: Partial<EngineDoorParts> = {}): Promise<Door> {
    const clock = new SetClock(AT);
    const server = createEngineDoor({
      store,
      token: TOKEN,
      clock,
      ids: systemIds,
      log: false,
      ...parts,
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    return new Door(server);
  }

  get address(): AddressInfo {
    return this.#server.server.address() as AddressInfo;
  }

  /** Each on a connection of its own. */
  async post(body: string): Promise<Reply> {
    const { port } = this.address;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const agent = new Agent();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', path: LOADS_PATH, method: 'POST', headers, agent }, resolve)
        .once('error', reject)
        .end(body);
    });
    const { result } = JSON.parse(await text(response)) as { result?: { lines: LineAnswer[] } };
    agent.destroy();
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      lines: result?.lines ?? [],
    };
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** Keeps every publisher waiting. @returns lets them go on */
async function holdLock(): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = holder.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await holding;
  };
}

/** Publishes a load by another cloud, up to its locks. @returns lets it go on */
async function holdLoad(key: string): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const publishing = publish(holder, read(live({ key, ticker: key })), AT, {
    onStep: async (step) => {
      if (step !== 'locked') return;
      held.resolve();
      await release.promise;
    },
  });
  await held.promise;
  return async () => {
    release.resolve();
    await publishing;
  };
}

const keyed = (key: string): string => JSON.stringify(live({ key, ticker: key }));
const waiting = (count: number, of = store): Promise<true> =>
  waitFor(`${count} loads to wait`, async () => of.fanOutSemaphore.waiting === count);
const outcomes = (replies: Reply[]): unknown[] => replies.map(({ lines }) => lines.map(({ outcome }) => outcome));

test('a load waits longer than for one lock where another cloud has the same load under way', async () => {
  const door = await Door.open({ patienceMs: 3_600_000 });
  const letGo = await holdLoad('100100');
  const reply = door.post(keyed('100100'));
  await waitFor('the load to try again', async () => attempts > 2);
  await letGo();
  expect((await reply).lines).toMatchObject([{ outcome: 'PUBLISHED', repeated: true }]);
  await door.close();
});

test(`${LOADS} loads at once behind a publisher that hangs longer than a lock is waited for: each is published, in the order of arrival`, async () => {
  const door = await Door.open({ patienceMs: 3_600_000 });
  const letGo = await holdLock();
  const keys = Array.from({ length: LOADS }, (_, index) => `${100_000 + index}`);
  const replies: Promise<Reply>[] = [];
  for (const [index, key] of keys.entries()) {
    replies.push(door.post(keyed(key)));
    // The first has the permit. Of the last ones the order of arrival is not known.
    if (index < KNOWN_ORDER) await waiting(index);
  }
  await waiting(keys.length - 1);
  const tried = attempts;
  await waitFor('the first load to try again', async () => attempts > tried + 2);
  await letGo();
  expect(outcomes(await Promise.all(replies))).toEqual(keys.map(() => ['PUBLISHED']));
  const order = (await deliveries(holder)).map((row) => row.explanation_result_id);
  expect(order.slice(0, KNOWN_ORDER)).toEqual(keys.slice(0, KNOWN_ORDER).map((key) => `res-${key}`));
  await door.close();
});

test('a withdrawal goes before the loads that wait', async () => {
  await publish(holder, read(live({ key: 'old' })), AT);
  const door = await Door.open({ store: steady });
  const letGo = await holdLock();
  const keys = ['100001', '100002', '100003', '100004'];
  const replies = keys.map((key) => door.post(keyed(key)));
  await waiting(keys.length - 1, steady);
  const actor = { operatorId: null, name: 'test', sourceAddress: null };
  const withdrawn = withdrawAnalysis(
    steady,
    { id: 'res-old', reason: 'wrong figures', actor, at: AT },
    async () => undefined,
  );
  await waiting(keys.length, steady);
  await letGo();
  expect(await withdrawn).toMatchObject({ deliveries: 1 });
  await Promise.all(replies);
  const types = (await deliveries(holder)).map((row) => row.delivery_type);
  expect(types).toHaveLength(6);
  // One load had the permit already.
  expect(types.indexOf('INVALIDATION')).toBeLessThanOrEqual(2);
  await door.close();
});

test('beyond the bounds of requests and of bytes a load is refused with 503 and when to come again, and later taken', async () => {
  const bytes = keyed('100001').length * 4;
  const door = await Door.open({ underWay: { requests: 3, bytes } });
  const letGo = await holdLock();
  const first = door.post(keyed('100001'));
  await waitFor('the first to begin', async () => attempts > 0);
  expect(await door.post(`# ${'x'.repeat(bytes)}`)).toMatchObject({ status: 503, retryAfter: '5' });
  const more = [door.post(keyed('100002')), door.post(keyed('100003'))];
  await waiting(2);
  expect(await door.post(keyed('100004'))).toMatchObject({ status: 503, retryAfter: '5' });
  await letGo();
  expect(outcomes(await Promise.all([first, ...more]))).toEqual([['PUBLISHED'], ['PUBLISHED'], ['PUBLISHED']]);
  expect(outcomes([await door.post(keyed('100004'))])).toEqual([['PUBLISHED']]);
  await door.close();
});

test('a sender that hangs up in the middle of its body leaves nothing counted', async () => {
  const door = await Door.open({ underWay: { requests: 1, bytes: 1_000_000 } });
  const { port } = door.address;
  const agent = new Agent();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': '10000' };
  const broken = httpRequest({
    port,
    host: '127.0.0.1',
    path: LOADS_PATH,
    method: 'POST',
    headers,
    agent,
  });
  broken.on('error', () => undefined);
  broken.write('{');
  await waitFor('the request to be counted', async () => (await door.post(keyed('100001'))).status === 503);
  broken.destroy();
  await waitFor('the next load to be taken', async () => (await door.post(keyed('100001'))).status === 200);
  await door.close();
});

test('loads that wait when the cloud stops are told so at once, and nothing of them is written', async () => {
  const door = await Door.open();
  const letGo = await holdLock();
  const replies = ['100001', '100002', '100003'].map((key) => door.post(keyed(key)));
  await waiting(2);
  const closing = door.close();
  const reasons = (await Promise.all(replies)).map(({ lines }) => lines.map(({ reason }) => reason));
  expect(reasons).toEqual([['STOPPING'], ['STOPPING'], ['STOPPING']]);
  await closing;
  await letGo();
  expect(await deliveries(holder)).toEqual([]);
});
