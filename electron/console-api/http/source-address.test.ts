/**
 * The source address of a user's action: on record and in the log, visible only to the Tenant Admin, and never taken
 * from a header of the client.
 */
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proxyAddresses, sourceAddress } from '../../../shared/service/http/source-address.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import type { AuditAction, Page } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let lines: string[];
const log = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(...chunk.toString().trim().split('\n'));
    done();
  },
});
beforeEach(() => {
  lines = [];
  console = new TestConsole({ log, trustedProxies: ['10.9.0.0/16'] });
});
afterEach(() => console.close());

const FORGED = { 'x-forwarded-for': '192.0.2.66' };

/** The address in the newest row of each of these actions. */
async function addresses(as: string, ...actions: string[]): Promise<(string | null | undefined)[]> {
  const of = async (action: string) =>
    (await console.ask<Page<AuditAction>>({ method: 'GET', url: `/api/v1/audit/actions?action=${action}`, as })).result
      .items[0]?.sourceAddress;
  return Promise.all(actions.map(of));
}

async function act(from: string, headers: Record<string, string> = {}): Promise<void> {
  const asked = { from, headers } as const;
  const login = { username: 'nobody', password: 'wrong' };
  await console.ask({ method: 'POST', url: '/api/v1/auth/login', body: login, ...asked });
  await console.ask({ method: 'POST', url: '/api/v1/members', as: 'OPERATOR', body: {}, ...asked });
  const url = `/api/v1/review/items/${console.explanation()}/reject`;
  const as = 'COMPLIANCE_REVIEWER';
  expect((await console.ask({ method: 'POST', url, as, body: { reason: '근거 부족' }, ...asked })).status).toBe(200);
}

const ACTS = ['auth.login-refused', 'access.refused', 'explanation.reject'];

test('logins, refusals and decisions keep their address, with any headers', async () => {
  await act('203.0.113.7', FORGED);
  expect(await addresses('TENANT_ADMIN', ...ACTS)).toEqual(['203.0.113.7', '203.0.113.7', '203.0.113.7']);
  expect(lines.map((line) => JSON.parse(line) as { msg: string; from?: string })).toContainEqual(
    expect.objectContaining({ msg: 'answered', from: '203.0.113.7' }),
  );
  expect(lines.join()).not.toContain('192.0.2.66');
});

test('it is account information: only the Tenant Admin sees it, in lists and in CSV', async () => {
  await act('203.0.113.7');
  for (const role of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'] as const) {
    expect(await addresses(role, 'explanation.reject')).toEqual([null]);
    for (const query of ['', '?language=ko'])
      expect(await csv(role, query)).not.toMatch(/203\.0\.113\.7|sourceAddress|접속 주소/);
  }
  expect(await csv('TENANT_ADMIN', '')).toContain('203.0.113.7');
  expect(await csv('TENANT_ADMIN', '?language=ko')).toMatch(/접속 주소[^]*203\.0\.113\.7/);
});

const csv = async (as: Role, query: string): Promise<string> => {
  const cookie = `causeway_session=${console.session(as)}`;
  const headers = { host: '127.0.0.1', accept: 'text/csv', cookie };
  return (await console.app.inject({ method: 'GET', url: `/api/v1/audit/actions${query}`, headers })).body;
};

test('a configured proxy is trusted, and a client’s own addresses before it are not', async () => {
  await act('10.9.1.1', { 'x-forwarded-for': '192.0.2.66, 203.0.113.9' });
  expect(await addresses('TENANT_ADMIN', ...ACTS)).toEqual(['203.0.113.9', '203.0.113.9', '203.0.113.9']);
  await act('10.9.1.1', { 'x-forwarded-for': '<script>' });
  expect(await addresses('TENANT_ADMIN', 'explanation.reject')).toEqual(['10.9.1.1']);
});

test('an IPv4 address mapped to IPv6 is recorded as IPv4', () => {
  const mapped = { ip: '::ffff:203.0.113.7', socket: { remoteAddress: '::1' } };
  expect(sourceAddress(mapped)).toBe('203.0.113.7');
});

test.for(['10.0.0.1', '10.0.0.0/8, fd00::/8', '::1'])('proxies are addresses or networks: %s', (text) => {
  expect(proxyAddresses(text)).toEqual(text.split(', '));
});

test.for(['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '1.2.3.4/8/9', 'true'])('and nothing else: "%s"', (text) => {
  expect(() => proxyAddresses(text)).toThrow('must be IP addresses or networks');
});
