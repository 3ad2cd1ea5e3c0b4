/** The engine's door: token, body, line by line answers. */
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { FAN_OUT_LOCK } from '../publication/fan-out.ts';
import { named } from '../store/errors.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { backfill, live, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, postgresKind, reset } from '../../test/support/cloud/store.ts';
import type { LineAnswer } from '../publication/load.ts';
import { knownLoadSchema } from './known-load.ts';
import { lineAnswerSchema } from './openapi.ts';
import { createEngineDoor, LOADS_PATH } from './server.ts';

const holding = (text: string): unknown => expect.stringContaining(text);

const TOKEN = 'engine-token';
let store: Store;
let door: FastifyInstance;

provideStore(postgresKind, (opened) => (store = opened.store));
beforeAll(() => {
  door = createEngineDoor({
    store,
    token: TOKEN,
    clock: new SetClock(AT),
    ids: systemIds,
    log: false,
    bodyLimit: 100_000,
  });
});
afterAll(async () => {
  await door.close();
});
beforeEach(async () => {
  await reset(store);
  await addTenants(store, 2);
});

interface Reply {
  status: number;
  code: string;
  lines: LineAnswer[];
}

async function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await door.inject({
    method: 'POST',
    url: LOADS_PATH,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson', ...headers },
    payload: body,
  });
  const { code, result } = response.json<{ code: string; result?: { lines: LineAnswer[] } }>();
  for (const line of result?.lines ?? []) lineAnswerSchema.parse(line);
  return { status: response.statusCode, code, lines: result?.lines ?? [] };
}
const lines = (...loads: unknown[]): string =>
  loads.map((load) => (typeof load === 'string' ? load : JSON.stringify(load))).join('\n');

describe('the door', () => {
  test('a bad line fails with its number and place, and the others are taken', async () => {
    const { status, lines: answers } = await post(
      lines('# remark', live({ key: 'a' }), '{bad', '', { mode: 'V3' }, live({ key: 'b', route: 'a' }), '  '),
    );
    expect(status).toBe(200);
    expect(answers).toEqual([
      { line: 2, outcome: 'PUBLISHED', id: 'res-a', reason: null, message: null, repeated: false, deliveries: 2 },
      {
        line: 3,
        outcome: 'FAILED',
        id: null,
        reason: 'LOAD_INVALID',
        message: holding('not JSON'),
        repeated: false,
        deliveries: 0,
      },
      {
        line: 5,
        outcome: 'FAILED',
        id: null,
        reason: 'LOAD_INVALID',
        message: holding('mode'),
        repeated: false,
        deliveries: 0,
      },
      {
        line: 6,
        outcome: 'DRAFT',
        id: 'res-b',
        reason: 'route_already_published',
        message: null,
        repeated: false,
        deliveries: 0,
      },
    ]);
  });

  test('a retry of the whole body changes nothing', async () => {
    const body = lines(
      live({ key: 'a' }),
      backfill({ key: 'b' }, { result: null, failure: { exception_type: 'ValueError', message: 'x' } }),
    );
    await post(body);
    const { lines: answers } = await post(body);
    expect(answers.map(({ outcome, repeated, deliveries }) => [outcome, repeated, deliveries])).toEqual([
      ['PUBLISHED', true, 0],
      ['SKIPPED', false, 0],
    ]);
  });

  test('the same id with other content fails with a clear sentence', async () => {
    await post(lines(live({ key: 'a' })));
    const { lines: answers } = await post(lines(live({ key: 'a', summary: 'other' })));
    expect(answers[0]).toMatchObject({ outcome: 'FAILED', id: 'res-a', reason: 'ID_TAKEN', message: holding('res-a') });
  });

  test('a v2 text that is not fit for readers fails, and nothing of it is kept', async () => {
    const { lines: answers } = await post(lines(v2({ key: 'a', summary: '<b>지수</b>가 올랐다.' }), v2({ key: 'b' })));
    expect(answers.map(({ outcome, id, reason, deliveries }) => [outcome, id, reason, deliveries])).toEqual([
      ['FAILED', 'ana-a', 'TEXT_UNFIT', 0],
      ['PUBLISHED', 'ana-b', null, 2],
    ]);
    expect((await sql`select trigger_id from price_movement_trigger`.execute(store.db)).rows).toEqual([
      { trigger_id: 'trg-b' },
    ]);
  });

  test('a value refused by the database fails its line alone', async () => {
    let calls = 0;
    const picky: Store = {
      ...store,
      transaction: (work) =>
        (calls += 1) === 1
          ? Promise.reject(Object.assign(new Error('value overflows numeric format'), { code: '22003' }))
          : store.transaction(work),
    };
    const strict = createEngineDoor({
      store: picky,
      token: TOKEN,
      clock: new SetClock(AT),
      ids: systemIds,
      log: false,
    });
    const response = await strict.inject({
      method: 'POST',
      url: LOADS_PATH,
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: lines(live({ key: 'a' }), live({ key: 'b' })),
    });
    const [first, second] = response.json<{ result: { lines: LineAnswer[] } }>().result.lines;
    expect(first).toMatchObject({
      outcome: 'FAILED',
      reason: 'LOAD_INVALID',
      message: 'The store cannot hold a value of this load (SQLSTATE 22003).',
    });
    expect(second).toMatchObject({ outcome: 'PUBLISHED' });
    await strict.close();
  });

  test('numbers and dates outside the store’s range fail their lines, and no part of them is kept', async () => {
    const line = JSON.stringify(live({ key: 'a' }));
    const { status, lines: answers } = await post(
      lines(
        line.replace('"observed_return":-0.0123},"run"', '"observed_return":1e400},"run"'),
        line.replace('"surface":{"observed_return":-0.0123}', '"surface":{"observed_return":-1e999}'),
        line.replace('"trade_date":"2026-11-20"', '"trade_date":"0000-01-01"'),
        live({ key: 'b' }),
      ),
    );
    expect(status).toBe(200);
    expect(answers.map(({ reason, message }) => [reason, message?.split(':')[0]])).toEqual([
      ['LOAD_INVALID', 'trigger.observed_return'],
      ['LOAD_INVALID', 'result.surface.observed_return'],
      ['LOAD_INVALID', 'result.trade_date'],
      [null, undefined],
    ]);
    expect((await sql`select trigger_id from price_movement_trigger`.execute(store.db)).rows).toEqual([
      { trigger_id: 'trg-b' },
    ]);
  });

  test('windows line ends and a byte order mark are read', async () => {
    const { lines: answers } = await post(
      `\uFEFF${JSON.stringify(live({ key: 'a' }))}\r\n${JSON.stringify(live({ key: 'b' }))}\r\n`,
    );
    expect(answers.map(({ outcome }) => outcome)).toEqual(['PUBLISHED', 'PUBLISHED']);
  });

  test('a remark behind a byte order mark holds no load', async () => {
    const { lines: answers } = await post(`\uFEFF# remark\n\uFEFF\n${JSON.stringify(live({ key: 'a' }))}\n\uFEFF#`);
    expect(answers.map(({ line, outcome }) => [line, outcome])).toEqual([[3, 'PUBLISHED']]);
  });

  test.each(['gzip', 'deflate', 'br', 'identity, gzip', 'x'])(
    'a body that is encoded as %s is refused whole',
    async (encoding) => {
      const body = lines(live({ key: 'a' }));
      for (const sent of [gzipSync(body), Buffer.from(body)])
        expect(await post(sent, { 'content-encoding': encoding })).toMatchObject({
          status: 415,
          code: 'COMMON415',
          lines: [],
        });
      expect((await post(body, { 'content-encoding': 'identity' })).lines).toHaveLength(1);
    },
  );

  test('so is one that is packed or UTF-16 and does not say so, or says so of its transfer', async () => {
    const body = Buffer.from(lines(live({ key: 'a' })));
    for (const sent of [
      gzipSync(body),
      Buffer.from(body.toString(), 'utf16le'),
      Buffer.from(`\ufeff${body.toString()}`, 'utf16le'),
    ])
      expect(await post(sent)).toMatchObject({ status: 415, code: 'COMMON415', lines: [] });
    expect(await post(body, { 'transfer-encoding': 'gzip, chunked' })).toMatchObject({ status: 415, lines: [] });
  });

  test('a database without a connection left is named with its limit', async () => {
    const full: Store = {
      ...store,
      transaction: () =>
        named(Promise.reject(Object.assign(new Error('sorry, too many clients already'), { code: '53300' }))),
    };
    const crowded = createEngineDoor({
      store: full,
      token: TOKEN,
      clock: new SetClock(AT),
      ids: systemIds,
      log: false,
    });
    const response = await crowded.inject({
      method: 'POST',
      url: LOADS_PATH,
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: lines(live({ key: 'a' })),
    });
    expect(response.json<{ result: { lines: LineAnswer[] } }>().result.lines[0]).toMatchObject({
      reason: 'STORE_UNREACHABLE',
      message: holding('takes no more connections (sorry, too many clients already)'),
    });
    await crowded.close();
  });

  test('an unexpected error in one line is answered without details, and the next line is taken', async () => {
    let calls = 0;
    const broken: Store = {
      ...store,
      transaction: (work) => ((calls += 1) === 1 ? Promise.reject(new Error('secret path')) : store.transaction(work)),
    };
    const fragile = createEngineDoor({
      store: broken,
      token: TOKEN,
      clock: new SetClock(AT),
      ids: systemIds,
      log: false,
    });
    const response = await fragile.inject({
      method: 'POST',
      url: LOADS_PATH,
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: lines(live({ key: 'a' }), live({ key: 'b' })),
    });
    expect(response.body).not.toContain('secret');
    expect(
      response.json<{ result: { lines: LineAnswer[] } }>().result.lines.map(({ outcome, reason }) => [outcome, reason]),
    ).toEqual([
      ['FAILED', 'INTERNAL'],
      ['PUBLISHED', null],
    ]);
    await fragile.close();
  });

  test('a body beyond the limit is refused whole', async () => {
    expect(await post(lines(live({ key: 'a' }), 'x'.repeat(100_000)))).toMatchObject({
      status: 413,
      code: 'COMMON413',
    });
    expect((await sql<{ n: number }>`select count(*) as n from explanation_result`.execute(store.db)).rows).toEqual([
      { n: 0 },
    ]);
  });

  test('what looks wrong is told beside the outcome, and the load is taken', async () => {
    const load = live({ key: 'a' });
    const wrong = { ...load, trigger: { ...load.trigger, observed_return: -1391.2 } };
    const [first] = (await post(lines(wrong))).lines;
    expect(first).toMatchObject({ outcome: 'PUBLISHED', warning: holding('trigger.observed_return -1391.2: beyond') });
    // A value without a unit is a plain number, whatever its size.
    const { result: told } = live({ key: 'b', route: 'b' });
    const plain = live({ key: 'b', route: 'b' }, { result: { ...told, surface: { usd_krw_rate: 1391.2 } } });
    expect((await post(lines(plain))).lines[0]).not.toHaveProperty('warning');
  });

  test('check=true answers what would happen and writes nothing; another parameter takes nothing either', async () => {
    const ask = async (query: string): Promise<{ status: number; lines: LineAnswer[] }> => {
      const response = await door.inject({
        method: 'POST',
        url: `${LOADS_PATH}${query}`,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
        payload: lines(live({ key: 'a' }), '{bad'),
      });
      const { result } = response.json<{ result?: { lines: LineAnswer[] } }>();
      return { status: response.statusCode, lines: result?.lines ?? [] };
    };
    const count = async (): Promise<unknown> =>
      (
        await sql`select (select count(*) from explanation_result) as results, (select count(*) from tenant_delivery) as records,
          (select count(*) from explanation_run) as runs`.execute(store.db)
      ).rows[0];
    const { lines: told } = await ask('?check=true');
    expect(told.map(({ outcome, deliveries }) => [outcome, deliveries])).toEqual([
      ['PUBLISHED', 2],
      ['FAILED', 0],
    ]);
    for (const query of ['?check=1', '?chek=true', '?check=true&x=1']) expect((await ask(query)).status).toBe(400);
    expect(await count()).toEqual({ results: 0, records: 0, runs: 0 });
    expect((await ask('')).lines[0]).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 2 });
    expect((await ask('?check=true')).lines[0]).toMatchObject({ outcome: 'PUBLISHED', repeated: true });
  });

  test('a load that was taken is read by its id', async () => {
    const get = (id: string) =>
      door.inject({
        method: 'GET',
        url: `${LOADS_PATH}/${encodeURIComponent(id)}`,
        headers: { authorization: `Bearer ${TOKEN}` },
      });
    await post(lines(live({ key: 'a' }), live({ key: 'b', route: 'a' }), v2({ key: 'c', ticker: '229200' })));
    const read = async (id: string): Promise<unknown> =>
      knownLoadSchema.parse((await get(id)).json<{ result: unknown }>().result);
    expect(await read('res-a')).toMatchObject({ id: 'res-a', outcome: 'PUBLISHED', reason: null, withdrawnAt: null });
    expect(await read('res-b')).toMatchObject({ outcome: 'DRAFT', reason: 'route_already_published' });
    expect(await read('ana-c')).toMatchObject({ outcome: 'PUBLISHED', ticker: '229200' });
    for (const id of ['none', 'a\0b', 'x'.repeat(600)]) expect((await get(id)).statusCode).toBe(404);
  });

  test('a body without a load', async () => {
    for (const body of ['', '\n\n', '# only a remark\n'])
      expect(await post(body)).toMatchObject({ status: 400, code: 'COMMON400' });
  });

  test.each([undefined, 'Bearer wrong', 'Bearer', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, TOKEN])(
    'without the token (%s): 401 on any path',
    async (authorization) => {
      for (const url of [LOADS_PATH, '/', '/health', '/internal/v1/other']) {
        const response = await door.inject({
          method: 'POST',
          url,
          headers: authorization === undefined ? {} : { authorization },
          payload: lines(live({ key: 'a' })),
        });
        expect([url, response.statusCode, response.json<{ code: string }>().code]).toEqual([url, 401, 'COMMON401']);
      }
      expect((await sql<{ n: number }>`select count(*) as n from explanation_result`.execute(store.db)).rows).toEqual([
        { n: 0 },
      ]);
    },
  );

  test('with the token any other path is refused', async () => {
    for (const [method, url] of [
      ['GET', LOADS_PATH],
      ['POST', `${LOADS_PATH}/`],
      ['GET', '/'],
      ['GET', '/health'],
    ] as const) {
      const response = await door.inject({ method, url, headers: { authorization: `Bearer ${TOKEN}` } });
      expect([url, response.statusCode]).toEqual([url, 403]);
    }
  });

  test('input that is no HTTP gets an envelope too', async () => {
    await door.listen({ host: '127.0.0.1', port: 0 });
    const { port } = door.server.address() as AddressInfo;
    const said = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.once('error', reject);
      socket.once('close', () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said).toContain('"code":"COMMON400"');
  });

  test('the lock has the contract’s name', () => expect(FAN_OUT_LOCK).toBe('tenant-delivery-fanout'));
});
