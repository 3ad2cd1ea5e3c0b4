/** The operator API over real HTTP: sessions, policy, analyses, invalidation (document 2). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OPERATOR_ROUTES } from '../../shared/policy/operator-routes.ts';
import { systemIds } from '../../shared/time/clock.ts';
import type { Analysis } from '../../shared/wire/operator.ts';
import { publish } from '../publication/publish.ts';
import type { Load } from '../engine/load.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../testing/clock.ts';
import { live, read, result, v2 } from '../testing/loads.ts';
import { addTenants, AT, deliveries, embeddedKind, reset } from '../testing/store.ts';
import { ABSOLUTE_MS, createOperator, IDLE_MS } from './accounts.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { createOperatorServer, OPERATOR_COOKIE, RoutePolicyError } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-operator-'));
const clock = new SetClock(AT);
let store: Store;
let server: FastifyInstance;
let port: number;

beforeAll(async () => {
  ({ store } = await (await embeddedKind()).open());
  await createOperator(store.db, { username: 'operator', displayName: '운영자', password: 'pass-word' }, AT);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
  server = await createOperatorServer({
    store,
    clock,
    ids: systemIds,
    log: false,
    listenHost: '127.0.0.1',
    consoleFolder: folder,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(async () => {
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  clock.at = AT;
  await reset(store);
});

interface Reply {
  status: number;
  code: string;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
  result: Record<string, unknown>;
}

function ask(
  method: string,
  path: string,
  options: { cookie?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: `127.0.0.1:${port}`,
      ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    // Not fetch: it sets Host itself and cleans the path.
    const request = startRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => {
        const parsed = text.startsWith('{')
          ? (JSON.parse(text) as { code: string; result?: Record<string, unknown> })
          : { code: '' };
        resolve({
          status: response.statusCode ?? 0,
          code: parsed.code,
          text,
          headers: response.headers,
          result: parsed.result ?? {},
        });
      });
    });
    request.once('error', reject);
    request.end(
      options.body === undefined
        ? undefined
        : typeof options.body === 'string'
          ? options.body
          : JSON.stringify(options.body),
    );
  });
}

async function logIn(): Promise<string> {
  const reply = await ask('POST', '/api/v1/auth/login', { body: { username: 'operator', password: 'pass-word' } });
  expect(reply.status).toBe(200);
  return String(reply.headers['set-cookie']).split(';')[0] ?? '';
}
const take = (load: Load): Promise<unknown> => publish(store, read(load), clock.at);
const outcome = ({ status, code }: Reply): string => `${status} ${code}`;

describe('sessions', () => {
  test('login sets an HttpOnly, SameSite=Strict cookie and answers the session', async () => {
    const reply = await ask('POST', '/api/v1/auth/login', { body: { username: 'operator', password: 'pass-word' } });
    expect(String(reply.headers['set-cookie'])).toMatch(
      new RegExp(`^${OPERATOR_COOKIE}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.result).toEqual({
      authenticated: true,
      role: 'OPERATOR',
      expiresAt: new Date(AT.getTime() + IDLE_MS).toISOString(),
    });
  });

  test('a wrong password and an unknown name get the same answer; a malformed body is 400', async () => {
    const wrong = await ask('POST', '/api/v1/auth/login', { body: { username: 'operator', password: 'x' } });
    const unknown = await ask('POST', '/api/v1/auth/login', { body: { username: 'nobody', password: 'pass-word' } });
    expect(wrong.text).toBe(unknown.text);
    expect(outcome(wrong)).toBe('401 AUTH4011');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    for (const body of [
      {},
      { username: 'operator' },
      { username: 1, password: 'x' },
      '{oops',
      [],
      { username: 'operator', password: 'pass-word', extra: 1 },
    ]) {
      expect(outcome(await ask('POST', '/api/v1/auth/login', { body }))).toBe('400 COMMON400');
    }
  });

  test('the session is projected, and logout ends it at once', async () => {
    const cookie = await logIn();
    expect((await ask('GET', '/api/v1/session', { cookie })).result).toEqual({
      id: '1',
      username: 'operator',
      displayName: '운영자',
      role: 'OPERATOR',
    });
    expect((await ask('GET', '/api/v1/auth/session', { cookie })).result).toMatchObject({ authenticated: true });
    expect((await ask('POST', '/api/v1/auth/logout', { cookie })).status).toBe(200);
    expect(outcome(await ask('GET', '/api/v1/session', { cookie }))).toBe('401 COMMON401');
  });

  test('a session ends when it is idle, and after its longest time however busy it was', async () => {
    const idle = await logIn();
    clock.at = new Date(AT.getTime() + IDLE_MS);
    expect((await ask('GET', '/api/v1/session', { cookie: idle })).status).toBe(401);
    clock.at = AT;
    const busy = await logIn();
    let last = 200;
    for (let passed = 0; passed < ABSOLUTE_MS; passed += IDLE_MS / 2) {
      clock.at = new Date(AT.getTime() + passed);
      last = (await ask('GET', '/api/v1/session', { cookie: busy })).status;
      expect(last).toBe(200);
    }
    clock.at = new Date(AT.getTime() + ABSOLUTE_MS);
    expect((await ask('GET', '/api/v1/session', { cookie: busy })).status).toBe(401);
  });

  test('passwords are argon2id in PHC form', async () => {
    const hash = await hashPassword('비밀번호');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await verifyPassword('비밀번호', hash)).toBe(true);
    expect(await verifyPassword('비밀번호'.normalize('NFD'), hash)).toBe(true);
    expect(await verifyPassword('other', hash)).toBe(false);
  });
});

describe('the route policy', () => {
  test('every row but login needs a session', async () => {
    for (const route of OPERATOR_ROUTES) {
      if (route.access === 'public') continue;
      const reply = await ask(route.method, route.path.replace('{id}', 'res-a'), {
        ...(route.method === 'POST' ? { body: { reason: 'x' } } : {}),
      });
      expect([route.path, outcome(reply)]).toEqual([route.path, '401 COMMON401']);
    }
  });

  test('what is not in the table is 401 without and 403 with a session', async () => {
    const cookie = await logIn();
    for (const [method, path] of [
      ['GET', '/api/v1/tenants'],
      ['GET', '/api/v1/analyses/'],
      ['GET', '/api/v1//analyses'],
      ['GET', '/api/V1/analyses'],
      ['GET', '/api/v1/analyses/res-a'],
      ['DELETE', '/api/v1/analyses'],
      ['OPTIONS', '/api/v1/analyses'],
      ['GET', '/api/v1/analyses/res-a/invalidate'],
      ['GET', '/nothing'],
      ['GET', '/assets/other.js'],
      ['GET', '/../package.json'],
    ] as const) {
      expect([method, path, outcome(await ask(method, path))]).toEqual([method, path, '401 COMMON401']);
      expect([method, path, outcome(await ask(method, path, { cookie }))]).toEqual([method, path, '403 COMMON403']);
    }
    expect((await ask('HEAD', '/api/v1/analyses', { cookie })).status).toBe(403);
  });

  test('a table that does not match the handlers stops the start', async () => {
    const parts = { store, clock, ids: systemIds, log: false, listenHost: '127.0.0.1', consoleFolder: folder };
    const [first, ...rest] = OPERATOR_ROUTES;
    await expect(createOperatorServer({ ...parts, routes: rest })).rejects.toThrow(RoutePolicyError);
    await expect(
      createOperatorServer({
        ...parts,
        routes: [first, ...rest, { method: 'GET', path: '/api/v1/extra', access: 'operator' }],
      }),
    ).rejects.toThrow(/\/api\/v1\/extra/);
  });

  test('a foreign Host or Origin is refused on every surface', async () => {
    const cookie = await logIn();
    for (const headers of [
      { host: `evil.example:${port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { host: '127.0.0.1:1' },
    ]) {
      for (const path of ['/api/v1/session', '/', '/nothing'])
        expect(outcome(await ask('GET', path, { cookie, headers }))).toBe('403 COMMON403');
    }
    expect(
      (await ask('GET', '/api/v1/session', { cookie, headers: { origin: `http://127.0.0.1:${port}` } })).status,
    ).toBe(200);
  });
});

describe('analyses', () => {
  const list = async (query: string, cookie: string): Promise<{ ids: string[]; total: unknown; items: Analysis[] }> => {
    const { result: page } = await ask('GET', `/api/v1/analyses${query}`, { cookie });
    const items = page.items as Analysis[];
    return { ids: items.map(({ id }) => id), total: page.total, items };
  };

  beforeEach(async () => {
    await addTenants(store, 2);
    await take(live({ key: 'a', documents: 2 }));
    clock.at = new Date(AT.getTime() + 1000);
    await take({ ...live({ key: 'b', route: 'a' }), failure: { exception_type: 'OSError', message: '' } });
    clock.at = new Date(AT.getTime() + 2000);
    const kosdaq = v2({ key: 'c', ticker: '229200' });
    await take({
      ...kosdaq,
      instrument: { ...kosdaq.instrument, name: 'KODEX 코스닥150', market: 'KOSDAQ' },
      trigger: { ...kosdaq.trigger, observed_return: 0 },
    });
  });

  test('newest first, with the columns of document 2', async () => {
    const { ids, total, items } = await list('', await logIn());
    expect(ids).toEqual(['ana-c', 'res-b', 'res-a']);
    expect(total).toBe(3);
    expect(items[2]).toEqual({
      id: 'res-a',
      analysisEngine: 'v1',
      instrumentId: 'inst-069500',
      instrumentName: 'KODEX 069500',
      ticker: '069500',
      market: 'KRX',
      changeRate: -0.0123,
      direction: 'DOWN',
      tradeDate: '2026-11-20',
      explanationAsOf: result({ key: 'a' }).explanation_as_of,
      createdAt: AT.toISOString(),
      evidenceCount: 4,
      status: 'COMPLETE',
      publicationState: 'PUBLISHED',
      draftReason: null,
      withdrawalReason: null,
      withdrawnAt: null,
      summary: 'a: 반도체 업황 우려로 하락했습니다.',
    });
    expect(items[0]).toMatchObject({ analysisEngine: 'v2', direction: 'FLAT' });
    expect(items[1]).toMatchObject({
      status: 'FAILED',
      publicationState: 'UNPUBLISHED',
      draftReason: 'route_already_published',
    });
  });

  test('filters and pages', async () => {
    const cookie = await logIn();
    expect((await list('?publicationState=UNPUBLISHED', cookie)).ids).toEqual(['res-b']);
    expect((await list('?status=COMPLETE', cookie)).ids).toEqual(['ana-c', 'res-a']);
    expect((await list('?market=KOSDAQ', cookie)).ids).toEqual(['ana-c']);
    expect((await list(`?q=${encodeURIComponent('코스닥')}`, cookie)).ids).toEqual(['ana-c']);
    expect((await list('?q=2292', cookie)).ids).toEqual(['ana-c']);
    expect((await list('?q=%25', cookie)).ids).toEqual([]);
    expect(await list('?page=2&size=2', cookie)).toMatchObject({ ids: ['res-a'], total: 3 });
    expect(await list('?page=9', cookie)).toMatchObject({ ids: [], total: 3 });
    for (const query of [
      'page=0',
      'page=1.5',
      'size=101',
      'size=0',
      'size=x',
      'publicationState=DRAFT',
      'unknown=1',
      'page=1&page=2',
    ]) {
      expect([query, outcome(await ask('GET', `/api/v1/analyses?${query}`, { cookie }))]).toEqual([
        query,
        '400 COMMON400',
      ]);
    }
  });

  test('invalidate: WITHDRAWN, an INVALIDATION to those that have it, one audit entry', async () => {
    const cookie = await logIn();
    await addTenants(store, 1, 'late-');
    const reply = await ask('POST', '/api/v1/analyses/res-a/invalidate', { cookie, body: { reason: '  수치 오류 ' } });
    expect(reply.status).toBe(200);
    expect(reply.result).toEqual({
      id: 'res-a',
      publicationState: 'INVALIDATED',
      withdrawnAt: clock.at.toISOString(),
      deliveries: 2,
    });
    const records = (await deliveries(store)).filter((row) => row.delivery_type === 'INVALIDATION');
    expect(records.map((row) => [row.tenant_id, row.target_explanation_result_id, row.reason])).toEqual([
      [1, 'res-a', '수치 오류'],
      [2, 'res-a', '수치 오류'],
    ]);
    const { rows } =
      await sql`select occurred_at, operator_id, activity_type, target_type, target_id, reason from admin_activity_log order by 1 desc limit 1`.execute(
        store.db,
      );
    expect(rows).toEqual([
      {
        occurred_at: clock.at,
        operator_id: 1,
        activity_type: 'ANALYSIS_INVALIDATED',
        target_type: 'EXPLANATION_RESULT',
        target_id: 'res-a',
        reason: '수치 오류',
      },
    ]);
    expect((await list('?publicationState=INVALIDATED', cookie)).items[0]).toMatchObject({
      id: 'res-a',
      withdrawalReason: '수치 오류',
    });
  });

  test('a v2 analysis is withdrawn with the movement-analysis target', async () => {
    const reply = await ask('POST', '/api/v1/analyses/ana-c/invalidate', {
      cookie: await logIn(),
      body: { reason: 'x' },
    });
    expect(reply.result).toMatchObject({ id: 'ana-c', deliveries: 2 });
    expect((await deliveries(store)).filter((row) => row.target_movement_analysis_id === 'ana-c')).toHaveLength(2);
  });

  test('session before reason before existence before state', async () => {
    const cookie = await logIn();
    const logged = async (): Promise<unknown> =>
      (await sql<{ n: number }>`select count(*) as n from admin_activity_log`.execute(store.db)).rows[0]?.n;
    const before = await logged();
    const invalidate = async (id: string, body: unknown, own: string | undefined = cookie): Promise<string> =>
      outcome(await ask('POST', `/api/v1/analyses/${id}/invalidate`, { ...(own === '' ? {} : { cookie: own }), body }));
    expect(await invalidate('res-a', {}, '')).toBe('401 COMMON401');
    for (const body of [{}, { reason: '' }, { reason: ' \n\u3000' }, { reason: null }, { reason: 5 }, []])
      expect(await invalidate('unknown', body)).toBe('400 ANALYSIS4001');
    expect(await invalidate('res-a', '{oops')).toBe('400 COMMON400');
    expect(await invalidate('res-a', { reason: 'a\0b' })).toBe('400 COMMON400');
    expect(await invalidate('unknown', { reason: 'x' })).toBe('404 COMMON404');
    expect(await invalidate('res-b', { reason: 'x' })).toBe('409 ANALYSIS4091');
    expect(await logged()).toBe(before);
  });

  test('two operators at once: one 200, one 409, one record per tenant, one audit entry', async () => {
    const cookie = await logIn();
    const replies = await Promise.all(
      [1, 2].map((n) => ask('POST', '/api/v1/analyses/res-a/invalidate', { cookie, body: { reason: `n${n}` } })),
    );
    expect(replies.map(outcome).sort()).toEqual(['200 COMMON200', '409 ANALYSIS4091']);
    expect((await deliveries(store)).filter((row) => row.delivery_type === 'INVALIDATION')).toHaveLength(2);
  });

  test('the audit log only takes new rows', async () => {
    await ask('POST', '/api/v1/analyses/res-a/invalidate', { cookie: await logIn(), body: { reason: 'x' } });
    await expect(sql`update admin_activity_log set reason = 'y'`.execute(store.db)).rejects.toThrow(
      'only takes new rows',
    );
    await expect(sql`delete from admin_activity_log`.execute(store.db)).rejects.toThrow('only takes new rows');
  });
});
