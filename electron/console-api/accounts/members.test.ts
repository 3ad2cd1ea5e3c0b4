/** Users and roles (console API 4 and 5, D18). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import type { ConsoleMember, Page, SessionState } from '../../../shared/wire/console/console.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import { memberId, TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const ask = <T = ConsoleMember>(method: Asked['method'], url: string, body?: unknown, as = 'TENANT_ADMIN') =>
  console.ask<T>({ method, url: `/api/v1/members${url}`, as, ...(body === undefined ? {} : { body }) });
const NEW = { username: 'kim.cr', displayName: '김심사', role: 'COMPLIANCE_REVIEWER', password: 'eight or more' };

describe('a user', () => {
  test('is registered, logs in, and is listed without any trace of the password', async () => {
    const before = console.actions().length;
    const { result } = await ask('POST', '', NEW);
    expect(result).toEqual({
      id: expect.any(String) as string,
      username: 'kim.cr',
      displayName: '김심사',
      role: 'COMPLIANCE_REVIEWER',
      active: true,
      createdAt: console.now.toISOString(),
      lastLoginAt: null,
      version: 1,
      temporaryPassword: true,
      secondFactor: false,
    });
    const login = await console.ask<SessionState>({
      method: 'POST',
      url: '/api/v1/auth/login',
      body: { username: 'kim.cr', password: NEW.password },
    });
    expect(login.result.role).toBe('COMPLIANCE_REVIEWER');
    const { result: page } = await ask<Page<ConsoleMember>>('GET', '?size=100');
    expect(page).toMatchObject({ total: 5, page: 1, size: 100 });
    expect(page.items.find(({ username }) => username === 'kim.cr')?.lastLoginAt).toBe(console.now.toISOString());
    expect(JSON.stringify(page)).not.toContain('argon2');
    expect(JSON.stringify(console.actions(before))).not.toContain(NEW.password);
    expect(console.actions(before).map(({ action }) => action)).toEqual(['member.register', 'auth.login']);
  });

  test('with a name already taken, in any case: 409', async () => {
    await ask('POST', '', NEW);
    const before = console.traces();
    expect(await ask('POST', '', { ...NEW, username: 'KIM.CR' })).toMatchObject({
      status: 409,
      body: { errors: [{ path: 'body.username', message: ACCOUNT_RULES.USERNAME_TAKEN }] },
    });
    expect(console.traces()).toEqual(before);
  });

  test('with a display name already taken, in any spelling, also by a deactivated user: 409', async () => {
    await ask('POST', '', NEW);
    await ask('POST', `/${memberId('READ_ONLY')}/deactivate`);
    for (const displayName of ['김심사', '김 심사', '이름 READ_ONLY']) {
      const before = console.traces();
      expect(await ask('POST', '', { ...NEW, username: 'another', displayName })).toMatchObject({
        status: 409,
        body: { errors: [{ path: 'body.displayName', message: ACCOUNT_RULES.NAME_TAKEN }] },
      });
      expect(console.traces()).toEqual(before);
    }
  });

  test.for([
    { username: '' },
    { username: 'a b' },
    { username: 'кim' },
    { username: '.x' },
    { displayName: 'SYSTEM' },
    { displayName: '' },
    { role: 'ADMIN' },
    { password: 'short' },
    { username: 'eightormore', password: 'EightOrMore' },
    { username: 'eightormore', password: 'ｅightormore' },
    { active: true },
  ])('that cannot be one is refused: %j', async (change) => {
    expect((await ask('POST', '', { ...NEW, ...change })).status).toBe(400);
  });
});

describe('a role', () => {
  test('is granted by another user, on record, and counts from the next request on', async () => {
    const token = console.session('OPERATOR');
    const before = console.actions().length;
    const { result } = await ask('PATCH', `/${memberId('OPERATOR')}/role`, { role: 'COMPLIANCE_REVIEWER' });
    expect(result).toMatchObject({ role: 'COMPLIANCE_REVIEWER', version: 2 });
    expect(console.actions(before)).toMatchObject([
      {
        action: 'member.role',
        actor_role: 'TENANT_ADMIN',
        target_id: memberId('OPERATOR'),
        detail: JSON.stringify({ username: 'operator', from: 'OPERATOR', to: 'COMPLIANCE_REVIEWER' }),
      },
    ]);
    const id = console.explanation();
    const approved = await console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/approve`, as: token });
    expect(approved.status).toBe(200);
  });

  test('of the caller’s own account cannot be changed: 403 AUTH4031', async () => {
    const before = console.actions().length;
    const answer = await ask('PATCH', `/${memberId('TENANT_ADMIN')}/role`, { role: 'COMPLIANCE_REVIEWER' });
    expect([answer.status, answer.body.code]).toEqual([403, 'AUTH4031']);
    expect(console.actions(before)).toMatchObject([{ action: 'access.refused', actor_role: 'TENANT_ADMIN' }]);
  });

  test('equal to the present one leaves no trace; an unknown role: 400; an unknown user: 404', async () => {
    const before = console.traces();
    expect((await ask('PATCH', `/${memberId('OPERATOR')}/role`, { role: 'OPERATOR' })).status).toBe(200);
    expect((await ask('PATCH', `/${memberId('OPERATOR')}/role`, { role: 'KING' })).status).toBe(400);
    expect((await ask('PATCH', '/nobody/role', { role: 'OPERATOR' })).status).toBe(404);
    expect(console.traces()).toEqual(before);
  });
});

describe('a deactivated user', () => {
  test('is logged out at once, in every session, and stays in the list', async () => {
    const tokens = [console.session('OPERATOR'), console.session('OPERATOR')];
    const { result } = await ask('POST', `/${memberId('OPERATOR')}/deactivate`);
    expect(result).toMatchObject({ active: false, version: 2 });
    for (const as of tokens) {
      expect((await console.ask({ method: 'GET', url: '/api/v1/session', as })).status).toBe(401);
    }
    expect(console.ledger.all(sqlite.selectFrom('session').select('member_id'))).not.toContainEqual({
      member_id: memberId('OPERATOR'),
    });
    expect((await ask('POST', `/${memberId('OPERATOR')}/deactivate`)).status).toBe(409);
    expect((await ask('PATCH', `/${memberId('OPERATOR')}/role`, { role: 'READ_ONLY' })).status).toBe(409);
    expect((await ask<Page<ConsoleMember>>('GET', '')).result.items.map(({ active }) => active)).toContain(false);
  });

  test('is never the caller: 403, on record', async () => {
    const before = console.actions().length;
    const answer = await ask('POST', `/${memberId('TENANT_ADMIN')}/deactivate`);
    expect([answer.status, answer.body.code]).toEqual([403, 'COMMON403']);
    expect(console.actions(before)).toMatchObject([{ action: 'access.refused', actor_role: 'TENANT_ADMIN' }]);
  });
});

test('a change needs the version that was read', async () => {
  const url = `/api/v1/members/${memberId('OPERATOR')}/role`;
  const change = (role: string, version: string) =>
    console.ask({ method: 'PATCH', url, as: 'TENANT_ADMIN', body: { role }, headers: { 'if-match': version } });
  expect((await change('READ_ONLY', '"1"')).status).toBe(200);
  expect((await change('OPERATOR', '"1"')).body).toMatchObject({
    code: 'COMMON412',
    errors: [{ path: 'version', message: '2' }],
  });
});
