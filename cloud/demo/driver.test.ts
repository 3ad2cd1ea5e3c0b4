import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { createEngineDoor } from '../ingest/server.ts';
import { addOperator } from '../../test/support/cloud/operators.ts';
import { createOperatorServer } from '../operator/server.ts';
import { addTenant } from '../pki/registry.ts';
import type { Store } from '../store/open.ts';
import { postgresKind } from '../../test/support/cloud/store.ts';
import { EngineDoor, OperatorClient, RefusedError, UnreachableError } from './clients.ts';
import { drive, type DriverParts } from './driver.ts';
import { isOfOpening } from './generation/generate.ts';
import { Market } from './generation/market.ts';
import type { Random } from './generation/random.ts';
import { readDemo } from './generation/reader.ts';
import { seededRandom } from '../../test/support/cloud/demo.ts';

const TOKEN = 'engine-token';
const ACCOUNT = { username: 'operator', password: 'causeway-demo' };
const SATURDAY = new Date('2026-11-21T12:44:00+09:00');
const MONDAY_EVENING = new Date('2026-11-23T17:00:00+09:00');
const after = (hours: number): Date => new Date(SATURDAY.getTime() + hours * 3_600_000);
const demo = readDemo();
const { reference, instruments } = demo;
const shipped = { reference, instruments, market: new Market({ ...demo, now: SATURDAY }) };

interface Line {
  level: 'info' | 'warn';
  fields: Record<string, unknown>;
  message: string;
}

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Cloud {
  store: Store;
  door: URL;
  operator: URL;
}

/** A real cloud in this process: a store with one tenant and an operator, and both listeners. */
async function startCloud(): Promise<Cloud> {
  const { store } = await (await postgresKind()).open();
  closing.push(() => store.close());
  await addTenant(store.db, { name: 'demo', environment: 'POC' }, SATURDAY);
  await addOperator(store.db, { ...ACCOUNT, displayName: 'Operator' }, SATURDAY);
  const parts = { store, clock: { now: () => SATURDAY }, ids: systemIds, log: false as const };
  const engine = createEngineDoor({ ...parts, token: TOKEN });
  const operator = await createOperatorServer({ ...parts, listenHost: '127.0.0.1', consoleFolder: '/nowhere' });
  return { store, door: await listening(engine), operator: await listening(operator) };
}

async function listening(server: FastifyInstance, port = 0): Promise<URL> {
  await server.listen({ host: '127.0.0.1', port });
  closing.push(() => server.close());
  return new URL(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
}

/** An address without a listener, for now. */
async function deadAddress(): Promise<URL> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return new URL(`http://127.0.0.1:${port}`);
}

/** A clock that advances by a second at each reading. */
function ticking(from: Date): { now(): Date } {
  let seconds = 0;
  return { now: () => new Date(from.getTime() + 1000 * seconds++) };
}

/** Runs the driver until it has waited this many times between firings; waiting takes no time. */
async function run(
  urls: { door: URL; operator: URL },
  options: { now?: Date; beats?: number; random?: Random; onLog?: (line: Line) => Promise<void> | void } = {},
): Promise<Line[]> {
  const lines: Line[] = [];
  const stop = new AbortController();
  const waiting: Promise<void>[] = [];
  const note = (level: Line['level']) => (fields: object, message: string) => {
    const line = { level, fields: { ...fields }, message };
    lines.push(line);
    waiting.push(Promise.resolve(options.onLog?.(line)));
  };
  let beats = options.beats ?? 0;
  const parts: DriverParts = {
    clock: ticking(options.now ?? SATURDAY),
    ids: systemIds,
    random: options.random ?? seededRandom(3),
    ...shipped,
    door: new EngineDoor(urls.door, TOKEN),
    operator: new OperatorClient(urls.operator, ACCOUNT),
    log: { info: note('info'), warn: note('warn') },
    paceMs: 20_000,
    sleep: async (ms) => {
      await Promise.all(waiting);
      if (ms >= 10_000 && --beats < 0) stop.abort();
    },
  };
  await drive(parts, stop.signal);
  return lines;
}

const messages = (lines: Line[], message: string): Record<string, unknown>[] =>
  lines.filter((line) => line.message === message).map((line) => line.fields);
const counted = async (
  store: Store,
  query: ReturnType<typeof sql<{ key: string; n: number }>>,
): Promise<Record<string, number>> =>
  Object.fromEntries((await query.execute(store.db)).rows.map(({ key, n }) => [key, n]));
const deliveriesOf = (store: Store): Promise<Record<string, number>> =>
  counted(
    store,
    sql<{ key: string; n: number }>`select delivery_type as key, count(*) as n from tenant_delivery group by 1`,
  );

describe('one store over several starts', () => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await startCloud();
  });

  test('the week ends in the state of the table of sync protocol 3, and the operator withdraws two', async () => {
    const lines = await run(cloud);
    expect(messages(lines, 'a load was not taken')).toEqual([]);
    const days = messages(lines, 'day loaded');
    expect(days.map((day) => day['date'])).toEqual([
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
    ]);
    const total = (name: string): number => days.reduce((sum, day) => sum + Number(day[name]), 0);
    expect({
      published: total('published'),
      draft: total('draft'),
      skipped: total('skipped'),
      failed: total('failed'),
      repeated: total('repeated'),
    }).toEqual({
      published: reference.length - 5,
      draft: 3,
      skipped: 1,
      failed: 1,
      repeated: 0,
    });
    expect(messages(lines, 'withdrawal asked for').map(({ id, outcome }) => [id, outcome])).toEqual([
      ['ma-20261117-10', 'WITHDRAWN'],
      ['er-20261119-03b', 'WITHDRAWN'],
    ]);
    // One more INVALIDATION than the operator's withdrawals: the republication withdraws the older copy.
    expect(await deliveriesOf(cloud.store)).toEqual({ NEW: reference.length - 5, INVALIDATION: 3 });
    expect(
      await counted(
        cloud.store,
        sql`select coalesce(draft_reason, publication_status) as key, count(*) as n from explanation_result group by 1`,
      ),
    ).toMatchObject({ route_already_published: 1, surface_absent: 2, WITHDRAWN: 2 });
  });

  test('a restart repeats known loads and withdraws nothing twice; firings continue with fresh ids', async () => {
    const first = await run(cloud, { now: after(1), beats: 4 });
    const before = await deliveriesOf(cloud.store);
    // The same random numbers once more: only the ids and the moments differ.
    const lines = await run(cloud, { now: after(2), beats: 4 });
    const told = messages(lines, 'firing loaded').map(({ ticker }) => ticker);
    expect(told).toEqual(messages(first, 'firing loaded').map(({ ticker }) => ticker));
    expect(messages(lines, 'a load was not taken')).toEqual([]);
    const days = messages(lines, 'day loaded');
    expect(days.reduce((sum, day) => sum + Number(day['repeated']), 0)).toBe(reference.length - 2);
    expect(
      messages(lines, 'withdrawal asked for')
        .slice(0, 2)
        .map(({ outcome }) => outcome),
    ).toEqual(['NOT_PUBLISHED', 'NOT_PUBLISHED']);
    expect(messages(lines, 'firing loaded').map(({ outcome, deliveries }) => [outcome, deliveries])).toEqual(
      Array.from({ length: 4 }, () => ['PUBLISHED', 1]),
    );
    expect((await deliveriesOf(cloud.store))['NEW']).toBe((before['NEW'] ?? 0) + 4);
  });

  test('after a trading day more, that day alone is new', async () => {
    const days = messages(await run(cloud, { now: MONDAY_EVENING }), 'day loaded');
    expect(days.map((day) => [day['date'], Number(day['repeated']) > 0])).toEqual([
      ['2026-11-17', true],
      ['2026-11-18', true],
      ['2026-11-19', true],
      ['2026-11-20', true],
      ['2026-11-23', false],
    ]);
  });
});

describe('the course of the demo', () => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await startCloud();
  });

  test('a day that ends while the demo runs is sent then', async () => {
    const moments = [new Date('2026-11-20T16:39:00+09:00'), new Date('2026-11-20T16:41:00+09:00')];
    let told = 0;
    const lines: string[] = [];
    const stop = new AbortController();
    await drive(
      {
        clock: { now: () => moments[Math.min(told, 1)] ?? SATURDAY },
        ids: systemIds,
        random: seededRandom(1),
        ...shipped,
        door: new EngineDoor(cloud.door, TOKEN),
        operator: new OperatorClient(cloud.operator, ACCOUNT),
        log: {
          info: (fields, message) => void lines.push(`${message} ${'date' in fields ? String(fields.date) : ''}`),
          warn: () => undefined,
        },
        paceMs: 20_000,
        sleep: async () => {
          if (++told > 1) stop.abort();
        },
      },
      stop.signal,
    );
    expect(lines.filter((line) => line === 'day loaded 2026-11-20').length).toBe(1);
    expect(lines[0]).toBe('day loaded 2026-11-13');
  });

  test('the funds of the opening queue rest at first', async () => {
    const lines = await run(cloud, { now: after(4), beats: 30, random: seededRandom(8) });
    const told = messages(lines, 'firing loaded').map(({ ticker }) => String(ticker));
    expect(told).toHaveLength(30);
    expect(told.filter(isOfOpening)).toEqual([]);
  });

  test('now and then the operator withdraws a live one', async () => {
    const lines = await run(cloud, { now: after(3), beats: 40, random: seededRandom(5) });
    const live = messages(lines, 'withdrawal asked for').filter(({ id }) => String(id).includes('-live-'));
    expect(live.length).toBeGreaterThan(0);
    expect(live.length).toBeLessThan(20);
    for (const { outcome } of live) expect(outcome).toBe('WITHDRAWN');
    expect(new Set(live.map(({ id }) => id)).size).toBe(live.length);
  });

  test('the driver waits for a cloud that is down', async () => {
    const door = await deadAddress();
    let tries = 0;
    const lines = await run(
      { door, operator: cloud.operator },
      {
        onLog: async (line) => {
          if (line.message !== 'the cloud cannot be reached, trying again' || ++tries !== 3) return;
          const again = createEngineDoor({
            store: cloud.store,
            clock: { now: () => SATURDAY },
            ids: systemIds,
            log: false as const,
            token: TOKEN,
          });
          await listening(again, Number(door.port));
        },
      },
    );
    expect(
      messages(lines, 'the cloud cannot be reached, trying again').map(({ retryInSeconds }) => retryInSeconds),
    ).toEqual([1, 2, 4]);
    expect(messages(lines, 'the cloud cannot be reached, trying again')[0]?.['reason']).toMatch(
      /^The engine's door cannot be reached: .*ECONNREFUSED/,
    );
    expect(messages(lines, 'day loaded').length).toBe(5);
  });

  test('stopping while the cloud is down ends the driver at once', async () => {
    const stop = new AbortController();
    let warned = 0;
    await drive(
      {
        clock: { now: () => SATURDAY },
        ids: systemIds,
        random: seededRandom(1),
        ...shipped,
        door: new EngineDoor(await deadAddress(), TOKEN),
        operator: new OperatorClient(cloud.operator, ACCOUNT),
        log: { info: () => undefined, warn: () => void (warned += 1) },
        paceMs: 20_000,
        sleep: async () => stop.abort(),
      },
      stop.signal,
    );
    expect(warned).toBe(1);
  });

  test('a wrong token and a wrong password are refused with what to do', async () => {
    const signal = new AbortController().signal;
    const wrongToken = new EngineDoor(cloud.door, 'other');
    await expect(wrongToken.post(reference.slice(0, 1), signal)).rejects.toThrow(RefusedError);
    await expect(wrongToken.post(reference.slice(0, 1), signal)).rejects.toThrow(
      /refused with 401 .*CAUSEWAY_ENGINE_TOKEN/,
    );
    const wrongPassword = new OperatorClient(cloud.operator, { ...ACCOUNT, password: 'other' });
    await expect(wrongPassword.withdraw('er-1', 'reason', signal)).rejects.toThrow(
      /AUTH4011.*CAUSEWAY_OPERATOR_PASSWORD/,
    );
  });

  test('an unknown result is distinguished, and an ended session is opened again', async () => {
    const signal = new AbortController().signal;
    const operator = new OperatorClient(cloud.operator, ACCOUNT);
    expect(await operator.withdraw('er-unknown', 'reason', signal)).toBe('UNKNOWN');
    await sql`delete from operator_session`.execute(cloud.store.db);
    expect(await operator.withdraw('er-unknown', 'reason', signal)).toBe('UNKNOWN');
  });

  test('a stop in the middle of a request is not reported as an unreachable cloud', async () => {
    const stop = new AbortController();
    const asked = new EngineDoor(cloud.door, TOKEN).post(reference, stop.signal);
    stop.abort();
    await expect(asked).rejects.not.toThrow(UnreachableError);
  });
});
