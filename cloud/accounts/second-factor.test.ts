/** The second factor of an operator's account: required at each login, and accepted once (D145). */
import { request } from 'node:http';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UNMATCHED_HASH, verifyPassword } from '../../shared/service/accounts/passwords.ts';
import { enrolmentUri, newSecret } from '../../shared/service/accounts/second-factor.ts';
import { ACCOUNT_RULES } from '../../shared/wire/account-rules.ts';
import { OperatorFixture, outcome } from '../../test/support/cloud/operator-fixture.ts';
import { AT } from '../../test/support/cloud/store.ts';
import { logIn, setSecondFactor } from './accounts.ts';

const STEP_MS = 30_000;
const HOUR_MS = 3_600_000;
const secret = newSecret();
let fixture: OperatorFixture;
let hours = 0;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  // Attempts and codes of the previous test have expired.
  hours += 1;
  fixture.clock.at = new Date(AT.getTime() + hours * HOUR_MS);
  expect(await setSecondFactor(fixture.store.db, 'second', secret)).toBe(true);
});

const codeAt = (shift = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: fixture.clock.at.getTime() + shift * STEP_MS });
const login = (secondFactor?: string, password = 'pass-word') =>
  fixture.ask('POST', '/api/v1/auth/login', {
    body: { username: 'second', password, ...(secondFactor === undefined ? {} : { secondFactor }) },
  });

test('the password alone opens no session; with a code it does', async () => {
  const asked = await login();
  expect([outcome(asked), asked.headers['set-cookie'], asked.errors]).toEqual(['401 AUTH4013', undefined, []]);
  const wrong = await login('000000');
  expect([outcome(wrong), wrong.errors]).toEqual([
    '401 AUTH4013',
    [{ path: 'body.secondFactor', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG }],
  ]);
  expect(outcome(await login(codeAt(), 'wrong'))).toBe('401 AUTH4011');
  expect(outcome(await login(codeAt()))).toBe('200 COMMON200');
  const { rows } = await sql<{ type: string; reason: string | null }>`
    select activity_type as type, reason from admin_activity_log order by position desc limit 4`.execute(
    fixture.store.db,
  );
  expect(rows.toReversed()).toEqual([
    { type: 'OPERATOR_LOGIN_REFUSED', reason: 'second factor asked' },
    { type: 'OPERATOR_LOGIN_REFUSED', reason: 'wrong second factor' },
    { type: 'OPERATOR_LOGIN_REFUSED', reason: 'wrong password' },
    { type: 'OPERATOR_LOGGED_IN', reason: null },
  ]);
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('a code is accepted once, also from two logins at the same moment, and no earlier code after it', async () => {
  const later = codeAt(1);
  const both = await Promise.all([login(later), login(later)]);
  expect(both.map(outcome).toSorted()).toEqual(['200 COMMON200', '401 AUTH4013']);
  expect([outcome(await login(later)), outcome(await login(codeAt()))]).toEqual(['401 AUTH4013', '401 AUTH4013']);
  fixture.clock.at = new Date(fixture.clock.at.getTime() + 2 * STEP_MS);
  expect(outcome(await login(codeAt()))).toBe('200 COMMON200');
});

test('wrong codes are counted; the request for a code is no attempt', async () => {
  for (let at = 0; at < 8; at += 1) await fixture.parts.loginLimit.begin('second', '127.0.0.1', () => undefined);
  for (const code of [undefined, undefined, '000000', undefined, '000000'])
    expect(outcome(await login(code))).toBe('401 AUTH4013');
  expect(outcome(await login(codeAt()))).toBe('429 COMMON429');
});

/** A login from another address of this machine. */
const loginFrom = (localAddress: string, secondFactor: string, password = 'pass-word'): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(`${fixture.url}/api/v1/auth/login`, { method: 'POST', localAddress, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ username: 'second', password, secondFactor }));
  });

// A limit per address would let an attacker with the password and many addresses guess on without end.
test('codes are limited over all addresses, and count only with the right password', async () => {
  const { loginLimit } = fixture.parts;
  for (let at = 0; at < 28; at += 1) loginLimit.beginCode('second');
  for (const address of ['127.0.1.1', '127.0.1.2', '127.0.1.3'])
    expect(await loginFrom(address, '000000', 'wrong')).toBe(401);
  const answers = [];
  for (let at = 1; at <= 4; at += 1) answers.push(await loginFrom(`127.0.1.${at}`, '000000'));
  expect(answers).toEqual([401, 401, 429, 429]);
  expect(await loginFrom('127.0.2.1', codeAt())).toBe(429);
  fixture.clock.at = new Date(fixture.clock.at.getTime() + HOUR_MS / 2);
  expect(await loginFrom('127.0.2.1', codeAt())).toBe(200);
});

test('setting it ends the sessions, and a login in progress opens none', async () => {
  await setSecondFactor(fixture.store.db, 'second', null);
  const cookie = await fixture.logIn('second');
  // One hash is computed at a time: the login has read its account, and waits.
  const busy = Promise.all(Array.from({ length: 12 }, () => verifyPassword('x', UNMATCHED_HASH)));
  const opening = logIn(fixture.store, { username: 'second', password: 'pass-word' }, fixture.clock.at);
  await setSecondFactor(fixture.store.db, 'second', secret);
  expect(await opening).toEqual({ refused: 'changed meanwhile' });
  await busy;
  expect(outcome(await fixture.ask('GET', '/api/v1/session', { cookie }))).toBe('401 COMMON401');
});

test('the address for the app names product and account', () => {
  expect(enrolmentUri(secret, 'second')).toBe(
    `otpauth://totp/Causeway:second?issuer=Causeway&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
});
