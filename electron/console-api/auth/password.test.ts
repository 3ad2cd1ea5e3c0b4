/** A change of the user's own password: it requires the present one, and takes effect at once (D9, D18). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { deactivateMember } from '../../../agent/ledger/accounts/member-changes.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

const OLD = 'causeway-demo';
const NEW = '새 비밀번호 2026';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole({ seed: 'demo' });
});
afterEach(() => console.close());

const login = (password: string, username = 'operator') =>
  console.ask({ method: 'POST', url: '/api/v1/auth/login', body: { username, password } });
const tokenOf = async (password = OLD, username = 'operator'): Promise<string> =>
  /^causeway_session=([^;]*)/.exec(String((await login(password, username)).headers['set-cookie']))?.[1] ?? '';
const change = (as: string | null, body: object) =>
  console.ask({ method: 'POST', url: '/api/v1/session/password', as, body });
const isLive = async (token: string) =>
  (await console.ask({ method: 'GET', url: '/api/v1/session', as: token })).status === 200;
const right = { currentPassword: OLD, newPassword: NEW };
const hashes = () =>
  console.ledger.all(sqlite.selectFrom('member').select(['username', 'password_hash']).orderBy('username'));
const seq = () => console.actions().at(-1)?.seq ?? 0;

describe('a new password', () => {
  test('takes effect at once, and the old one no longer works', async () => {
    expect((await change(await tokenOf(), right)).status).toBe(200);
    expect((await login(OLD)).body.code).toBe('AUTH4011');
    expect((await login(NEW)).status).toBe(200);
  });

  test('ends every other session of the account, and no other user’s', async () => {
    const [mine, other, third, reviewer] = [
      await tokenOf(),
      await tokenOf(),
      await tokenOf(),
      await tokenOf(OLD, 'reviewer'),
    ];
    expect((await change(mine, right)).status).toBe(200);
    expect(await Promise.all([mine, other, third, reviewer].map(isLive))).toEqual([true, false, false, true]);
  });

  test('leaves one row in the audit log, without a password, visible only to the Tenant Admin', async () => {
    const token = await tokenOf();
    const before = seq();
    await change(token, right);
    expect(console.actions(before)).toMatchObject([
      { action: 'member.password', actor_role: 'OPERATOR', detail: '{"username":"operator","endedSessions":0}' },
    ]);
    const rows = JSON.stringify(console.ledger.all(sqlite.selectFrom('console_action_log').selectAll()));
    expect([rows.includes(OLD), rows.includes(NEW)]).toEqual([false, false]);
    const shown = async (username: string) =>
      JSON.stringify(
        (
          await console.ask({
            method: 'GET',
            url: '/api/v1/audit/actions?action=member.*',
            as: await tokenOf(OLD, username),
          })
        ).result,
      ).includes('member.password');
    expect([await shown('admin'), await shown('reviewer')]).toEqual([true, false]);
  });

  test('is refused if the present one is wrong; the refusal is on record, and all sessions stay', async () => {
    const [mine, other] = [await tokenOf(), await tokenOf()];
    const [before, known] = [seq(), hashes()];
    const { status, body } = await change(mine, { currentPassword: 'something else', newPassword: NEW });
    expect([status, body.code]).toEqual([400, 'COMMON400']);
    expect(body).toMatchObject({ errors: [{ path: 'body.currentPassword' }] });
    expect(console.actions(before)).toMatchObject([{ action: 'member.password-refused' }]);
    expect(hashes()).toEqual(known);
    expect([await isLive(mine), await isLive(other)]).toEqual([true, true]);
  });

  test.for([
    ['short', { currentPassword: OLD, newPassword: '1234567' }, 'body.newPassword'],
    ['too long', { currentPassword: OLD, newPassword: 'x'.repeat(1_001) }, 'body.newPassword'],
    ['blank', { currentPassword: OLD, newPassword: ' '.repeat(12) }, 'body.newPassword'],
    ['the present one', { currentPassword: OLD, newPassword: OLD }, 'body.newPassword'],
    ['the present one, in wide letters', { currentPassword: OLD, newPassword: 'ｃauseway-demo' }, 'body.newPassword'],
    ['the user name, in wide letters', { currentPassword: OLD, newPassword: 'ｏperator' }, 'body.newPassword'],
    ['the user name', { currentPassword: OLD, newPassword: 'OPERATOR' }, 'body.newPassword'],
    ['without the present one', { newPassword: NEW }, 'body.currentPassword'],
    ['of another', { ...right, username: 'admin' }, 'body'],
  ] as const)('that is %s: 400, and nothing has changed', async ([, body, path]) => {
    const token = await tokenOf();
    const [before, known] = [seq(), hashes()];
    const answer = await change(token, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'COMMON400']);
    expect(answer.body).toMatchObject({ errors: [{ path }] });
    expect([seq(), hashes()]).toEqual([before, known]);
  });

  test('of two parallel changes the first counts; the second has an old password', async () => {
    const [first, second] = [await tokenOf(), await tokenOf()];
    const answers = await Promise.all([
      change(first, { currentPassword: OLD, newPassword: 'the first one' }),
      change(second, { currentPassword: OLD, newPassword: 'the second one' }),
    ]);
    // The first change ends the session of the second.
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const logins = [await login('the first one'), await login('the second one'), await login(OLD)];
    expect(logins.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('is not set for a user deactivated while it was verified', async () => {
    const token = await tokenOf();
    const known = hashes();
    const asked = change(token, right);
    await new Promise((resolve) => setImmediate(resolve));
    const id = console.ledger.first(sqlite.selectFrom('member').select('id').where('username', '=', 'operator'))?.id;
    console.ledger.write((tx) =>
      deactivateMember(tx, { id: id ?? '', actor: { kind: 'SYSTEM' }, at: console.now.toISOString() }),
    );
    expect((await asked).status).toBe(401);
    expect(hashes()).toEqual(known);
  });
});

test('in production attempts at the present password are limited', async () => {
  await using production = new TestConsole({ seed: 'demo', production: true });
  const session = await production.ask({
    method: 'POST',
    url: '/api/v1/auth/login',
    body: { username: 'operator', password: OLD },
  });
  const token = /^causeway_session=([^;]*)/.exec(String(session.headers['set-cookie']))?.[1] ?? '';
  const attempt = (currentPassword: string) =>
    production.ask({
      method: 'POST',
      url: '/api/v1/session/password',
      as: token,
      body: { currentPassword, newPassword: NEW },
    });
  for (let at = 0; at < 9; at += 1)
    await production.context.loginLimit?.begin('operator', '127.0.0.1', () => undefined);
  expect((await attempt('wrong')).status).toBe(400);
  expect((await attempt(OLD)).status).toBe(429);
  expect(production.actions().at(-1)).toMatchObject({
    action: 'member.password-refused',
    detail: '{"username":"operator","why":"too many attempts","limit":"name"}',
  });
  production.pass(16 * 60_000);
  expect((await attempt(OLD)).status).toBe(200);
});
