/** A route outside the policy is refused in every spelling (console API 1, D6), over a real socket. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConsoleApiService } from '../service.ts';
import { isExactly, routableTarget, UNROUTABLE } from './paths.ts';
import { startService } from '../../../test/support/console-api/service.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let service: ConsoleApiService;
beforeAll(async () => {
  // The console's own server is not used here: it provides the ledger and the sessions.
  console = new TestConsole();
  service = await startService({ ledger: console.file, clock: { now: () => console.now } });
});
afterAll(async () => {
  await service.stop();
  await console.close();
});

/** Sends bytes unchanged and reads the answer to its end. */
async function send(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
  const [head = '', body = ''] = answer.split(/\r\n\r\n/);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body };
}

function request(method: string, target: string, token: string | null, body = ''): string {
  return [
    `${method} ${target} HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    'Connection: close',
    ...(token === null ? [] : [`Cookie: causeway_session=${token}`]),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');
}

const ID = 'no-such-id';
const OUTSIDE: [method: string, target: string][] = [
  // methods
  ['HEAD', '/api/v1/explanations'],
  ['OPTIONS', '/api/v1/explanations'],
  ['OPTIONS', '*'],
  ['DELETE', `/api/v1/explanations/${ID}`],
  ['PUT', '/api/v1/session/profile'],
  ['POST', '/api/v1/explanations'],
  ['POST', '/api/v1/explanations/status-counts'],
  ['GET', '/api/v1/auth/login'],
  ['TRACE', '/api/v1/session'],
  ['PROPFIND', '/api/v1/session'],
  ['SEARCH', '/api/v1/explanations'],
  // paths
  ['GET', '/api/v1/explanations/'],
  ['GET', '//api/v1/explanations'],
  ['GET', '/api//v1/explanations'],
  ['GET', '/api/v1//explanations'],
  ['GET', '/API/v1/explanations'],
  ['GET', '/api/v1/Explanations'],
  ['GET', '/%61pi/v1/explanations'],
  ['GET', '/api%2Fv1%2Fexplanations'],
  ['GET', `/api/v1/explanations%2F${ID}`],
  ['GET', `/api/v1/explanations/a%2F${ID}`],
  ['GET', '/api/v1/explanations/a%5Cb'],
  ['GET', '/api/v1/explanations/..'],
  ['GET', '/api/v1/explanations/%2e%2e'],
  ['GET', '/api/v1/explanations/%2e'],
  ['GET', '/api/v1/explanations/%'],
  ['GET', '/api/v1/explanations/%zz'],
  ['GET', '/api/v1/explanations/%ff'],
  ['GET', '/api/v1/explanations#x'],
  ['GET', '/api/v1/explanations;x=1'],
  ['GET', `/api/v1/explanations/${'a'.repeat(201)}`],
  ['GET', '/api/v1/explanations/x/y'],
  ['GET', '/api/v1/session/profile'],
  ['GET', '/api/v1'],
  ['GET', '/api'],
  ['GET', '/api/v2/explanations'],
  ['GET', 'http://127.0.0.1/api/v1/explanations'],
  ['GET', '/nothing'],
  ['GET', '/-/unroutable'],
  // former surfaces (console API 4, rule 3)
  ['POST', `/api/v1/explanations/${ID}/approve`],
  ['POST', `/api/v1/explanations/${ID}/reject`],
  ['POST', `/api/v1/explanations/${ID}/draft`],
  // attempts to bypass a refusal
  ['POST', `/api/v1/review/items/${ID}/approve/`],
  ['POST', `/api/v1/review/items/${ID}/Approve`],
  ['POST', '/api/v1/auth/login/'],
  ['POST', '/api/v1/auth/logi%6E'],
];

describe('a surface outside the policy', () => {
  test.for(OUTSIDE)('%s %s: 401 without a session, 403 with one', async ([method, target]) => {
    const stranger = await send(request(method, target, null));
    expect(stranger.status).toBe(401);
    const member = await send(request(method, target, console.session('TENANT_ADMIN')));
    expect(member.status).toBe(403);
    for (const { head } of [stranger, member]) expect(head).toMatch(/^x-request-id: [\w-]{36}\r?$/im);
    if (method !== 'HEAD') {
      expect(JSON.parse(stranger.body)).toMatchObject({ isSuccess: false, code: 'COMMON401' });
      expect(JSON.parse(member.body)).toMatchObject({ isSuccess: false, code: 'COMMON403' });
    }
  });

  test('is refused before its body is read', async () => {
    const answer = await send(request('POST', '/api/v1/nothing', console.session('OPERATOR'), '{ no json'));
    expect(answer.status).toBe(403);
  });

  test('a write to it goes on record, with its path and never with its query', async () => {
    const before = console.actions().length;
    await send(request('POST', '/api/v1/policy?token=abc', console.session('OPERATOR'), '{}'));
    expect(console.actions(before)).toMatchObject([
      { action: 'access.refused', actor_role: 'OPERATOR', detail: '{"method":"POST","path":"/api/v1/policy"}' },
    ]);
  });
});

test('refused writes of one session cannot fill the log: beyond the limit they are 429, until the window is over', async () => {
  const token = console.session('READ_ONLY');
  const write = () => send(request('POST', '/api/v1/nothing', token, '{}'));
  const before = console.actions().length;
  for (let count = 0; count < 30; count += 1) expect((await write()).status).toBe(403);
  const refused = await write();
  expect([refused.status, /^retry-after: (\d+)\r?$/im.exec(refused.head)?.[1]]).toEqual([429, '900']);
  expect(console.actions(before)).toHaveLength(30);
  expect((await send(request('POST', '/api/v1/nothing', console.session('READ_ONLY'), '{}'))).status).toBe(403);
  expect((await send(request('GET', '/api/v1/explanations', token))).status).toBe(200);
});

test('the same path in its right spelling is served', async () => {
  expect((await send(request('GET', '/api/v1/explanations', console.session('READ_ONLY')))).status).toBe(200);
  expect((await send(request('GET', '/api/v1/explanations?page=1', console.session('READ_ONLY')))).status).toBe(200);
  expect(
    (await send(request('GET', '/api/v1/explanations/%EC%84%A4%EB%AA%85', console.session('READ_ONLY')))).status,
  ).toBe(404);
});

test('an id with control characters does not bind', async () => {
  expect((await send(request('GET', '/api/v1/explanations/a%00b', console.session('READ_ONLY')))).status).toBe(400);
});

describe('malformed HTTP', () => {
  test.for([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header without a name', `GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n`, 400],
    ['no Host', 'GET /api/v1/session HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['HTTP/1.0 without Host', 'GET /api/v1/session HTTP/1.0\r\n\r\n', 403],
    [
      'two lengths',
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      400,
    ],
    ['a header of 100 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n', 417],
  ] as const)('%s is answered without harm', async ([, text, status]) => {
    const answer = await send(text);
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/^x-request-id: [\w-]{36}\r?$/im);
    expect(JSON.parse(answer.body)).toMatchObject({ isSuccess: false, code: `COMMON${status}` });
    expect(answer.head + answer.body).not.toMatch(/\bat \S+:\d+|node:/);
    expect((await send(request('GET', '/api/v1/session', null))).status).toBe(401);
  });
});

test('a path is matched literally', () => {
  expect(isExactly('/api/v1/explanations/{id}', '/api/v1/explanations/Ab_-1')).toBe(true);
  expect(isExactly('/api/v1/explanations/{id}', '/api/v1/explanations/')).toBe(false);
  expect(isExactly('/api/v1/explanations/{id}/stop', '/api/v1/explanations/x/stop/')).toBe(false);
  expect(routableTarget('/a?b=%zz')).toBe('/a?b=%zz');
  expect(routableTarget(`/${'a/'.repeat(2_000)}`)).toBe(UNROUTABLE);
});
