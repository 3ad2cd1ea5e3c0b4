/** With a password that an administrator has set, a user can do nothing but change it (D18). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../../shared/policy/console-routes.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import type { ConsoleMember, Profile } from '../../../shared/wire/console/console.ts';
import { memberId, TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const GIVEN = 'given by the admin';
const OWN = 'of my own 2026';
const register = (password = GIVEN) =>
  console.ask<ConsoleMember>({
    method: 'POST',
    url: '/api/v1/members',
    as: 'TENANT_ADMIN',
    body: { username: 'kim.cr', displayName: '김심사', role: 'COMPLIANCE_REVIEWER', password },
  });
const tokenOf = async (password: string): Promise<string> => {
  const { headers } = await console.ask({
    method: 'POST',
    url: '/api/v1/auth/login',
    body: { username: 'kim.cr', password },
  });
  return /^causeway_session=([^;]*)/.exec(String(headers['set-cookie']))?.[1] ?? '';
};
const profile = (as: string) => console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as });
const change = (as: string, currentPassword: string, newPassword: string) =>
  console.ask({ method: 'POST', url: '/api/v1/session/password', as, body: { currentPassword, newPassword } });
const queue = async (as: string) => (await console.ask({ method: 'GET', url: '/api/v1/review/items', as })).body.code;
const actions = () => console.actions().map(({ action }) => action);

describe('a registered user', () => {
  test('can do nothing before the first change, on any route of the policy', async () => {
    expect((await register()).result.temporaryPassword).toBe(true);
    const token = await tokenOf(GIVEN);
    const asked = (CONSOLE_ROUTES as readonly ConsoleRoute[]).filter(({ functionId }) => functionId !== 'public');
    const answers: [string, string][] = [];
    for (const route of asked.filter(({ atLogin }) => atLogin !== true)) {
      const url = route.path.replaceAll(/\{\w+\}/g, 'x');
      answers.push([route.path, (await console.ask({ method: route.method, url, as: token })).body.code]);
    }
    expect(answers.filter(([, code]) => !['AUTH4033', 'COMMON403'].includes(code))).toEqual([]);
    expect(Object.fromEntries(answers)).toMatchObject({
      '/api/v1/review/items/{id}/approve': 'AUTH4033',
      '/api/v1/events': 'AUTH4033',
      '/api/v1/audit/actions': 'AUTH4033',
      '/api/v1/members': 'COMMON403',
    });
    expect((await profile(token)).result).toMatchObject({ outstanding: 'PASSWORD', username: 'kim.cr' });
    expect(asked.filter(({ atLogin }) => atLogin === true).map(({ path }) => path)).toEqual([
      '/api/v1/auth/logout',
      '/api/v1/auth/session',
      '/api/v1/session',
      '/api/v1/session/password',
      '/api/v1/session/second-factor',
      '/api/v1/session/second-factor/confirm',
    ]);
  });

  test('continues in the same session after it, on record', async () => {
    await register();
    const token = await tokenOf(GIVEN);
    expect((await change(token, GIVEN, OWN)).status).toBe(200);
    expect([await queue(token), (await profile(token)).result.outstanding]).toEqual(['COMMON200', null]);
    expect(actions()).toEqual(['policy.publish', 'member.register', 'auth.login', 'member.password']);
    expect(await queue(await tokenOf(OWN))).toBe('COMMON200');
  });

  test('cannot avoid it by a logout, or by choosing the same password again', async () => {
    await register();
    const token = await tokenOf(GIVEN);
    expect((await change(token, GIVEN, GIVEN)).body).toMatchObject({
      errors: [{ path: 'body.newPassword', message: ACCOUNT_RULES.PASSWORD_SAME }],
    });
    await console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: token });
    expect(await queue(await tokenOf(GIVEN))).toBe('AUTH4033');
  });
});

describe('an administrator’s reset', () => {
  const reset = (id: string, password: string, version?: number) =>
    console.ask<ConsoleMember>({
      method: 'POST',
      url: `/api/v1/members/${id}/password`,
      as: 'TENANT_ADMIN',
      body: { password },
      ...(version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }),
    });

  test('ends the sessions, and the next login requires another password', async () => {
    const { id } = (await register()).result;
    const token = await tokenOf(GIVEN);
    await change(token, GIVEN, OWN);
    const { status, result } = await reset(id, 'given once more', 1);
    expect([status, result]).toMatchObject([200, { version: 2, temporaryPassword: true }]);
    expect((await profile(token)).status).toBe(401);
    expect(await tokenOf(OWN)).toBe('');
    expect(await queue(await tokenOf('given once more'))).toBe('AUTH4033');
    expect(console.actions().find(({ action }) => action === 'member.password-reset')).toMatchObject({
      actor_role: 'TENANT_ADMIN',
      target_id: id,
      detail: '{"username":"kim.cr"}',
    });
    expect(JSON.stringify(console.actions())).not.toContain('given');
  });

  test('needs another user, the version that was read, and a user with a password', async () => {
    const { id } = (await register()).result;
    expect((await reset(memberId('TENANT_ADMIN'), 'long enough 1')).body.code).toBe('COMMON403');
    expect((await reset(id, 'long enough 1', 7)).status).toBe(412);
    expect((await reset('nobody', 'long enough 1')).status).toBe(404);
    await console.ask({ method: 'POST', url: `/api/v1/members/${id}/deactivate`, as: 'TENANT_ADMIN' });
    expect((await reset(id, 'long enough 1')).status).toBe(409);
  });

  test.for([
    ['1234567', 'PASSWORD_SHORT'],
    ['Password1', 'PASSWORD_COMMON'],
    ['KIM.CR-2026', 'PASSWORD_IS_USERNAME'],
    ['Causeway', 'PASSWORD_IS_NAME'],
    ['한국증권 2026', 'PASSWORD_IS_NAME'],
  ] as const)('and a registration refuse %s', async ([password, rule]) => {
    const { id } = (await register()).result;
    const before = console.actions().length;
    const refusal = { status: 400, body: { errors: [{ path: 'body.password', message: ACCOUNT_RULES[rule] }] } };
    expect(await reset(id, password)).toMatchObject(refusal);
    expect(await register(password)).toMatchObject(refusal);
    expect(console.actions()).toHaveLength(before);
  });
});
