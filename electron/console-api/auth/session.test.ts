import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessionKey } from '../../../agent/ledger/accounts/sessions.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import type { Profile, SessionState } from '../../../shared/wire/console/console.ts';
import { TestConsole, LIMITS } from '../../../test/support/console-api/console.ts';

const PASSWORD = 'causeway-demo';
const login = (username: string, password: string) =>
  ({ method: 'POST', url: '/api/v1/auth/login', body: { username, password } }) as const;

function cookieOf(headers: Record<string, unknown>): string {
  const header = headers['set-cookie'];
  return String(Array.isArray(header) ? header[0] : header);
}
const tokenOf = (headers: Record<string, unknown>): string =>
  /^causeway_session=([^;]*)/.exec(cookieOf(headers))?.[1] ?? '';

describe('login', () => {
  let console: TestConsole;
  const logged: string[] = [];
  beforeAll(() => {
    const log = new Writable({
      write: (chunk, _encoding, done) => {
        logged.push(String(chunk));
        done();
      },
    });
    console = new TestConsole({ seed: 'demo', log });
  });
  afterAll(() => console.close());

  test('sets a cookie that no script can read and no other site can send, and returns the role', async () => {
    const before = console.actions().length;
    const answer = await console.ask<SessionState>(login('reviewer', PASSWORD));
    expect(answer.result).toEqual({
      authenticated: true,
      role: 'COMPLIANCE_REVIEWER',
      expiresAt: '2026-11-20T09:30:00.000Z',
    });
    expect(cookieOf(answer.headers)).toMatch(/^causeway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(console.actions(before)).toMatchObject([
      { action: 'auth.login', actor: '준법심사자', actor_role: 'COMPLIANCE_REVIEWER' },
    ]);
    const session = await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: tokenOf(answer.headers) });
    expect(session.result).toMatchObject({
      username: 'reviewer',
      displayName: '준법심사자',
      role: 'COMPLIANCE_REVIEWER',
    });
    expect(session.result.permissions).toContain('review.decide');
    const found = console.ledger.first(
      sqlite.selectFrom('member').select('last_login_at').where('username', '=', 'reviewer'),
    );
    expect(found?.last_login_at).toBe(console.now.toISOString());
  });

  test('the ledger and the log hold neither password nor token', async () => {
    const answer = await console.ask(login('admin', PASSWORD));
    const rows = JSON.stringify([console.actions(), console.ledger.all(sqlite.selectFrom('session').selectAll())]);
    for (const secret of [PASSWORD, tokenOf(answer.headers)]) {
      expect(rows).not.toContain(secret);
      expect(logged.join('')).not.toContain(secret);
    }
    expect(logged.join('')).toContain('/api/v1/auth/login');
  });

  test('a wrong password, an unknown user and a deactivated one get the same answer, and go on record', async () => {
    console.ledger.write((tx) =>
      tx.run(sqlite.updateTable('member').set({ active: 0 }).where('username', '=', 'viewer')),
    );
    const before = console.actions().length;
    const answers = [
      await console.ask(login('reviewer', 'wrong')),
      await console.ask(login('nobody', PASSWORD)),
      await console.ask(login('viewer', PASSWORD)),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ isSuccess: false, code: 'AUTH4011', message: 'Wrong user name or password.' });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect(console.actions(before).map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
      ['auth.login-refused', 'reviewer', '{"why":"wrong password"}'],
      ['auth.login-refused', 'nobody', '{"why":"unknown user"}'],
      ['auth.login-refused', 'viewer', '{"why":"deactivated"}'],
    ]);
  });

  test.for(['\0', '\u0001', '\u001f', '\u007f', '\u009f', '\ud800'])(
    'a control character is refused: %j',
    async (sign) => {
      const before = console.actions().length;
      for (const asked of [login(`reviewer${sign}`, PASSWORD), login('reviewer', `${PASSWORD}${sign}`)])
        expect(await console.ask(asked)).toMatchObject({ status: 400, body: { code: 'COMMON400' } });
      for (const sign of ['\t', '\n', '\r', '\u202e', '\u200b', '\u2028'])
        expect((await console.ask(login(`reviewer${sign}`, PASSWORD))).status).toBe(400);
      expect(console.actions(before)).toEqual([]);
    },
  );

  test('a new login in the same browser ends the earlier session', async () => {
    const first = tokenOf((await console.ask(login('reviewer', PASSWORD))).headers);
    const second = tokenOf((await console.ask({ ...login('operator', PASSWORD), as: first })).headers);
    expect((await console.ask({ method: 'GET', url: '/api/v1/session', as: first })).status).toBe(401);
    expect((await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: second })).result.role).toBe(
      'OPERATOR',
    );
  });
});

test('the cookie requires encrypted connections only where others could listen', async () => {
  await using console = new TestConsole({ seed: 'demo', host: '192.0.2.7' });
  const answer = await console.ask({ ...login('admin', PASSWORD), headers: { host: '192.0.2.7' } });
  expect(answer.status).toBe(200);
  expect(cookieOf(answer.headers)).toContain('; Secure');
});

describe('a session', () => {
  let console: TestConsole;
  beforeAll(() => {
    console = new TestConsole();
  });
  afterAll(() => console.close());
  const state = (as: string) => console.ask<SessionState>({ method: 'GET', url: '/api/v1/auth/session', as });

  test('ends with the logout, which clears the cookie', async () => {
    const token = console.session('OPERATOR');
    const before = console.actions().length;
    const answer = await console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: token });
    expect(answer.body).toEqual({
      isSuccess: true,
      code: 'COMMON200',
      message: 'OK',
      result: { signOutUrl: null },
    });
    expect(cookieOf(answer.headers)).toMatch(/^causeway_session=; .*HttpOnly; SameSite=Strict/);
    expect((await state(token)).status).toBe(401);
    expect(console.actions(before)).toMatchObject([{ action: 'auth.logout', actor_role: 'OPERATOR' }]);
  });

  test('has the member’s role at the time of the request', async () => {
    const token = console.session('READ_ONLY');
    expect((await state(token)).result.role).toBe('READ_ONLY');
    console.setMember('READ_ONLY', { role: 'OPERATOR' });
    expect((await state(token)).result.role).toBe('OPERATOR');
    console.setMember('READ_ONLY', { role: 'READ_ONLY' });
  });

  test('of a former reviewer can no longer decide', async () => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    console.setMember('COMPLIANCE_REVIEWER', { role: 'TENANT_ADMIN' });
    const answer = await console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/approve`, as: token });
    console.setMember('COMPLIANCE_REVIEWER', { role: 'COMPLIANCE_REVIEWER' });
    expect(answer.status).toBe(403);
  });

  test('that somebody has written into the file decides nothing', async () => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    console.ledger.write((tx) =>
      tx.run(sqlite.updateTable('session').set({ proof: null }).where('token_hash', '=', sessionKey(token))),
    );
    const before = console.actions().length;
    const answer = await console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/approve`, as: token });
    expect([answer.status, answer.body.code, console.actions(before)]).toEqual([401, 'COMMON401', []]);
  });

  test('ends after the idle time, which every request renews', async () => {
    const token = console.session('READ_ONLY');
    console.pass(LIMITS.idleMs - 60_000);
    expect((await state(token)).result.expiresAt).toBe(new Date(console.now.getTime() + LIMITS.idleMs).toISOString());
    console.pass(LIMITS.idleMs - 1);
    expect((await state(token)).status).toBe(200);
    console.pass(LIMITS.idleMs);
    expect((await state(token)).status).toBe(401);
  });

  test('ends after the idle time despite automatic requests of a screen', async () => {
    const token = console.session('READ_ONLY');
    const byItself = (url: string) =>
      console.ask({ method: 'GET', url, as: token, headers: { 'x-causeway-automatic': '1' } });
    for (let minute = 0; minute < 29; minute += 1) {
      console.pass(60_000);
      expect((await byItself('/api/v1/explanations')).status).toBe(200);
    }
    expect((await byItself('/api/v1/auth/session')).result).toMatchObject({
      expiresAt: new Date(console.now.getTime() + 60_000).toISOString(),
    });
    console.pass(60_000);
    expect((await byItself('/api/v1/explanations')).status).toBe(401);
  });

  test('is renewed by a user’s action between two such requests', async () => {
    const token = console.session('READ_ONLY');
    console.pass(LIMITS.idleMs - 60_000);
    await state(token);
    console.pass(120_000);
    const answer = await console.ask({
      method: 'GET',
      url: '/api/v1/session',
      as: token,
      headers: { 'x-causeway-automatic': '1' },
    });
    expect(answer.status).toBe(200);
  });

  test('ends after the absolute time despite constant use', async () => {
    const token = console.session('READ_ONLY');
    const end = console.now.getTime() + LIMITS.absoluteMs;
    while (console.now.getTime() + 20 * 60_000 < end) {
      console.pass(20 * 60_000);
      expect((await state(token)).status).toBe(200);
    }
    expect((await state(token)).result.expiresAt).toBe(new Date(end).toISOString());
    console.pass(end - console.now.getTime());
    expect((await state(token)).status).toBe(401);
  });

  test('is updated at most once a minute', async () => {
    const token = console.session('READ_ONLY');
    const seen = () =>
      console.ledger.all(sqlite.selectFrom('session').select('last_seen_at').orderBy('created_at', 'desc')).at(0)
        ?.last_seen_at;
    const first = seen();
    console.pass(59_999);
    await state(token);
    expect(seen()).toBe(first);
    console.pass(1);
    await state(token);
    expect(seen()).toBe(console.now.toISOString());
  });
});

test('with a short idle time lasts while it is in use', async () => {
  await using console = new TestConsole();
  console.context.limits = { ...LIMITS, idleMs: 30_000 };
  const token = console.session('READ_ONLY');
  const use = async () => (await console.ask({ method: 'GET', url: '/api/v1/session', as: token })).status;
  for (let seconds = 0; seconds < 120; seconds += 20) {
    console.pass(20_000);
    expect(await use()).toBe(200);
  }
  console.pass(30_000);
  expect(await use()).toBe(401);
});

describe('the profile', () => {
  let console: TestConsole;
  beforeAll(() => {
    console = new TestConsole();
  });
  afterAll(() => console.close());
  const rename = (displayName: unknown) =>
    console.ask<Profile>({ method: 'PATCH', url: '/api/v1/session/profile', as: 'OPERATOR', body: { displayName } });

  test('changes the display name, on record', async () => {
    const before = console.actions().length;
    const answer = await rename('김 운영');
    expect(answer.result).toMatchObject({ displayName: '김 운영', role: 'OPERATOR' });
    expect(console.actions(before)).toMatchObject([
      { action: 'profile.rename', detail: JSON.stringify({ from: '이름 operator', to: '김 운영' }) },
    ]);
    expect(
      (await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: 'OPERATOR' })).result.displayName,
    ).toBe('김 운영');
  });

  test.for([
    ...['', '  ', ' 이름', 'System', 'ＳＹＳＴＥＭ', 'S Y S T E M', 'ЅYSTEM', 'command (root)', 'Кim', 'Kim Αri'],
    ...['ab\u200bc', 'x\u202ey', 'a\nb', 'x'.repeat(101), 5, null],
  ])('refuses a name that could mislead or cannot be shown: %j', async (displayName) => {
    const before = console.traces();
    const answer = await rename(displayName);
    expect([answer.status, answer.body.code]).toEqual([400, 'COMMON400']);
    expect(answer.body).toHaveProperty('errors.0.path', 'body.displayName');
    expect(console.traces()).toEqual(before);
  });

  test.for(['이름 read_only', '이름read_only', '이름 ＲＥＡＤ＿ｏｎｌｙ', '이름 read_only'.normalize('NFD')])(
    'refuses a name that looks like that of another account: %j',
    async (displayName) => {
      const before = console.traces();
      expect((await rename(displayName)).status).toBe(409);
      expect(console.traces()).toEqual(before);
    },
  );

  test('refuses a name that another account has given up: that account’s actions stay on record under it', async () => {
    const of = (as: string, displayName: string) =>
      console.ask({ method: 'PATCH', url: '/api/v1/session/profile', as, body: { displayName } });
    const reviewer = console.session('COMPLIANCE_REVIEWER');
    for (const name of ['김 준법', '이 준법']) expect((await of(reviewer, name)).status).toBe(200);
    expect((await rename('김준법')).status).toBe(409);
    expect((await of(reviewer, '김 준법')).status).toBe(200);
  });

  test.for(['Kim 준법 金', 'Иван', 'Ёлка 준법'])(
    'takes a name of letters that cannot be mistaken: %s',
    async (name) => {
      expect((await rename(name)).status).toBe(200);
    },
  );

  test('accepts its own name in another spelling', async () => {
    expect((await rename('이름  OPERATOR')).status).toBe(200);
  });

  test('accepts no other field: no user can grant themselves a role', async () => {
    const answer = await console.ask({
      method: 'PATCH',
      url: '/api/v1/session/profile',
      as: 'OPERATOR',
      body: { displayName: 'x', role: 'TENANT_ADMIN' },
    });
    expect(answer.status).toBe(400);
    expect((await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as: 'OPERATOR' })).result.role).toBe(
      'OPERATOR',
    );
  });
});
