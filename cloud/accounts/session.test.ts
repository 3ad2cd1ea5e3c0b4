/** Sessions of operators, and their own profile (operator API 4, D9, D22). */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OperatorFixture, outcome } from '../../test/support/cloud/operator-fixture.ts';
import { AT } from '../../test/support/cloud/store.ts';
import { changePassword, createOperator, findSession, logIn, SESSION_LIMITS, setOperatorActive } from './accounts.ts';
import { OPERATOR_ROUTES, type OperatorRoute } from '../../shared/policy/operator-routes.ts';
import { hashPassword, UNMATCHED_HASH, verifyPassword } from '../../shared/service/accounts/passwords.ts';
import { ACCOUNT_RULES } from '../../shared/wire/account-rules.ts';
import { OPERATOR_COOKIE } from './session-cookie.ts';

const { idleMs, absoluteMs } = SESSION_LIMITS;
let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await OperatorFixture.open(undefined, { origin: new URL('https://ops.vendor.example') });
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('sessions', () => {
  test('login sets an HttpOnly, SameSite=Strict cookie and answers the session', async () => {
    const reply = await fixture.ask('POST', '/api/v1/auth/login', {
      body: { username: 'operator', password: 'pass-word' },
    });
    expect(String(reply.headers['set-cookie'])).toMatch(
      new RegExp(`^${OPERATOR_COOKIE}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.result).toEqual({
      authenticated: true,
      role: 'OPERATOR',
      expiresAt: new Date(AT.getTime() + idleMs).toISOString(),
    });
  });

  test('behind a proxy with TLS the cookie is Secure, and only its page may send requests', async () => {
    const logIn = (headers: Record<string, string>) =>
      fixture.ask('POST', '/api/v1/auth/login', { body: { username: 'operator', password: 'pass-word' }, headers });
    const reply = await logIn({ host: 'ops.vendor.example', origin: 'https://ops.vendor.example' });
    expect(outcome(reply)).toBe('200 COMMON200');
    expect(String(reply.headers['set-cookie'])).toMatch(
      /^__Host-causeway_operator=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(reply.headers['strict-transport-security']).toBe('max-age=31536000');
    // The plain cookie name is valid only at the plain address.
    const shown = String(reply.headers['set-cookie']).split(';', 1)[0] ?? '';
    const ask = (cookie: string, headers = { host: 'ops.vendor.example' }) =>
      fixture.ask('GET', '/api/v1/session', { cookie, headers });
    expect((await ask(shown)).status).toBe(200);
    expect((await ask(shown.replace('__Host-', ''))).status).toBe(401);
    for (const headers of [
      { host: 'ops.vendor.example', origin: 'http://ops.vendor.example' },
      { host: 'ops.vendor.example', origin: 'https://evil.example' },
      { host: 'ops.vendor.example:4100' },
      { host: 'other.vendor.example' },
    ])
      expect([headers, outcome(await logIn(headers))]).toEqual([headers, '403 COMMON403']);
  });

  test('a wrong password and an unknown name get the same answer; a malformed body is 400', async () => {
    const wrong = await fixture.ask('POST', '/api/v1/auth/login', { body: { username: 'operator', password: 'x' } });
    const unknown = await fixture.ask('POST', '/api/v1/auth/login', {
      body: { username: 'nobody', password: 'pass-word' },
    });
    expect(wrong.text).toBe(unknown.text);
    expect(outcome(wrong)).toBe('401 AUTH4011');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    for (const body of [
      {},
      { username: 'operator' },
      { username: 1, password: 'x' },
      '{oops',
      [],
      { username: 'operator', password: 'pass-word', extra: 1 },
      ...['\0', '\u0001', '\u007f', '\ud800'].flatMap((sign) => [
        { username: `operator${sign}`, password: 'pass-word' },
        { username: 'operator', password: `pass-word${sign}` },
      ]),
      // Only in a name: the audit log stores it as typed.
      ...['\t', '\n', '\u202e', '\u200b', '\u2028'].map((sign) => ({ username: `op${sign}`, password: 'pass-word' })),
    ]) {
      expect(outcome(await fixture.ask('POST', '/api/v1/auth/login', { body }))).toBe('400 COMMON400');
    }
  });

  test('the session is projected, and logout ends it at once', async () => {
    const cookie = await fixture.logIn();
    expect((await fixture.ask('GET', '/api/v1/session', { cookie })).result).toEqual({
      id: '1',
      username: 'operator',
      displayName: '운영자',
      role: 'OPERATOR',
      outstanding: null,
    });
    expect((await fixture.ask('GET', '/api/v1/auth/session', { cookie })).result).toMatchObject({
      authenticated: true,
    });
    expect((await fixture.ask('POST', '/api/v1/auth/logout', { cookie })).status).toBe(200);
    expect(outcome(await fixture.ask('GET', '/api/v1/session', { cookie }))).toBe('401 COMMON401');
  });

  test('a login ends the session that the browser had before, and a refused one leaves it', async () => {
    const [first, elsewhere] = [await fixture.logIn(), await fixture.logIn()];
    const login = (username: string, password: string) =>
      fixture.ask('POST', '/api/v1/auth/login', { cookie: first, body: { username, password } });
    const statusOf = async (cookie: string) => (await fixture.ask('GET', '/api/v1/session', { cookie })).status;
    expect(outcome(await login('second', 'wrong'))).toBe('401 AUTH4011');
    expect(await statusOf(first)).toBe(200);
    const second = String((await login('second', 'pass-word')).headers['set-cookie']).split(';')[0] ?? '';
    expect([await statusOf(first), await statusOf(elsewhere), await statusOf(second)]).toEqual([401, 200, 200]);
  });

  test('an operator changes the name that the console shows, for every session at once', async () => {
    const [cookie, other] = [await fixture.logIn('second'), await fixture.logIn('second')];
    const rename = (body: unknown) => fixture.ask('PATCH', '/api/v1/session/profile', { cookie, body });
    const reply = await rename({ displayName: '  김 운영 ' });
    expect(reply.result).toEqual({
      id: '2',
      username: 'second',
      displayName: '김 운영',
      role: 'OPERATOR',
      outstanding: null,
    });
    expect((await fixture.ask('GET', '/api/v1/session', { cookie: other })).result).toMatchObject({
      displayName: '김 운영',
    });
    const { rows } = await sql<Record<string, unknown>>`
      select actor, activity_type, reason from admin_activity_log order by position desc limit 1`.execute(
      fixture.store.db,
    );
    expect(rows).toEqual([{ actor: 'second', activity_type: 'OPERATOR_RENAMED', reason: '김 운영' }]);
    for (const displayName of ['', ' \n', 'a\nb', 'a\u202eb', 'x'.repeat(101), 7, null, undefined]) {
      const refused = await rename({ displayName });
      expect([displayName, outcome(refused), refused.errors[0]?.path]).toEqual([
        displayName,
        '400 COMMON400',
        'body.displayName',
      ]);
    }
    expect(outcome(await rename({ displayName: 'a', username: 'b' }))).toBe('400 COMMON400');
    expect((await fixture.ask('GET', '/api/v1/session', { cookie })).result).toMatchObject({ displayName: '김 운영' });
  });

  test('a session ends when it is idle, and after its longest time even in use', async () => {
    const idle = await fixture.logIn();
    fixture.clock.at = new Date(AT.getTime() + idleMs);
    expect((await fixture.ask('GET', '/api/v1/session', { cookie: idle })).status).toBe(401);
    fixture.clock.at = AT;
    const busy = await fixture.logIn();
    let last = 200;
    for (let passed = 0; passed < absoluteMs; passed += idleMs / 2) {
      fixture.clock.at = new Date(AT.getTime() + passed);
      last = (await fixture.ask('GET', '/api/v1/session', { cookie: busy })).status;
      expect(last).toBe(200);
    }
    fixture.clock.at = new Date(AT.getTime() + absoluteMs);
    expect((await fixture.ask('GET', '/api/v1/session', { cookie: busy })).status).toBe(401);
  });

  test('both times are configurable', async () => {
    const { db } = fixture.store;
    const limits = { idleMs: 2_000, absoluteMs: 5_000 };
    const after = (ms: number): Date => new Date(AT.getTime() + ms);
    const open = async (): Promise<string> => {
      const session = await logIn(fixture.store, { username: 'operator', password: 'pass-word' }, AT, limits);
      return 'token' in session ? session.token : '';
    };
    const lives = async (token: string, times: number[]): Promise<boolean[]> => {
      const found: boolean[] = [];
      for (const ms of times) found.push((await findSession(db, token, after(ms), limits)) !== null);
      return found;
    };
    expect(await lives(await open(), [1_900, 3_900])).toEqual([true, false]);
    expect(await lives(await open(), [1_500, 3_000, 4_500, 5_000])).toEqual([true, true, true, false]);
  });

  test('each login, logout and refusal is on record with its address, and a changed log is detected', async () => {
    const cookie = await fixture.logIn();
    await fixture.ask('POST', '/api/v1/auth/logout', { cookie });
    for (const username of ['operator', 'nobody'])
      await fixture.ask('POST', '/api/v1/auth/login', { body: { username, password: 'wrong' } });
    const { rows } = await sql`
      select operator_id, actor, source_address, activity_type, reason from admin_activity_log order by position desc limit 4`.execute(
      fixture.store.db,
    );
    const from = { source_address: '127.0.0.1' };
    const refused = { ...from, operator_id: null, activity_type: 'OPERATOR_LOGIN_REFUSED' };
    expect(rows).toEqual([
      { ...refused, actor: 'nobody', reason: 'unknown user' },
      { ...refused, actor: 'operator', reason: 'wrong password' },
      { ...from, operator_id: 1, actor: 'operator', activity_type: 'OPERATOR_LOGGED_OUT', reason: null },
      { ...from, operator_id: 1, actor: 'operator', activity_type: 'OPERATOR_LOGGED_IN', reason: null },
    ]);
  });

  test('a name with too many failed attempts is refused at that address, on record once, and admitted after the window', async () => {
    const guess = (username: string, password = 'wrong') =>
      fixture.ask('POST', '/api/v1/auth/login', { body: { username, password } });
    const count = async (): Promise<number> => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from admin_activity_log where reason like 'too many attempts%'`.execute(
        fixture.store.db,
      );
      return rows[0]?.n ?? 0;
    };
    fixture.clock.at = new Date(AT.getTime() + 60 * 60_000);
    const before = await count();
    for (let at = 0; at < 8; at += 1) await fixture.parts.loginLimit.begin('second', '127.0.0.1', () => undefined);
    const outcomes = await Promise.all(Array.from({ length: 5 }, async () => outcome(await guess('second'))));
    expect(outcomes.toSorted()).toEqual([
      ...['401 AUTH4011', '401 AUTH4011'],
      ...['429 COMMON429', '429 COMMON429', '429 COMMON429'],
    ]);
    expect(outcome(await guess('second', 'pass-word'))).toBe('429 COMMON429');
    expect((await count()) - before).toBe(1);
    expect((await guess('second')).headers['retry-after']).toBe('900');
    // Another name from there is not affected.
    expect(outcome(await guess('operator', 'pass-word'))).toBe('200 COMMON200');
    fixture.clock.at = new Date(fixture.clock.at.getTime() + 15 * 60_000);
    expect(outcome(await guess('second', 'pass-word'))).toBe('200 COMMON200');
  });

  test('a password set by another person only allows replacing it', async () => {
    fixture.clock.at = new Date(AT.getTime() + 90 * 60_000);
    const temporary = { username: 'temporary', displayName: '임시', password: 'made up here', temporaryPassword: true };
    expect(await createOperator(fixture.store.db, temporary, fixture.clock.at)).toBe(true);
    const login = (password: string) =>
      fixture.ask('POST', '/api/v1/auth/login', { body: { username: 'temporary', password } });
    const cookieOf = async (password: string): Promise<string> =>
      String((await login(password)).headers['set-cookie']).split(';')[0] ?? '';
    const [cookie, other] = [await cookieOf('made up here'), await cookieOf('made up here')];
    for (const route of OPERATOR_ROUTES as readonly OperatorRoute[]) {
      if (route.access === 'public' || route.atLogin === true) continue;
      const reply = await fixture.ask(route.method, route.path.replace('{id}', 'x'), { cookie });
      expect([route.path, outcome(reply)]).toEqual([route.path, '403 AUTH4033']);
    }
    expect((await fixture.ask('GET', '/api/v1/session', { cookie })).result).toMatchObject({ outstanding: 'PASSWORD' });
    const change = (newPassword: string, currentPassword = 'made up here') =>
      fixture.ask('POST', '/api/v1/session/password', { cookie, body: { currentPassword, newPassword } });
    for (const [newPassword, rule] of [
      ['1234567', 'PASSWORD_SHORT'],
      ['made up here', 'PASSWORD_SAME'],
      ['Password1', 'PASSWORD_COMMON'],
      ['Temporary1', 'PASSWORD_IS_USERNAME'],
      ['causeway2026', 'PASSWORD_IS_NAME'],
    ] as const)
      expect((await change(newPassword)).errors).toEqual([{ path: 'body.newPassword', message: ACCOUNT_RULES[rule] }]);
    expect((await change('of my own 1', 'wrong')).errors).toEqual([
      { path: 'body.currentPassword', message: ACCOUNT_RULES.PASSWORD_WRONG },
    ]);
    expect(outcome(await change('of my own 1'))).toBe('200 COMMON200');
    expect(outcome(await fixture.ask('GET', '/api/v1/tenants', { cookie }))).toBe('200 COMMON200');
    expect((await fixture.ask('GET', '/api/v1/session', { cookie })).result).toMatchObject({ outstanding: null });
    expect(outcome(await fixture.ask('GET', '/api/v1/session', { cookie: other }))).toBe('401 COMMON401');
    expect([outcome(await login('made up here')), outcome(await login('of my own 1'))]).toEqual([
      '401 AUTH4011',
      '200 COMMON200',
    ]);
    const { rows } = await sql<{ type: string; reason: string | null }>`
      select activity_type as type, reason from admin_activity_log
      where target_id = 'temporary' and activity_type like 'OPERATOR_PASSWORD%' order by position`.execute(
      fixture.store.db,
    );
    expect(rows).toEqual([
      { type: 'OPERATOR_PASSWORD_REFUSED', reason: 'wrong password' },
      { type: 'OPERATOR_PASSWORD_CHANGED', reason: null },
    ]);
  });

  test('a disabled account has no session any more and is answered like a wrong password', async () => {
    const cookie = await fixture.logIn('second');
    expect(await setOperatorActive(fixture.store.db, 'second', false)).toBe(true);
    expect(outcome(await fixture.ask('GET', '/api/v1/session', { cookie }))).toBe('401 COMMON401');
    const reply = await fixture.ask('POST', '/api/v1/auth/login', {
      body: { username: 'second', password: 'pass-word' },
    });
    expect(outcome(reply)).toBe('401 AUTH4011');
    expect(await setOperatorActive(fixture.store.db, 'second', true)).toBe(true);
    await fixture.logIn('second');
  });

  const setHash = (password_hash: string): Promise<unknown> =>
    fixture.store.db.updateTable('operator_account').set({ password_hash }).where('username', '=', 'second').execute();

  test.each<[string, (held: string) => Promise<unknown>]>([
    [
      'is another one by then',
      (held) => changePassword(fixture.store.db, { operatorId: 2, held, passwordHash: 'another', token: '' }),
    ],
    [
      'is of an account that was kept out and let in again',
      async () => {
        await setOperatorActive(fixture.store.db, 'second', false);
        await setHash('another');
        await setOperatorActive(fixture.store.db, 'second', true);
      },
    ],
  ])('a password that was right when it was looked at opens no session when it %s', async (_what, change) => {
    const { db } = fixture.store;
    const account = db.selectFrom('operator_account').select('password_hash').where('username', '=', 'second');
    const { password_hash: held } = await account.executeTakeFirstOrThrow();
    // One hash is computed at a time: the login has read its account, and waits.
    const busy = Promise.all(Array.from({ length: 12 }, () => verifyPassword('x', UNMATCHED_HASH)));
    const going = logIn(fixture.store, { username: 'second', password: 'pass-word' }, AT);
    await account.execute();
    await change(held);
    expect(await going).toEqual({ refused: 'changed meanwhile' });
    expect(await db.selectFrom('operator_session').selectAll().where('operator_id', '=', 2).execute()).toEqual([]);
    await setHash(held);
    await busy;
  });

  test('passwords are argon2id in PHC form', async () => {
    const hash = await hashPassword('비밀번호');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await verifyPassword('비밀번호', hash)).toBe(true);
    expect(await verifyPassword('비밀번호'.normalize('NFD'), hash)).toBe(true);
    expect(await verifyPassword('other', hash)).toBe(false);
  });
});
