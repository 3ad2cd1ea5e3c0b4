/**
 * D6 on all three listeners: the check of the caller precedes everything else of a request, and a path outside the
 * listener's surfaces is refused in any spelling.
 */
import type { AddressInfo } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { BUNDLE_PATH } from '../../shared/wire/bundle-endpoint.ts';
import { createEngineDoor, LOADS_PATH } from '../ingest/server.ts';
import { addOperator } from '../../test/support/cloud/operators.ts';
import { createOperatorServer } from '../operator/server.ts';
import { OPERATOR_COOKIE } from '../accounts/session-cookie.ts';
import { certificateFacts, issueClient, issueServer, makeAuthority } from '../pki/certificates.ts';
import { registerCertificate } from '../pki/registry.ts';
import type { Store } from '../store/open.ts';
import { createSyncServer } from '../sync/server.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { sendRaw, type RawAnswer } from '../../test/support/cloud/raw-http.ts';
import { syncParts } from '../../test/support/cloud/sync-parts.ts';
import { addTenants, AT, postgresKind } from '../../test/support/cloud/store.ts';

const TOKEN = 'engine-token';
const NOW = new Date();
const YEAR = { from: NOW, days: 365 };
let store: Store;
const servers: FastifyInstance[] = [];
type Name = 'sync' | 'operator' | 'engine';
/** Sends one request to a listener, with or without the caller's credentials. */
const senders: Partial<Record<Name, (request: string, known: boolean) => Promise<RawAnswer>>> = {};

beforeAll(async () => {
  ({ store } = await (await postgresKind()).open());
  const parts = { store, clock: new SetClock(NOW), ids: systemIds, log: false as const };
  await addTenants(store, 1);
  const authority = await makeAuthority('test CA', YEAR);
  const tenant = await issueClient(authority, 'tenant 1', YEAR);
  await registerCertificate(store.db, 1, certificateFacts(tenant.cert), NOW);
  const tls = { ...(await issueServer(authority, ['127.0.0.1'], YEAR)), clientCa: authority.cert };
  const sync = createSyncServer({ ...parts, ...syncParts(store), tls });
  const engine = createEngineDoor({ ...parts, token: TOKEN });
  await addOperator(store.db, { username: 'operator', displayName: '운영자', password: 'pass-word' }, AT);
  const operator = await createOperatorServer({ ...parts, listenHost: '127.0.0.1', consoleFolder: '/nowhere' });
  const login = { username: 'operator', password: 'pass-word' };
  servers.push(sync, engine, operator);
  const ports = await Promise.all(
    servers.map(async (server) => {
      await server.listen({ host: '127.0.0.1', port: 0 });
      return (server.server.address() as AddressInfo).port;
    }),
  );
  const [syncPort = 0, enginePort = 0, operatorPort = 0] = ports;
  const answer = await operator.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: { host: `127.0.0.1:${operatorPort}` },
    payload: login,
  });
  const session = answer.cookies.find(({ name }) => name === OPERATOR_COOKIE)?.value ?? '';
  const withHeaders = (request: string, headers: string[]): string =>
    request.replace('\r\n', `\r\n${['connection: close', ...headers].join('\r\n')}\r\n`);
  senders.sync = (request, known) => {
    const shown: ConnectionOptions = known ? { cert: tenant.cert, key: tenant.key } : {};
    return sendRaw(syncPort, withHeaders(request, ['host: x']), { ca: authority.cert, ...shown });
  };
  senders.engine = (request, known) =>
    sendRaw(enginePort, withHeaders(request, ['host: x', ...(known ? [`authorization: Bearer ${TOKEN}`] : [])]));
  senders.operator = (request, known) => {
    const cookie = known ? [`cookie: other=1; ${OPERATOR_COOKIE}=${session}`] : [];
    return sendRaw(operatorPort, withHeaders(request, [`host: 127.0.0.1:${operatorPort}`, ...cookie]));
  };
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await store.close();
});

const bare = (method: string, target: string): string => `${method} ${target} HTTP/1.1\r\n\r\n`;
const withBody = (method: string, target: string, type: string, body: string): string =>
  `${method} ${target} HTTP/1.1\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const send = (name: Name, request: string, known: boolean): Promise<RawAnswer> => {
  const sender = senders[name];
  if (sender === undefined) throw new Error(name);
  return sender(request, known);
};

const LISTENERS = [
  { name: 'sync', surface: BUNDLE_PATH, stranger: '401 SYNC4011' },
  { name: 'operator', surface: '/api/v1/analyses', stranger: '401 COMMON401' },
  { name: 'engine', surface: LOADS_PATH, stranger: '401 COMMON401' },
] as const;

describe.each(LISTENERS)('the $name listener', ({ name, surface, stranger }) => {
  const outcome = ({ status, code }: RawAnswer): string => `${status} ${code}`;

  test.each([
    ['a path that cannot be decoded', bare('GET', '/%zz')],
    ['one below the surface', bare('PUT', `${surface}/%c3%28`)],
    ['one with a body', withBody('POST', '/%', 'application/json', '{oops')],
    ['an unknown path', bare('GET', '/nowhere')],
    ['the health of another listener', bare('GET', '/health')],
    ['an unknown path with broken JSON', withBody('POST', '/nowhere', 'application/json', '{oops')],
    ['an unknown path with an unknown media type', withBody('PUT', '/nowhere', 'text/yaml', 'a: 1')],
    ['an unknown path with a large body', withBody('POST', '/nowhere', 'application/json', `"${'x'.repeat(70_000)}"`)],
    ['a trailing slash', bare('GET', `${surface}/`)],
    ['a double slash', bare('GET', `/${surface}`)],
    ['a double slash inside', bare('GET', surface.replace('/v1/', '/v1//'))],
    ['an encoded slash', bare('GET', surface.replace('/v1/', '/v1%2F'))],
    ['upper case', bare('GET', surface.toUpperCase())],
    ['dots', bare('GET', surface.replace('/v1/', '/v1/./'))],
    ['a path parameter', bare('GET', `${surface};x=1`)],
    ['a target with scheme and host', bare('GET', `http://x${surface}x`)],
    ['DELETE', bare('DELETE', surface)],
    ['PATCH with broken JSON', withBody('PATCH', surface, 'application/json', '{')],
    ['OPTIONS', bare('OPTIONS', surface)],
    ['OPTIONS of everything', bare('OPTIONS', '*')],
    ['TRACE', bare('TRACE', surface)],
    ['PROPFIND', bare('PROPFIND', surface)],
    ['QUERY', bare('QUERY', surface)],
  ])('%s: 401 for a stranger, 403 for a caller with a session', async (_what, request) => {
    expect(outcome(await send(name, request, false))).toBe(stranger);
    expect(outcome(await send(name, request, true))).toBe('403 COMMON403');
  });

  test('HEAD is refused without a body', async () => {
    expect(await send(name, bare('HEAD', surface), false)).toMatchObject({ status: 401, code: '', body: '' });
    expect(await send(name, bare('HEAD', surface), true)).toMatchObject({ status: 403, code: '', body: '' });
  });

  test.each([
    ['a head of 100 kB', `GET / HTTP/1.1\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`, '431 COMMON431'],
    ['an expectation', 'GET / HTTP/1.1\r\nexpect: x\r\n\r\n', '417 COMMON417'],
    ['a method that HTTP does not know', bare('HACK', surface), '400 COMMON400'],
  ])('%s is no request, and gets its envelope and an id', async (_what, request, expected) => {
    const answer = await send(name, request, true);
    expect(outcome(answer)).toBe(expected);
    expect(answer.requestId).toMatch(/^[\w-]{36}$/);
  });
});

test.each([
  ['operator', '/api/v1/analyses/x/invalidate', 'application/json', '{oops', '400 COMMON400'],
  ['operator', '/api/v1/analyses/x/invalidate', 'text/yaml', 'a: 1', '415 COMMON415'],
  ['operator', '/api/v1/analyses/x/invalidate', 'text/plain', '{}', '415 COMMON415'],
  ['operator', '/api/v1/analyses/x/invalidate', 'application/json', `"${'x'.repeat(70_000)}"`, '413 COMMON413'],
  ['engine', LOADS_PATH, 'application/x-ndjson', '', '400 COMMON400'],
] as const)('%s %s, known and not: a body is looked at after the session', async (name, path, type, body, expected) => {
  const outcome = ({ status, code }: RawAnswer): string => `${status} ${code}`;
  expect(outcome(await send(name, withBody('POST', path, type, body), false))).toBe('401 COMMON401');
  expect(outcome(await send(name, withBody('POST', path, type, body), true))).toBe(expected);
});

test('the longest valid id of a load is found by its path', async () => {
  const path = `/api/v1/analyses/${encodeURIComponent('한'.repeat(200))}/invalidate`;
  const answer = await send('operator', withBody('POST', path, 'application/json', '{"reason":"x"}'), true);
  expect(answer.code).toBe('COMMON404');
});

test('an undecodable id is refused after session and policy, and an overlong one names no object', async () => {
  const outcome = async (request: string, known: boolean): Promise<string> => {
    const { status, code } = await send('operator', request, known);
    return `${status} ${code}`;
  };
  for (const request of [
    bare('GET', '/api/v1/analyses/%zz?x=1'),
    withBody('POST', '/api/v1/analyses/%c3%28/invalidate', 'application/json', '{"reason":"x"}'),
  ]) {
    expect(await outcome(request, false)).toBe('401 COMMON401');
    expect(await outcome(request, true)).toBe('400 COMMON400');
  }
  for (const length of [201, 2_401, 12_000])
    expect(await outcome(bare('GET', `/api/v1/analyses/${'a'.repeat(length)}`), true)).toBe('404 COMMON404');
});
