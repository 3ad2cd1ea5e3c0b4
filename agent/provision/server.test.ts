import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemIds } from '../../shared/time/clock.ts';
import { setApprovalNumbering } from '../ledger/serving/approval.ts';
import { addChannel } from '../ledger/serving/channels.ts';
import { explanationId } from '../ledger/explanations/explanations.ts';
import { openLedger, type Ledger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { applyMove } from '../ledger/transitions.ts';
import { publishPolicy } from '../ledger/policy/versions.ts';
import { damagePage, newEntry, receive, testLedger } from '../../test/support/agent/ledger.ts';
import { disclaimerText } from '../screening/policy.ts';
import { SEED_POLICY } from '../screening/seed/seed-policy.ts';
import { refuseUndescribed } from '../../test/support/undescribed.ts';
import { provisionOperations } from './openapi.ts';
import { createProvision } from './server.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const MTS = { authorization: 'Bearer key-mts' };
const SYSTEM = { kind: 'SYSTEM' } as const;
const REVIEWER = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

let ledger: Ledger;
let file: string;
let server: FastifyInstance;
let counted: string[];
let servedIds: string[];
let now: Date;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'key-mts', at: NOW });
    addChannel(tx, { channel: 'WEB', key: 'key-web', at: NOW });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: SYSTEM, at: NOW });
    receive(
      tx,
      newEntry('a', { summary: '지수가 올랐습니다.', content_as_of: '2026-11-20T15:30:00+09:00' }),
      'AUTO_PUBLISHED',
    );
    receive(
      tx,
      newEntry('b', { etf_ticker: '102110', etf_name: 'TIGER 200', summary: '지수가 내렸습니다.' }, { cursor: 2 }),
      'AUTO_PUBLISHED',
    );
    receive(tx, newEntry('w', { etf_ticker: '111111' }, { cursor: 3 }), 'PENDING_REVIEW');
  });
  counted = [];
  writeLock.isHeld = false;
  servedIds = [];
  now = new Date(NOW);
  makeServer();
});
afterEach(() => server.close());
const writeLock = { isHeld: false };
function makeServer(): void {
  server = createProvision({
    ledger,
    traffic: {
      count: (channel, outcome, served) => {
        counted.push(`${channel}:${outcome}`);
        servedIds.push(...served.map(({ id }) => id));
      },
    },
    writeLock,
    clock: { now: () => now },
    ids: systemIds,
    log: pino({ enabled: false }),
  });
  refuseUndescribed(server, OPERATIONS);
}

const OPERATIONS = provisionOperations({ one: z.unknown(), several: z.unknown() });

interface Told {
  status: number;
  body: { isSuccess: boolean; code: string; result?: unknown; errors?: unknown };
  headers: Record<string, unknown>;
}
async function ask(url: string, options: Omit<InjectOptions, 'url'> = {}): Promise<Told> {
  const answer = await server.inject({ method: 'GET', url, headers: MTS, ...options });
  return { status: answer.statusCode, body: answer.json<Told['body']>(), headers: answer.headers };
}
const codeOf = async (url: string, options: Omit<InjectOptions, 'url'> = {}) => (await ask(url, options)).body.code;
const textOf = async (ticker: string): Promise<unknown> =>
  ((await ask(`/v1/explanations/${ticker}`)).body.result as { text?: string } | undefined)?.text;

const PROVIDED = {
  etf_ticker: '069500',
  etf_name: 'KODEX 200',
  trade_date: '2026-11-20',
  explanation_as_of: '2026-11-20T06:30:00.000Z',
  content_as_of: '2026-11-20T15:30:00+09:00',
  text: '지수가 올랐습니다.',
  disclaimer: disclaimerText(SEED_POLICY),
  approval_number: null,
};

test('served texts are counted by explanation, and an answer without a text is not', async () => {
  await ask('/v1/explanations/069500');
  await ask('/v1/explanations?tickers=102110,069500,111111,999999');
  await ask('/v1/explanations/111111');
  await ask('/v1/explanations/069500', { headers: {} });
  expect(servedIds).toEqual([explanationId('a'), explanationId('b'), explanationId('a')]);
});

test('an approved text is served when its hold is over, and not after it has expired', async () => {
  const criteria = { ...SEED_POLICY.criteria, holdSeconds: 20, expiresAt: '18:00' };
  const approve = { id: explanationId('w'), move: 'approve', actor: SYSTEM, at: NOW } as const;
  ledger.write((tx) => {
    publishPolicy(tx, { snapshot: { ...SEED_POLICY, criteria }, changes: [], actor: SYSTEM, at: NOW });
    applyMove(tx, approve);
  });
  const at = async (time: string) => {
    now = new Date(`2026-11-20T${time}+09:00`);
    return (await textOf('111111')) !== undefined;
  };
  expect(await at('17:00:19.999')).toBe(false);
  expect(await at('17:00:20.000')).toBe(true);
  expect(await at('17:59:59.999')).toBe(true);
  expect(await at('18:00:00.000')).toBe(false);
  expect(servedIds).toEqual([approve.id, approve.id]);
});

describe('one ticker', () => {
  test('gives exactly the fields of D57 in the envelope', async () => {
    const answer = await ask('/v1/explanations/069500');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ isSuccess: true, code: 'COMMON200', message: 'OK', result: PROVIDED });
  });
  test('gives the approval number of a text that a person has let out', async () => {
    const actor = REVIEWER;
    const other = openLedger(file);
    other.write((tx) => {
      setApprovalNumbering(tx, { pattern: '제{SEQ}호', validDays: null, next: 5 }, { actor, at: NOW });
      applyMove(tx, { id: explanationId('a'), actor, at: NOW, move: 'correct', editedSummary: '고친 문장입니다.' });
    });
    other.close();
    expect((await ask('/v1/explanations/069500')).body.result).toMatchObject({ approval_number: '제5호' });
  });
  test.each(['111111', '999999', 'a', '%20', '069500%00'])('nothing is exposed for %s', async (ticker) => {
    const answer = await ask(`/v1/explanations/${ticker}`);
    expect([answer.status, answer.body.code, answer.body.result]).toEqual([404, 'COMMON404', undefined]);
  });
  test('the change of a decision, a withdrawal or a scope counts for the next request', async () => {
    const other = openLedger(file);
    const move = (request: Omit<Parameters<typeof applyMove>[1], 'id' | 'actor' | 'at'>) =>
      other.write((tx) => applyMove(tx, { id: explanationId('a'), actor: SYSTEM, at: NOW, ...request }));
    expect(await textOf('069500')).toBe('지수가 올랐습니다.');
    move({ move: 'stop', reason: 'OTHER' });
    expect(await textOf('069500')).toBeUndefined();
    move({ move: 'move-to-review' });
    expect(await textOf('069500')).toBeUndefined();
    move({ move: 'approve-edited', editedSummary: '고친 문장입니다.' });
    expect(await textOf('069500')).toBe('고친 문장입니다.');
    const scope = (enabled: 0 | 1) =>
      other.write((tx) =>
        tx.run(
          sqlite
            .insertInto('serving_scope')
            .values({ scope_type: 'CHANNEL', scope_key: 'MTS', enabled, changed_by: 'x', changed_at: NOW })
            .onConflict((conflict) => conflict.columns(['scope_type', 'scope_key']).doUpdateSet({ enabled })),
        ),
      );
    scope(0);
    expect(await textOf('069500')).toBeUndefined();
    expect(await codeOf('/v1/explanations/069500', { headers: { authorization: 'Bearer key-web' } })).toBe('COMMON200');
    scope(1);
    move({ move: 'invalidate', reason: '정정' });
    expect(await textOf('069500')).toBeUndefined();
    other.close();
  });
});

describe('several tickers', () => {
  test('gives the exposed ones in the requested order, each once', async () => {
    const { body } = await ask('/v1/explanations?tickers=102110,111111,069500,102110');
    expect(body.result).toEqual({
      items: [
        { ...PROVIDED, etf_ticker: '102110', etf_name: 'TIGER 200', text: '지수가 내렸습니다.', content_as_of: null },
        PROVIDED,
      ],
    });
  });
  test('none of them exposed is 404', async () =>
    expect(await codeOf('/v1/explanations?tickers=111111,999999')).toBe('COMMON404'));
  const many = (count: number) => Array.from({ length: count }, (_, i) => String(100_000 + i)).join(',');
  test.each([
    ['an empty list', '/v1/explanations?tickers='],
    ['a hole in the list', '/v1/explanations?tickers=069500,,102110'],
    ['given twice', '/v1/explanations?tickers=069500&tickers=102110'],
    ['given beside a page', '/v1/explanations?tickers=069500&after=102110'],
    ['a misspelt name', '/v1/explanations?tickers=069500&chanel=MTS'],
    ['too many', `/v1/explanations?tickers=${many(101)}`],
    ['too long', `/v1/explanations?tickers=${'1'.repeat(41)}`],
    ['an unknown parameter of one ticker', '/v1/explanations/069500?at=now'],
    ['a ticker that is too long', `/v1/explanations/${'1'.repeat(41)}`],
    ['a ticker that is far too long', `/v1/explanations/${'1'.repeat(2_000)}`],
    ['a path that is no text', '/v1/explanations/%e0%a4'],
  ])('%s is 400', async (_, url) => {
    expect(await codeOf(url)).toBe('COMMON400');
    expect(counted).toEqual(['MTS:BAD_REQUEST']);
  });
  test('a hundred are not too many', async () =>
    expect(await codeOf(`/v1/explanations?tickers=${many(99)},069500`)).toBe('COMMON200'));
  test('a failure names its place', async () => {
    expect((await ask('/v1/explanations?tickers=')).body.errors).toMatchObject([{ path: 'query.tickers.0' }]);
  });
});

describe('the key', () => {
  test.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer key-mt' }],
    ['another scheme', { authorization: 'Basic key-mts' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['two', { authorization: 'Bearer key-mts key-web' }],
    ['one in the wrong place', { 'x-api-key': 'key-mts' }],
  ])('%s is 401, whatever is asked', async (_, headers) => {
    for (const url of [
      '/v1/explanations/069500',
      '/v1/explanations',
      '/elsewhere',
      '/v1/explanations/%e0%a4',
      '/v1/explanations/%00',
    ]) {
      const answer = await ask(url, { headers });
      expect([url, answer.status, answer.body.code]).toEqual([url, 401, 'COMMON401']);
    }
    expect(new Set(counted)).toEqual(new Set([':UNAUTHORIZED']));
    expect(counted).toHaveLength(5);
  });
  test('the scheme may be written in any case', async () => {
    expect(await codeOf('/v1/explanations/069500', { headers: { authorization: 'bearer key-mts' } })).toBe('COMMON200');
  });
});

describe('everything else is refused', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/explanations/069500/evidence'],
    ['GET', '/V1/explanations/069500'],
    ['POST', '/v1/explanations'],
    ['DELETE', '/v1/explanations/069500'],
    ['OPTIONS', '/v1/explanations/069500'],
  ] as const)('%s %s', async (method, url) => expect(await codeOf(url, { method })).toBe('COMMON403'));
});

test('goes on under a policy that was altered past the audit log, and health says so (D199)', async () => {
  const policy = async () => (await ask('/health', { headers: {} })).body.result;
  expect(await policy()).toMatchObject({ status: 'UP', policy: 'AS_RECORDED' });
  const db = new Database(file);
  const guard = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'policy_timing_is_never_updated'").pluck().get();
  db.exec(`DROP TRIGGER policy_timing_is_never_updated; UPDATE policy_timing SET hold_seconds = 7; ${String(guard)}`);
  db.close();
  expect(await policy()).toMatchObject({ status: 'UP', policy: 'ALTERED' });
  expect((await ask('/v1/explanations/069500')).status).toBe(200);
});

test('goes on while another program holds the ledger, and health says so (D201)', async () => {
  writeLock.isHeld = true;
  expect((await ask('/health', { headers: {} })).body.result).toMatchObject({ status: 'UP', ledgerHeld: true });
  expect((await ask('/v1/explanations/069500')).status).toBe(200);
});

describe('a channel that keeps a text with its tag', () => {
  const ONE = '/v1/explanations/069500';
  const tagged = (url: string, tag: unknown, headers: Record<string, string> = MTS) =>
    server.inject({ method: 'GET', url, headers: { ...headers, 'if-none-match': String(tag) } });

  test('gets 304 while it is what is exposed, counted as served, and the same tag by HEAD', async () => {
    for (const url of [ONE, '/v1/explanations?tickers=069500,102110']) {
      const { etag } = (await ask(url)).headers;
      const again = await tagged(url, `"other", W/${String(etag)}`);
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
      expect(again.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'authorization' });
      const head = await server.inject({ method: 'HEAD', url, headers: MTS });
      expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', etag]);
    }
    expect([servedIds.length, counted]).toEqual([9, Array(6).fill('MTS:SERVED')]);
  });

  test('the tag is of the key, the text, the name and the disclaimer; a withdrawn text is 404', async () => {
    const { etag } = (await ask(ONE)).headers;
    for (const tag of ['*', '', '"other"']) expect((await tagged(ONE, tag)).statusCode).toBe(200);
    expect((await tagged(ONE, etag, { authorization: 'Bearer key-web' })).statusCode).toBe(200);
    ledger.write((tx) => {
      const snapshot = { ...SEED_POLICY, disclaimer: { ...SEED_POLICY.disclaimer, text: '다른 고지입니다.' } };
      publishPolicy(tx, { snapshot, changes: [], actor: SYSTEM, at: NOW });
    });
    const after = await tagged(ONE, etag);
    expect([after.statusCode, after.headers['etag'] === etag]).toEqual([200, false]);
    ledger.write((tx) =>
      applyMove(tx, { id: explanationId('a'), actor: REVIEWER, at: NOW, move: 'stop', reason: 'r' }),
    );
    expect((await tagged(ONE, after.headers['etag'])).statusCode).toBe(404);
  });
});

describe('every answer', () => {
  test.each([
    ['/v1/explanations/069500', 'private, no-cache'],
    ['/v1/explanations/999999', 'no-store'],
    ['/v1/explanations', 'private, no-cache'],
    ['/v1/explanations?tickers=', 'no-store'],
    ['/elsewhere', 'no-store'],
    ['/health', 'no-store'],
    ['/v1/explanations/%e0%a4', 'no-store'],
  ])('%s is served again by nobody and has an id', async (url, kept) => {
    for (const headers of [MTS, {}]) {
      const answer = await ask(url, { headers });
      expect(answer.headers).toMatchObject({
        'cache-control': answer.status === 200 ? kept : 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.body).toHaveProperty('isSuccess');
    }
  });
  test('of health is the same for HEAD and OPTIONS', async () => {
    const [got, head, options] = await Promise.all(
      (['GET', 'HEAD', 'OPTIONS'] as const).map((method) => server.inject({ method, url: '/health' })),
    );
    expect([head?.statusCode, head?.body, options?.statusCode, options?.body]).toEqual([200, '', 200, got?.body]);
  });

  test('is counted once by channel and outcome; health is not', async () => {
    await ask('/v1/explanations/069500');
    await ask('/v1/explanations?tickers=069500,102110', { headers: { authorization: 'Bearer key-web' } });
    await ask('/v1/explanations/999999');
    await ask('/v1/explanations?tickers=');
    await ask('/elsewhere');
    await ask('/v1/explanations/069500', { headers: {} });
    await ask('/health', { headers: {} });
    expect(counted).toEqual([
      'MTS:SERVED',
      'WEB:SERVED',
      'MTS:NOT_FOUND',
      'MTS:BAD_REQUEST',
      'MTS:BAD_REQUEST',
      ':UNAUTHORIZED',
    ]);
  });
  test('a fault of the ledger is answered without details', async () => {
    ledger.close();
    const answer = await ask('/v1/explanations/069500');
    expect(answer).toMatchObject({ status: 500, body: { isSuccess: false, code: 'COMMON500' } });
    expect(JSON.stringify(answer.body)).not.toMatch(/sqlite|database|connection/i);
    expect(await codeOf('/health', { headers: {} })).toBe('COMMON500');
    expect(counted).toEqual([':ERROR']);
  });
});

describe('the disclaimer', () => {
  test('is that of the active policy, from the next request on', async () => {
    ledger.write((tx) =>
      publishPolicy(tx, {
        snapshot: { ...SEED_POLICY, disclaimer: { aiNotice: 'AI 고지.', text: '새 문구.' } },
        changes: [],
        actor: SYSTEM,
        at: NOW,
      }),
    );
    expect((await ask('/v1/explanations/069500')).body.result).toMatchObject({ disclaimer: 'AI 고지. 새 문구.' });
  });
  test('is missing while no policy is active: v1 is not exposed, and v2 goes out without one (D61)', async () => {
    await server.close();
    ({ ledger, file } = testLedger());
    ledger.write((tx) => {
      addChannel(tx, { channel: 'MTS', key: 'key-mts', at: NOW });
      receive(tx, newEntry('a'), 'AUTO_PUBLISHED');
      const second = newEntry('b', { etf_ticker: '102110', analysis_engine: 'v2', summary: 'v2 문장' }, { cursor: 2 });
      receive(tx, second, 'AUTO_PUBLISHED');
    });
    makeServer();
    expect(await codeOf('/v1/explanations/069500')).toBe('COMMON404');
    const both = (await ask('/v1/explanations?tickers=069500,102110')).body.result;
    expect(both).toMatchObject({ items: [{ etf_ticker: '102110', text: 'v2 문장', disclaimer: null }] });
    ledger.write((tx) => publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: SYSTEM, at: NOW }));
    expect(await codeOf('/v1/explanations/069500')).toBe('COMMON200');
    expect((await ask('/v1/explanations/102110')).body.result).not.toMatchObject({ disclaimer: null });
  });
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400],
  ['an expectation', 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n', 417],
  ['a head of 100 kB', `GET /health HTTP/1.1\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
])('%s leaves in the envelope with a request id', async (_, text, status) => {
  await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  let said = '';
  for await (const piece of socket.setEncoding('utf8')) said += String(piece);
  expect(said).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-request-id: [\\w-]{36}\r\n[\\s\\S]*"COMMON${status}"`),
  );
});

test('blanks around a ticker are ignored', async () => {
  const { status, body } = await ask('/v1/explanations?tickers=%20069500%20,102110%20');
  expect([status, (body.result as { items: unknown[] }).items.length]).toEqual([200, 2]);
  expect((await ask('/v1/explanations/%20069500%20')).status).toBe(200);
  expect(await codeOf('/v1/explanations?tickers=069500,%20')).toBe('COMMON400');
});

test('an address with endless wrong keys must wait, while its valid keys are still served', async () => {
  const wrong = { headers: { authorization: 'Bearer wrong' } };
  for (let count = 0; count < 100; count += 1) expect(await codeOf('/v1/explanations/069500', wrong)).toBe('COMMON401');
  const { status, headers } = await ask('/v1/explanations/069500', wrong);
  expect([status, headers['retry-after'], counted.at(-1)]).toEqual([429, '900', ':UNAUTHORIZED']);
  expect((await ask('/v1/explanations/069500')).status).toBe(200);
});

test('overwritten pages of the ledger are told as damage, and never as a text that is not exposed', async () => {
  damagePage(file, 'explanation_provided');
  const damaged = { code: 'COMMON503', message: expect.stringContaining('The ledger is damaged') as string };
  expect(await ask('/v1/explanations/069500')).toMatchObject({ status: 503, body: damaged });
  expect(await ask('/v1/explanations?tickers=069500,102110')).toMatchObject({ status: 503, body: damaged });
  damagePage(file, 'channel');
  expect(await ask('/v1/explanations/069500')).toMatchObject({ status: 503, body: damaged });
  expect(counted).toEqual(['MTS:ERROR', 'MTS:ERROR', ':ERROR']);
});
