/**
 * Single sign-on (D21) against a real OpenID provider over TLS: admitted people and their roles, the session, and every
 * untrustworthy input of a person, a page or a provider.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { ssoSettings, SSO_VARIABLES, type SsoSettings } from '../../../electron/console-api/context/sso-settings.ts';
import { memberId, TestConsole, type Answer } from '../../support/console-api/console.ts';
import { readVariables } from '../../../shared/service/variables.ts';
import type { Profile, SessionState } from '../../../shared/wire/console/console.ts';
import type { SignedOut, SignInBegun } from '../../../shared/wire/console/session.ts';
import type { Failure } from '../../../shared/wire/envelope.ts';
import { CLIENT, OpenIdProvider, type BentToken } from '../../support/openid-provider.ts';
import { makeAuthority } from '../../support/pki.ts';
import { TestFixture } from '../../support/process.ts';

const fixture = new TestFixture();
const REDIRECT = 'http://127.0.0.1:49152/sso/callback';
let provider: OpenIdProvider;
let variables: Record<string, string>;
let console: TestConsole;

beforeAll(async () => {
  provider = await OpenIdProvider.open(await makeAuthority());
  const folder = fixture.folder('sso');
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  variables = {
    CAUSEWAY_CONSOLE_SSO_ISSUER: provider.issuer,
    CAUSEWAY_CONSOLE_SSO_CLIENT_ID: CLIENT.id,
    CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE: file('secret', `${CLIENT.secret}\n`),
    CAUSEWAY_CONSOLE_SSO_CA: file('ca.pem', provider.ca),
    CAUSEWAY_CONSOLE_SSO_TENANT_ADMIN: 'cw-admin',
    CAUSEWAY_CONSOLE_SSO_COMPLIANCE_REVIEWER: 'cw-compliance',
    CAUSEWAY_CONSOLE_SSO_OPERATOR: 'cw-operator',
    CAUSEWAY_CONSOLE_SSO_LABEL: '사내 계정',
  };
  console = new TestConsole({ sso: settings() });
});
afterAll(async () => {
  await console.close();
  await provider.end();
  await fixture.clear();
});
beforeEach(() => {
  provider.person = { sub: 'u-1', roles: ['cw-compliance'], name: '김 심사', preferred_username: 'kim' };
  provider.bend = null;
});

function settings(changes: Record<string, string> = {}): SsoSettings {
  const read = ssoSettings(readVariables(SSO_VARIABLES, { ...variables, ...changes }));
  if (read === null) throw new TypeError('single sign-on is off');
  return read;
}

/** A person's window: the cookies of one browser. */
class Window {
  readonly cookies = new Map<string, string>();
  readonly #at: TestConsole;
  constructor(at: TestConsole = console) {
    this.#at = at;
  }

  async login<T>(body: object): Promise<Answer<T>> {
    return this.#ask<T>('/api/v1/auth/login', body);
  }

  async logout(): Promise<Answer<SignedOut>> {
    return this.#ask('/api/v1/auth/logout', undefined);
  }

  profile(): Promise<Answer<Profile>> {
    const as = this.cookies.get('causeway_session') ?? 'none';
    return this.#at.ask<Profile>({ method: 'GET', url: '/api/v1/session', as });
  }

  /** Follows the browser to its return from the provider; returns the query that it brings. */
  async toProvider(): Promise<string> {
    const begun = await this.login<SignInBegun>({ method: 'SSO_BEGIN', redirectUri: REDIRECT });
    expect(begun.status).toBe(200);
    return provider.signIn(begun.result.authorizationUrl);
  }

  finish(returned: string): Promise<Answer<SessionState>> {
    return this.login<SessionState>({ method: 'SSO_FINISH', returned });
  }

  async signIn(): Promise<Answer<SessionState>> {
    return this.finish(await this.toProvider());
  }

  async #ask<T>(url: string, body: object | undefined): Promise<Answer<T>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#at.ask<T>({
      method: 'POST',
      url,
      headers: { cookie },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return answer;
  }
}

/** Code and reason of the failure, from the answer. */
const why = (answer: Answer): string => {
  const failure = answer.body as Failure;
  return `${failure.code} ${failure.errors?.find(({ path: place }) => place === 'reason')?.message ?? ''}`.trim();
};

describe('a sign-in', () => {
  test('the claim gives the role, and the session is one like any other', async () => {
    const before = console.actions().length;
    const window = new Window();
    const query = await window.toProvider();
    const answer = await window.finish(query);
    expect(answer.result).toEqual({
      authenticated: true,
      role: 'COMPLIANCE_REVIEWER',
      expiresAt: '2026-11-20T09:30:00.000Z',
    });
    expect([answer.headers['set-cookie'] ?? []].flat().find((line) => line.startsWith('causeway_session='))).toMatch(
      /^causeway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const { result } = await window.profile();
    expect(result).toMatchObject({ username: 'kim', displayName: '김 심사', role: 'COMPLIANCE_REVIEWER' });
    expect(result.permissions).toContain('review.decide');
    expect(result.permissions).not.toContain('session.password');
    expect(console.actions(before).map(({ action, actor }) => [action, actor])).toEqual([
      ['member.register', 'SYSTEM'],
      ['member.link', 'SYSTEM'],
      ['auth.login', '김 심사'],
    ]);
    const password = await console.ask({
      method: 'POST',
      url: '/api/v1/session/password',
      as: window.cookies.get('causeway_session') ?? '',
      body: { currentPassword: 'x', newPassword: 'long enough 1' },
    });
    expect(password.status).toBe(409);
    const kept = JSON.stringify([
      console.ledger.all(
        sqlite.selectFrom('session').select(['token_hash', 'member_id']).where('member_id', '=', result.id),
      ),
      console.actions(before),
    ]);
    for (const secret of [...new URLSearchParams(query).values(), ...window.cookies.values()].filter(
      (one) => one !== provider.issuer && one !== '',
    ))
      expect(kept).not.toContain(secret);
  });

  test('the same person is the same member, in the role that the provider gives now, in every session at once', async () => {
    const [first, second] = [new Window(), new Window()];
    await first.signIn();
    const { id } = (await first.profile()).result;
    provider.person = { sub: 'u-1', roles: ['cw-operator', 'something else'], preferred_username: 'renamed' };
    expect((await second.signIn()).result.role).toBe('OPERATOR');
    expect((await second.profile()).result).toMatchObject({ id, username: 'kim', role: 'OPERATOR' });
    expect((await first.profile()).result.role).toBe('OPERATOR');
  });

  test('a person with the name of a local account does not get that account', async () => {
    provider.person = { sub: 'u-2', roles: 'cw-operator', preferred_username: 'READ_only' };
    const window = new Window();
    await window.signIn();
    expect((await window.profile()).result.username).toMatch(/^READ_only-[0-9a-f]{12}$/);
    expect((await window.profile()).result.id).not.toBe(memberId('READ_ONLY'));
  });

  test('a nested claim, and one that only the user info has', async () => {
    const nested = settings({ CAUSEWAY_CONSOLE_SSO_ROLE_CLAIM: 'realm_access.roles' });
    await using other = new TestConsole({ sso: nested });
    provider.person = { sub: 'u-1', realm_access: { roles: ['cw-admin'] } };
    provider.bend = ({ claims }) => delete claims['realm_access'];
    expect((await new Window(other).signIn()).result.role).toBe('TENANT_ADMIN');
  });

  test.each([
    ['no role', { roles: ['unknown'] }, 'AUTH4032 NO_ROLE'],
    ['no claim', {}, 'AUTH4032 NO_ROLE'],
    [
      'a claim that is told elsewhere',
      { _claim_names: { roles: 'src1' }, _claim_sources: { src1: { endpoint: 'https://groups.example' } } },
      'AUTH4032 GROUPS_LEFT_OUT',
    ],
    ['a claim that is no text', { roles: { 'cw-admin': true } }, 'AUTH4032 NO_ROLE'],
    ['two roles', { roles: ['cw-admin', 'cw-compliance'] }, 'AUTH4032 SEVERAL_ROLES'],
  ])('%s: refused, on record, and what was open is closed', async (_name, claims, expected) => {
    const open = new Window();
    await open.signIn();
    const before = console.actions().length;
    provider.person = { sub: 'u-1', ...claims };
    expect(why(await new Window().signIn())).toBe(expected);
    expect((await open.profile()).status).toBe(401);
    expect(console.actions(before).map(({ action }) => action)).toEqual(['auth.login-refused']);
  });

  test('under TLS the cookie of the sign-in is the host’s alone, as that of the session is', async () => {
    await using other = new TestConsole({ sso: settings() });
    other.context.secureCookie = true;
    const window = new Window(other);
    await window.finish(await window.toProvider());
    expect([...window.cookies.keys()].toSorted()).toEqual(['__Host-causeway_session', '__Host-causeway_sign_in']);
  });

  test('a deactivated member stays out, and the last Tenant Admin stays one', async () => {
    await using other = new TestConsole({ sso: settings() });
    other.setMember('TENANT_ADMIN', { active: 0 });
    provider.person = { sub: 'boss', roles: ['cw-admin'], preferred_username: 'boss' };
    const boss = new Window(other);
    await boss.signIn();
    provider.person = { sub: 'boss', roles: ['cw-operator'] };
    expect(why(await new Window(other).signIn())).toBe('AUTH4032 LAST_ADMIN');
    provider.person = { sub: 'u-9', roles: ['cw-operator'] };
    const window = new Window(other);
    await window.signIn();
    const { id } = (await window.profile()).result;
    provider.person = { sub: 'boss', roles: ['cw-admin'] };
    await boss.signIn();
    const as = boss.cookies.get('causeway_session') ?? '';
    expect((await other.ask({ method: 'POST', url: `/api/v1/members/${id}/deactivate`, as })).status).toBe(200);
    expect((await window.profile()).status).toBe(401);
    provider.person = { sub: 'u-9', roles: ['cw-operator'] };
    expect(why(await window.signIn())).toBe('AUTH4032 DEACTIVATED');
  });

  test('a member whose account was altered past the audit log stays out', async () => {
    await using other = new TestConsole({ sso: settings() });
    provider.person = { sub: 'u-10', roles: ['cw-operator'] };
    const window = new Window(other);
    await window.signIn();
    const { id } = (await window.profile()).result;
    const put = (version: number) =>
      other.ledger.write((tx) => tx.run(sqlite.updateTable('member').set({ version }).where('id', '=', id)));
    put(7);
    expect(why(await window.signIn())).toBe('AUTH4032 ALTERED');
    put(1);
    expect((await window.signIn()).status).toBe(200);
  });

  test('the first person to sign in may be the first account of all, and then no set-up code is left', async () => {
    await using empty = new TestConsole({ seed: 'nothing', sso: settings({ CAUSEWAY_CONSOLE_SSO_PASSWORDS: 'off' }) });
    expect(empty.context.setUp.code).not.toBeNull();
    provider.person = { sub: 'boss', roles: ['cw-admin'], preferred_username: 'boss' };
    const window = new Window(empty);
    expect((await window.signIn()).status).toBe(200);
    expect(empty.context.setUp.code).toBeNull();
    const last = empty.actions().at(-1)?.seq;
    expect(why(await window.login({ username: 'boss', password: 'whatever it is' }))).toBe('AUTH4032 PASSWORDS_OFF');
    const [row, ...more] = empty.actions(last);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ action: 'auth.login-refused', actor: 'boss', target_id: expect.any(String) as string });
    expect(row?.detail).toContain('"why":"PASSWORDS_OFF"');
  });
});

describe('the console refuses', () => {
  test('a repeated answer, one of another window, of another sign-in, or of none', async () => {
    const window = new Window();
    const query = await window.toProvider();
    const state = new URLSearchParams(query).get('state') ?? '';
    const last = console.actions().at(-1)?.seq;
    expect(why(await new Window().finish(query))).toBe('AUTH4012 EXPIRED');
    const rows = console.actions(last).map(({ action, detail }) => [action, detail]);
    expect(rows).toEqual([['auth.login-refused', expect.stringContaining('"why":"EXPIRED"')]]);
    expect(why(await window.finish(query.replace(state, 'x'.repeat(43))))).toBe('AUTH4012 EXPIRED');
    const copied = new Map(window.cookies);
    expect((await window.finish(query)).status).toBe(200);
    for (const [name, value] of copied) window.cookies.set(name, value);
    expect(why(await window.finish(query))).toBe('AUTH4012 EXPIRED');
    // The code that was used, under a sign-in that is open: the provider knows it, and it has another challenge.
    const later = new Window();
    const open = new URLSearchParams(await later.toProvider());
    open.set('code', new URLSearchParams(query).get('code') ?? '');
    expect(why(await later.finish(open.toString()))).toBe('AUTH4012 REFUSED');
  });

  test.each([
    ['that nobody began', {}, { method: 'SSO_FINISH', returned: 'code=1&state=2' }, 100],
    [
      'by password, where none is taken',
      { CAUSEWAY_CONSOLE_SSO_PASSWORDS: 'off' },
      { username: 'x', password: 'y' },
      10,
    ],
  ])('a sign-in %s, however often, does not fill the log', async (_name, changes, body, most) => {
    await using strict = new TestConsole({ production: true, sso: settings(changes) });
    const window = new Window(strict);
    const last = strict.actions().at(-1)?.seq;
    for (let tried = 0; tried < most; tried += 1) expect((await window.login(body)).status).not.toBe(429);
    expect((await window.login(body)).status).toBe(429);
    expect((await window.login(body)).status).toBe(429);
    const refusals = strict.actions(last).map(({ action }) => action);
    expect(refusals).toEqual(Array.from({ length: most + 1 }, () => 'auth.login-refused'));
  });

  test('a sign-in that was begun too long ago', async () => {
    await using other = new TestConsole({ sso: settings() });
    const window = new Window(other);
    const query = await window.toProvider();
    other.pass(10 * 60_000);
    expect(why(await window.finish(query))).toBe('AUTH4012 EXPIRED');
  });

  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  /** The console's clock, which is not the machine's, in seconds. */
  const now = () => Math.floor(console.now.getTime() / 1_000);
  test.each<[string, (token: BentToken) => void]>([
    ['for another client', ({ claims }) => Object.assign(claims, { aud: 'another' })],
    ['by another issuer', ({ claims }) => Object.assign(claims, { iss: 'https://another.example' })],
    ['that has expired', ({ claims }) => Object.assign(claims, { exp: now() - 60 })],
    ['that is not valid yet', ({ claims }) => Object.assign(claims, { nbf: now() + 120 })],
    ['of another sign-in', ({ claims }) => Object.assign(claims, { nonce: 'another' })],
    ['without a nonce', ({ claims }) => delete claims['nonce']],
    ['signed by somebody else', (token) => Object.assign(token, { key: stranger })],
    ['that is not signed', (token) => Object.assign(token, { key: null, header: { alg: 'none' } })],
    ['with a key of its own', ({ header }) => Object.assign(header, { kid: 'two' })],
  ])('an ID token %s', async (_name, bend) => {
    const before = console.actions().length;
    provider.bend = bend;
    expect(why(await new Window().signIn())).toBe('AUTH4012 INVALID');
    expect(console.actions(before).map(({ action }) => action)).toEqual(['auth.login-refused']);
  });

  test('clocks that differ by seconds are no reason to refuse', async () => {
    provider.bend = ({ claims }) => Object.assign(claims, { exp: now() - 10 });
    expect((await new Window().signIn()).status).toBe(200);
  });

  test('an answer of another provider (mix-up), and a doubled one', async () => {
    const mixed = new Window();
    const query = new URLSearchParams(await mixed.toProvider());
    query.set('iss', 'https://another.example');
    expect(why(await mixed.finish(query.toString()))).toBe('AUTH4012 INVALID');
    const doubled = new Window();
    const returned = await doubled.toProvider();
    expect(why(await doubled.finish(`${returned}&code=another`))).toBe('AUTH4012 INVALID');
  });

  test('a person whom the provider refuses', async () => {
    provider.person = null;
    expect(why(await new Window().signIn())).toBe('AUTH4012 REFUSED');
  });

  test.each([
    'https://127.0.0.1/sso/callback',
    'http://127.0.0.1:49152/elsewhere',
    'http://127.0.0.1:99999/sso/callback',
    'http://evil.example/sso/callback',
    'http://127.0.0.1:1@evil.example/sso/callback',
  ])('a browser that would come back to %s', async (redirectUri) => {
    const answer = await new Window().login({ method: 'SSO_BEGIN', redirectUri });
    expect([answer.status, why(answer)]).toEqual([400, 'COMMON400']);
  });

  test('anything, where there is no provider', async () => {
    await using off = new TestConsole();
    for (const body of [
      { method: 'SSO_BEGIN', redirectUri: REDIRECT },
      { method: 'SSO_FINISH', returned: 'code=1' },
    ])
      expect((await new Window(off).login(body)).status).toBe(403);
  });

  test('an address that begins again and again', async () => {
    await using busy = new TestConsole({ sso: settings(), production: true });
    const window = new Window(busy);
    for (let times = 0; times < 100; times += 1)
      await busy.context.loginLimit?.begin(null, '127.0.0.1', () => undefined);
    expect((await window.login({ method: 'SSO_BEGIN', redirectUri: REDIRECT })).status).toBe(429);
    expect(busy.actions().at(-1)?.action).toBe('auth.login-refused');
  });
});

test('a logout names the address that ends the session at the provider; the ledger keeps nothing of it', async () => {
  const window = new Window();
  await window.signIn();
  const { signOutUrl } = (await window.logout()).result;
  if (signOutUrl === null) throw new TypeError('The provider was not named.');
  expect(signOutUrl).toMatch(new RegExp(`^${provider.issuer}/session/end\\?`));
  const page = await provider.browse(signOutUrl, new Map());
  expect(page.status).toBe(200);
  expect((await window.profile()).status).toBe(401);
  const kept = console.ledger.all(sqlite.selectFrom('session').selectAll().where('sign_out_url', '=', signOutUrl));
  expect(kept).toEqual([]);
});

test('the process: starts without the provider, takes passwords meanwhile, and signs in when it is there', async () => {
  await provider.close();
  const part = fixture.start('electron/console-api/main.ts', {
    env: {
      ...variables,
      CAUSEWAY_LEDGER: path.join(fixture.folder('ledger'), 'ledger.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_CONSOLE_PAGES: pagesFolder(),
      CAUSEWAY_DEMO: '1',
    },
  });
  const { url } = await part.listening('console');
  const login = (body: object, cookie = '') =>
    fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const begin = { method: 'SSO_BEGIN', redirectUri: `${url}/sso/callback` };
  const down = await login(begin);
  expect([down.status, ((await down.json()) as Failure).message]).toEqual([
    503,
    'The sign-in service does not answer: try again shortly.',
  ]);
  expect((await login({ username: 'viewer', password: 'causeway-demo' })).status).toBe(200);
  await provider.listen();
  const begun = await login(begin);
  const { result } = (await begun.json()) as { result: SignInBegun };
  const back = await provider.signIn(result.authorizationUrl);
  const finished = await login(
    { method: 'SSO_FINISH', returned: back },
    begun.headers.getSetCookie()[0]?.split(';')[0],
  );
  expect(((await finished.json()) as { result: SessionState }).result.role).toBe('COMPLIANCE_REVIEWER');
  const page = await fetch(`${url}/sso/callback?${back}`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<meta name="causeway-sign-in" content="{&#34;label&#34;:&#34;사내 계정&#34;');
  expect(part.stdout).not.toContain(new URLSearchParams(back).get('code'));
});

function pagesFolder(): string {
  const folder = fixture.folder('pages');
  writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><html><head><title>x</title></head><body></body></html>',
  );
  return folder;
}
