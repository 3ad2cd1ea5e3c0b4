import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  foreignReason,
  hostAndPort,
  isLoopbackHost,
  isOwnName,
  ownOrigins,
} from '../../../shared/service/http/origins.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

describe('the own names of a server', () => {
  const plain = (host: string, port: number) => ownOrigins({ host, port, names: null });

  test('on loopback, each of its names with the port', () => {
    const { scheme, hosts } = plain('127.0.0.1', 4300);
    expect([scheme, ...hosts]).toEqual(['http', '127.0.0.1:4300', 'localhost:4300', '[::1]:4300']);
    expect(plain('::1', 4300).hosts).toContain('[::1]:4300');
  });

  test('with a certificate, its names and the address, and no other loopback name', () => {
    const { scheme, hosts } = ownOrigins({
      host: '127.0.0.1',
      port: 4300,
      names: ['Console.firm.example', '2001:db8::1'],
    });
    expect([scheme, ...hosts]).toEqual(['https', '127.0.0.1:4300', 'console.firm.example:4300', '[2001:db8::1]:4300']);
    expect([...ownOrigins({ host: '0.0.0.0', port: 4300, names: ['console.firm.example'] }).hosts]).toEqual([
      'console.firm.example:4300',
    ]);
  });

  test('without the port where browsers leave it out', () => {
    expect(plain('127.0.0.1', 80).hosts).toContain('localhost');
    expect(plain('127.0.0.1', 443).hosts).not.toContain('localhost');
    expect(ownOrigins({ host: '0.0.0.0', port: 443, names: ['a.example'] }).hosts).toContain('a.example');
  });

  test('a server for programs checks only the name, because a tunnel has its own port', () => {
    const plain = { host: '127.0.0.1', names: null };
    expect(['127.0.0.1:9', 'LOCALHOST', '[::1]:4200'].every((host) => isOwnName(host, plain))).toBe(true);
    for (const host of [
      undefined,
      '',
      'evil.example',
      'localhost.evil.example',
      '10.0.0.1',
      'localhost:',
      '[::1',
      'a@localhost',
    ])
      expect([host, isOwnName(host, plain)]).toEqual([host, false]);
    const named = { host: '0.0.0.0', names: ['relay.dmz.example'] };
    expect(isOwnName('relay.dmz.example:4200', named)).toBe(true);
    expect(['0.0.0.0', 'localhost:4200', '127.0.0.1'].some((host) => isOwnName(host, named))).toBe(false);
  });

  test('loopback is an address, not a part of a name', () => {
    expect(['127.0.0.1', '127.8.9.1', '::1', 'localhost'].every(isLoopbackHost)).toBe(true);
    expect(['localhost.evil.example', '127.0.0.1.evil.example', '0.0.0.0', '10.0.0.1'].some(isLoopbackHost)).toBe(
      false,
    );
    expect(hostAndPort({ host: '::1', port: 1 })).toBe('[::1]:1');
  });

  test('a request needs a Host of ours, and an Origin of ours if it has one', () => {
    const own = ownOrigins({ host: '127.0.0.1', port: 4300, names: null });
    const reason = (host?: string, origin?: string) =>
      foreignReason({ ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }, own);
    expect(reason('127.0.0.1:4300')).toBeNull();
    expect(reason('LocalHost:4300', 'http://127.0.0.1:4300')).toBeNull();
    for (const host of [
      undefined,
      '',
      '127.0.0.1',
      '127.0.0.1:4301',
      'evil.example:4300',
      'localhost.evil.example:4300',
    ]) {
      expect(reason(host)).not.toBeNull();
    }
    for (const origin of [
      'null',
      '',
      'https://127.0.0.1:4300',
      'http://127.0.0.1:5173',
      'http://evil.example',
      'http://localhost:4300.evil.example',
      'http://localhost:4300/',
    ]) {
      expect(reason('127.0.0.1:4300', origin)).not.toBeNull();
    }
  });
});

describe('through the server', () => {
  let console: TestConsole;
  beforeAll(() => {
    console = new TestConsole({ pages: 'built' });
  });
  afterAll(() => console.close());

  test.for([
    ['a name that was pointed at us', { host: 'evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://localhost:5173' }],
    ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a browser that says same-site', { 'sec-fetch-site': 'same-site' }],
  ] as const)('%s is refused, login and writes included, and nothing happens', async ([, headers]) => {
    const id = console.explanation('PUBLISHED');
    const before = console.traces();
    const asked = [
      { method: 'POST', url: '/api/v1/auth/login', body: { username: 'a', password: 'b' } },
      { method: 'POST', url: `/api/v1/explanations/${id}/stop`, as: 'OPERATOR', body: { reason: '사유' } },
      { method: 'GET', url: '/api/v1/explanations', as: 'OPERATOR' },
    ] as const;
    for (const one of asked) {
      const answer = await console.ask({ ...one, headers });
      expect([answer.status, answer.body.code]).toEqual([403, 'COMMON403']);
    }
    expect(console.traces()).toEqual(before);
  });

  test('in production, a login from a foreign origin or in another form is in the log and not in the audit log', async () => {
    const lines: string[] = [];
    const log = new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) });
    await using production = new TestConsole({ production: true, log });
    const before = production.traces();
    const login = { method: 'POST', url: '/api/v1/auth/login' } as const;
    const answers = [
      await production.ask({
        ...login,
        body: { username: 'a', password: 'b' },
        headers: { origin: 'https://evil.example' },
      }),
      await production.ask({ ...login, body: { username: 5 } }),
      await production.ask({ ...login, body: { username: 'a', password: 'b', role: 'TENANT_ADMIN' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 400]);
    expect(production.traces()).toEqual(before);
    const logged = lines.map((line) => JSON.parse(line) as { reqId?: string; status?: number });
    for (const { status, headers } of answers) {
      expect(logged).toContainEqual(expect.objectContaining({ status, reqId: headers['x-request-id'] }));
    }
  });

  test('the page is refused under a foreign name too, but may be opened by a link', async () => {
    const page = (headers: Record<string, string>) =>
      console.app.inject({ method: 'GET', url: '/', headers: { host: '127.0.0.1', ...headers } });
    expect((await page({ host: 'evil.example' })).statusCode).toBe(403);
    expect((await page({ 'sec-fetch-site': 'cross-site' })).statusCode).toBe(200);
  });

  test('our own page is served', async () => {
    for (const headers of [
      { origin: 'http://127.0.0.1' },
      { 'sec-fetch-site': 'same-origin' },
      // An address that a person typed or opened from a bookmark.
      { 'sec-fetch-site': 'none' },
      { host: 'localhost:80' },
    ] as const) {
      expect((await console.ask({ method: 'GET', url: '/api/v1/explanations', as: 'OPERATOR', headers })).status).toBe(
        200,
      );
    }
  });
});
