/**
 * The console API as a whole: every route with every role, without a session, and with a deactivated user. The
 * expected answers stand in `policy.txt`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cheapHash } from '../../support/shared/accounts.ts';
import { memberId, TestConsole } from '../../support/console-api/console.ts';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import type { Profile } from '../../../shared/wire/console/console.ts';
import { lineOf, readContract, readExpectedPolicy, SHORT_ROLES, type ShortRole } from './policy.ts';

const { routes, functions } = readExpectedPolicy();
const ROLE: Record<ShortRole, Role> = {
  TA: 'TENANT_ADMIN',
  CR: 'COMPLIANCE_REVIEWER',
  OP: 'OPERATOR',
  RO: 'READ_ONLY',
};

const PASSWORD = 'of all of them';

/** Bodies that pass the schema of each write, so that it misses the object that does not exist. */
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /api/v1/session/profile': { displayName: '이름' },
  'PUT /api/v1/session/views': { screen: 'review', name: '보기', search: '' },
  'POST /api/v1/session/password': { currentPassword: PASSWORD, newPassword: 'long enough 1' },
  'PATCH /api/v1/explanations/{id}/final': { published_summary: '바로잡은 글' },
  'POST /api/v1/explanations/{id}/stop': { reason: '사유' },
  'POST /api/v1/review/items/{id}/approve-edited': { edited_summary: '고친 글' },
  'POST /api/v1/explanations/{id}/unblock': { reason: '사유' },
  'POST /api/v1/review/items/{id}/reject': { reason: '사유' },
  'POST /api/v1/review/items/{id}/block': { reason: '사유' },
  'PUT /api/v1/review/items/{id}/draft': { edited_summary: '글' },
  'POST /api/v1/review/items/{id}/draft/take-over': { draftId: 'somebody' },
  'PUT /api/v1/review/items/{id}/postponement': { postponement: 'HALF_HOUR' },
  'PUT /api/v1/review/items/{id}/hand-over': { to: null },
  'POST /api/v1/bulk/stop': { items: [{ id: '999999', version: 1 }], reason: '사유' },
  'POST /api/v1/bulk/move-to-review': { items: [{ id: '999999', version: 1 }], reason: '사유' },
  'POST /api/v1/bulk/reject': { items: [{ id: '999999', version: 1 }], reason: '사유' },
  'POST /api/v1/bulk/block': { items: [{ id: '999999', version: 1 }], reason: '사유' },
  'POST /api/v1/review/samples/{id}': { outcome: 'FINE' },
  'POST /api/v1/review/blind-reviews/{id}': { outcome: 'reject', reason: '사유' },
  'POST /api/v1/review/items/{id}/dismissals': { wordId: 'word-best', reason: '오탐' },
  'POST /api/v1/review/items/{id}/notes': { text: '메모' },
  'POST /api/v1/review/items/{id}/opinions': { question: '의견을 주세요' },
  'POST /api/v1/review/opinions/{id}/answer': { opinion: 'BLOCK', text: '의견' },
  'POST /api/v1/members': { username: 'another', displayName: '또 하나', role: 'READ_ONLY', password: 'long enough 1' },
  'PATCH /api/v1/members/{id}/role': { role: 'OPERATOR' },
  'POST /api/v1/members/{id}/password': { password: 'long enough 1' },
  'PUT /api/v1/members/second-factor': { reviewers: false },
  'POST /api/v1/session/second-factor/confirm': { code: '000000' },
  'POST /api/v1/screening/words': { word: '새 금지어', severity: 'REVIEW' },
  'PATCH /api/v1/screening/words/{id}': { severity: 'REVIEW' },
  'POST /api/v1/screening/versions': { criteria: { minSources: 4 } },
  'POST /api/v1/screening/versions/{version}/cancel': { reason: '사유' },
  'PATCH /api/v1/screening/criteria': { minSources: 3 },
  'PATCH /api/v1/screening/disclaimer': { disclaimer: '회사의 고지 문구' },
  'POST /api/v1/screening/preview': { criteria: { minSources: 5 } },
  'POST /api/v1/screening/trial': { text: '지수가 올랐습니다.' },
  'POST /api/v1/screening/words/examples': { word: '원금 반환', severity: 'REVIEW' },
  'POST /api/v1/screening/proposals': { criteria: { minSources: 5 } },
  'PUT /api/v1/review/target': { minutes: 240 },
  'PUT /api/v1/review/approval-numbers': { pattern: null, validDays: 365 },
  'PUT /api/v1/scope/stocks/{code}/sector': { sector: '은행' },
  'POST /api/v1/scope/markets/{market}/confirm': { reason: '사유' },
  'POST /api/v1/scope/channels/{channel}/confirm': { reason: '사유' },
  'POST /api/v1/scope/sectors/{sector}/confirm': { reason: '사유' },
  'POST /api/v1/sync/certificate': { certificate: 'PEM' },
  'POST /api/v1/dossiers': { ticker: '069500', from: '2026-11-20', to: '2026-11-20' },
  'POST /api/v1/inspections/counts': { from: '2026-11-20', to: '2026-11-20' },
  'POST /api/v1/inspections': { from: '2026-11-20', to: '2026-11-20', form: 'LIST', language: 'ko' },
};

/** Queries that routes cannot do without. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /api/v1/scope/effect': '?type=INSTRUMENT&key=069500',
  'GET /api/v1/shown/moment': '?ticker=069500&at=2026-11-20T08:00:00Z',
  'GET /api/v1/shown/day': '?ticker=069500&date=2026-11-20',
};

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
  console.explanation();
  const hash = cheapHash(PASSWORD);
  for (const role of Object.values(ROLE)) console.setPassword(memberId(role), hash);
});
afterAll(() => console.close());

async function ask(method: string, route: string, as: string | null): Promise<{ status: number; code: string }> {
  const url = `${route.replaceAll(/\{\w+\}/g, '999999')}${QUERIES[`${method} ${route}`] ?? ''}`;
  const body = BODIES[`${method} ${route}`];
  // A stream has no end to wait for: its head says enough.
  const raw = await console.app.inject({
    method: method as 'GET',
    url,
    headers: {
      host: '127.0.0.1',
      ...(as === null ? {} : { cookie: `causeway_session=${as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    payloadAsStream: true,
  });
  const stream = raw.stream();
  if (route === '/api/v1/events' && raw.statusCode === 200) {
    stream.destroy();
    return { status: 200, code: 'COMMON200' };
  }
  let text = '';
  for await (const part of stream) text += String(part);
  const answer = JSON.parse(text) as { code?: string };
  return { status: raw.statusCode, code: answer.code ?? 'COMMON200' };
}

describe('rule 1: the route table and the enforcement policy match one to one', () => {
  test('the served routes are the ones that were written down', () => {
    expect(CONSOLE_ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });
  test('a route and its row of the matrix name the same roles', () => {
    for (const { functionId, roles, path } of routes) {
      if (functionId === null) continue;
      expect([path, roles]).toEqual([path, functions.find(({ id }) => id === functionId)?.roles]);
    }
  });
});

describe('the permission matrix', () => {
  test.for(SHORT_ROLES)('%s gets its own permissions, and no other', async (role) => {
    const { result } = await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: ROLE[role] });
    expect(result.permissions.toSorted()).toEqual(
      functions
        .filter(({ roles }) => roles.includes(role))
        .map(({ id }) => id)
        .toSorted(),
    );
  });
  test('principle 2: every role may read everything but accounts and roles', () => {
    for (const { method, path, roles } of routes.filter((route) => route.method === 'GET')) {
      expect([method, path, roles]).toEqual([
        method,
        path,
        path.startsWith('/api/v1/members') ? ['TA'] : [...SHORT_ROLES],
      ]);
    }
  });
  test('separation of duties: no role contains another but Read Only, which only reads', () => {
    const granted = (role: ShortRole) => functions.filter(({ roles }) => roles.includes(role)).map(({ id }) => id);
    for (const one of ['TA', 'CR'] as const) {
      for (const other of ['TA', 'CR', 'OP'] as const) {
        if (one === 'CR' && other === 'OP') continue;
        if (one !== other) expect(granted(one)).not.toEqual(expect.arrayContaining(granted(other)));
      }
    }
  });
});

describe('every route with every role', () => {
  for (const { method, path, roles } of routes) {
    if (roles.length === 0) {
      test(`${method} ${path} needs no session, and is the only one that needs none`, async () => {
        const answer = await console.ask({ method, url: path, body: { username: 'nobody', password: 'x' } });
        expect(answer.body.code).toBe('AUTH4011');
        expect(routes.filter((route) => route.roles.length === 0)).toHaveLength(1);
      });
      continue;
    }

    test(`${method} ${path} without a session, with a made-up one, of a deactivated user: 401`, async () => {
      const deactivated = console.session('COMPLIANCE_REVIEWER');
      expect(await ask(method, path, null)).toEqual({ status: 401, code: 'COMMON401' });
      expect(await ask(method, path, 'no-such-session')).toEqual({ status: 401, code: 'COMMON401' });
      console.setMember('COMPLIANCE_REVIEWER', { active: 0 });
      const answer = await ask(method, path, deactivated);
      console.setMember('COMPLIANCE_REVIEWER', { active: 1 });
      expect(answer).toEqual({ status: 401, code: 'COMMON401' });
    });

    for (const role of SHORT_ROLES) {
      if (roles.includes(role)) {
        test(`${method} ${path} as ${role}: let through`, async () => {
          const answer = await ask(method, path, console.session(ROLE[role]));
          // Past the policy and the binding, a missing object is reported as missing.
          if (path.includes('{')) expect(answer).toEqual({ status: 404, code: 'COMMON404' });
          else expect([200, 409]).toContain(answer.status);
        });
      } else {
        test(`${method} ${path} as ${role}: 403, on record, and nothing has changed`, async () => {
          const token = console.session(ROLE[role]);
          const before = console.traces();
          expect(await ask(method, path, token)).toEqual({ status: 403, code: 'COMMON403' });
          const after = console.traces();
          expect([after.history, after.state]).toEqual([before.history, before.state]);
          expect(console.actions(before.actions)).toMatchObject(
            method === 'GET'
              ? []
              : [{ action: 'access.refused', actor_role: ROLE[role], detail: JSON.stringify({ method, path }) }],
          );
        });
      }
    }
  }
});

describe('the written policy agrees with the page of the console API', () => {
  const page = readContract();
  const section = (name: string) =>
    routes
      .filter((route) => route.section.includes(name))
      .map(lineOf)
      .toSorted();
  test('its endpoints', () => {
    expect(page.endpoints.length).toBeGreaterThan(1);
    expect(section('console API 4')).toEqual(page.endpoints.toSorted());
  });
  test('the endpoints of D17', () => {
    expect(page.d17.length).toBeGreaterThan(1);
    expect(section('decision D17')).toEqual(page.d17.toSorted());
  });
  test('its matrix', () => {
    expect(page.matrix.length).toBeGreaterThan(1);
    expect(functions.map(({ id, roles }) => `${id} ${roles.join(' ')}`).toSorted()).toEqual(page.matrix.toSorted());
  });
});
