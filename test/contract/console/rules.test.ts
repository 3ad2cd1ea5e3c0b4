/** The four principles of console API 1 and the four rules of console API 4, each by its name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { endpoint } from '../../../electron/console-api/http/endpoint.ts';
import { checkPolicy, HANDLERS } from '../../../electron/console-api/routes.ts';
import { TestConsole, type Asked } from '../../support/console-api/console.ts';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { MATRIX } from '../../../shared/policy/matrix.ts';
import type { Profile } from '../../../shared/wire/console/console.ts';
import { readExpectedPolicy } from './policy.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
  const at = console.now.toISOString();
  console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'key', at }));
});
afterAll(() => console.close());

const status = async (method: Asked['method'], url: string, as: string, body?: object, of = console) =>
  (await of.ask({ method, url, as, ...(body === undefined ? {} : { body }) })).status;
const ROLES = ['TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'] as const;
const isExposed = (ticker: string) => exposedExplanation(console.ledger, ticker, 'MTS', console.now) !== undefined;

describe('the principles', () => {
  test('1, fail-closed: a function outside the matrix is denied, and a route of such a function is not even served', async () => {
    for (const role of ROLES) {
      expect(await status('POST', '/api/v1/policies', role, {})).toBe(403);
      expect(await status('GET', '/api/v1/settings', role)).toBe(403);
    }
    const rest = Object.fromEntries(Object.entries(MATRIX).filter(([id]) => id !== 'policy.change'));
    expect(() => checkPolicy(CONSOLE_ROUTES, HANDLERS, rest)).toThrow('policy.change, which has no row in the matrix');
  });

  test('2, reading is for all four roles, but users and roles are for the Tenant Admin alone', async () => {
    console.ledger.write((tx) =>
      receive(tx, newEntry('asked', { etf_ticker: 'ASKED' }), 'AUTO_PUBLISHED', console.now.toISOString()),
    );
    const needed: Record<string, string> = {
      '/api/v1/shown/moment': `?ticker=ASKED&at=${console.now.toISOString()}`,
      '/api/v1/scope/effect': '?type=INSTRUMENT&key=ASKED',
      '/api/v1/shown/day': `?ticker=ASKED&date=${kstDate(console.now)}`,
    };
    const reads = readExpectedPolicy().routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    for (const { path } of reads.filter((route) => !/events|openapi/.test(route.path))) {
      for (const role of ROLES) {
        const isRefused = path.startsWith('/api/v1/members') && role !== 'TENANT_ADMIN';
        const url = `${path}${needed[path] ?? ''}`;
        expect([path, role, await status('GET', url, role)]).toEqual([path, role, isRefused ? 403 : 200]);
      }
    }
  });

  test('3, an Operator only reduces exposure', async () => {
    const [moved, stopped] = [
      console.explanation('PUBLISHED', { etf_ticker: 'A' }),
      console.explanation('AUTO_PUBLISHED', { etf_ticker: 'B' }),
    ];
    expect([isExposed('A'), isExposed('B')]).toEqual([true, true]);
    expect(await status('POST', `/api/v1/explanations/${moved}/move-to-review`, 'OPERATOR')).toBe(200);
    expect(await status('POST', `/api/v1/explanations/${stopped}/stop`, 'OPERATOR', { reason: '사유' })).toBe(200);
    expect([isExposed('A'), isExposed('B')]).toEqual([false, false]);
    const granted = readExpectedPolicy().routes.filter(({ method, roles }) => method !== 'GET' && roles.includes('OP'));
    expect(granted.map(({ path }) => path).filter((path) => !/auth|session/.test(path))).toEqual([
      '/api/v1/explanations/{id}/stop',
      '/api/v1/explanations/{id}/move-to-review',
      '/api/v1/bulk/stop',
      '/api/v1/bulk/move-to-review',
    ]);
  });

  test('4, the demo follows the same matrix', async () => {
    await using demo = new TestConsole({ seed: 'demo' });
    const accounts = ['admin', 'reviewer', 'operator', 'viewer'];
    for (const [index, username] of accounts.entries()) {
      const login = await demo.ask({
        method: 'POST',
        url: '/api/v1/auth/login',
        body: { username, password: 'causeway-demo' },
      });
      const as = /causeway_session=([^;]+)/.exec(String(login.headers['set-cookie']))?.[1] ?? '';
      const profile = (of: TestConsole, who: string) =>
        of.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: who });
      const [inDemo, outside] = [await profile(demo, as), await profile(console, ROLES[index] ?? '')];
      expect(inDemo.result.role).toBe(ROLES[index]);
      expect(inDemo.result.permissions).toEqual(outside.result.permissions);
      expect(await status('POST', '/api/v1/review/items/x/approve', as, undefined, demo)).toBe(
        username === 'reviewer' ? 404 : 403,
      );
    }
  });
});

describe('the rules', () => {
  test('1, routes and enforcement match one to one: the server does not start with one too many or too few', () => {
    const extra = { method: 'GET', path: '/api/v1/extra', functionId: 'policy.view' } as const;
    expect(() => checkPolicy([...CONSOLE_ROUTES, extra], HANDLERS, MATRIX)).toThrow('has no handler');
    const handler = endpoint({ summary: 'x', handle: () => undefined });
    expect(() => checkPolicy(CONSOLE_ROUTES, { ...HANDLERS, 'GET /api/v1/extra': handler }, MATRIX)).toThrow(
      'has no route',
    );
    expect(() => checkPolicy(CONSOLE_ROUTES, HANDLERS, MATRIX)).not.toThrow();
  });

  test('2, a surface outside the table is 403 for every session', async () => {
    for (const role of ROLES) {
      for (const [method, url] of [
        ['GET', '/api/v1/explanations/'],
        ['DELETE', '/api/v1/explanations/x'],
        ['PUT', '/api/v1/screening/words'],
        ['POST', '/api/v1/members/x/activate'],
      ] as const) {
        expect([url, await status(method, url, role)]).toEqual([url, 403]);
      }
    }
  });

  test('3, explanations are no way to approve, reject or draft', async () => {
    const id = console.explanation('PENDING_REVIEW', { etf_ticker: 'C' });
    for (const action of ['approve', 'reject', 'draft', 'approve-edited', 'block']) {
      for (const method of ['POST', 'PUT', 'PATCH'] as const) {
        const url = `/api/v1/explanations/${id}/${action}`;
        expect(await status(method, url, 'COMPLIANCE_REVIEWER', { reason: '사유' })).toBe(403);
      }
    }
    expect(isExposed('C')).toBe(false);
  });

  test('4, a Tenant Admin cannot undo a Compliance Reviewer’s exclusion, nor vice versa', async () => {
    console.explanation('PUBLISHED', { etf_ticker: 'D' });
    const stock = '/api/v1/scope/stocks/D/toggle';
    const market = '/api/v1/scope/markets/KRX/toggle';
    expect(await status('POST', stock, 'COMPLIANCE_REVIEWER')).toBe(200);
    expect(await status('POST', stock, 'TENANT_ADMIN')).toBe(403);
    expect(await status('POST', market, 'TENANT_ADMIN')).toBe(200);
    expect(await status('POST', market, 'COMPLIANCE_REVIEWER')).toBe(403);
    expect(await status('POST', market, 'TENANT_ADMIN')).toBe(200);
    expect(isExposed('D')).toBe(false);
    expect(await status('POST', stock, 'COMPLIANCE_REVIEWER')).toBe(200);
    expect(isExposed('D')).toBe(true);
  });
});
