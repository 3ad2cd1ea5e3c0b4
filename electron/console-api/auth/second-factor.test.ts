/** A second factor: required of reviewers, set up by its owner, each code accepted once, reset by an administrator. */
import { Secret, TOTP } from 'otpauth';
import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { cheapHash } from '../../../test/support/shared/accounts.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import type { ConsoleMember, Page, Profile } from '../../../shared/wire/console/console.ts';
import type { RecoveryCodes, SecondFactorBegun } from '../../../shared/wire/console/second-factor.ts';
import { memberId, TestConsole } from '../../../test/support/console-api/console.ts';

const PASSWORD = 'of the reviewer 1';
const REVIEWER = memberId('COMPLIANCE_REVIEWER');
const HASH = cheapHash(PASSWORD);
const STEP_MS = 30_000;

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole({ production: true });
  console.setPassword(REVIEWER, HASH);
});
afterEach(() => console.close());

const ask = (reviewers: boolean) =>
  console.ask({ method: 'PUT', url: '/api/v1/members/second-factor', as: 'TENANT_ADMIN', body: { reviewers } });
const role = (name: string) =>
  console.ask({ method: 'PATCH', url: `/api/v1/members/${REVIEWER}/role`, as: 'TENANT_ADMIN', body: { role: name } });
const login = (secondFactor?: string, from = '10.0.0.1') =>
  console.ask({
    method: 'POST',
    url: '/api/v1/auth/login',
    from,
    body: {
      username: 'compliance_reviewer',
      password: PASSWORD,
      ...(secondFactor === undefined ? {} : { secondFactor }),
    },
  });
const token = ({ headers }: { headers: object }): string =>
  /^causeway_session=([^;]*)/.exec(String((headers as Record<string, unknown>)['set-cookie']))?.[1] ?? '';
const begin = (as: string) =>
  console.ask<SecondFactorBegun>({ method: 'POST', url: '/api/v1/session/second-factor', as, body: {} });
const confirm = (as: string, code: string) =>
  console.ask<RecoveryCodes>({ method: 'POST', url: '/api/v1/session/second-factor/confirm', as, body: { code } });
const queue = async (as: string) => (await console.ask({ method: 'GET', url: '/api/v1/review/items', as })).body.code;
const profile = async (as: string) =>
  (await console.ask<Profile>({ method: 'GET', url: '/api/v1/session', as })).result;
const codeOf = (secret: string, shift = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: console.now.getTime() + shift * STEP_MS });

/** Required and set up. */
async function enrolled(): Promise<{ session: string; secret: string; recoveryCodes: string[] }> {
  await ask(true);
  const session = token(await login());
  const { secret } = (await begin(session)).result;
  const { recoveryCodes } = (await confirm(session, codeOf(secret))).result;
  console.pass(2 * STEP_MS);
  return { session, secret, recoveryCodes };
}

test('without the setting no factor is required or can be set up', async () => {
  const session = token(await login());
  expect([await queue(session), (await begin(session)).status, (await confirm(session, '123456')).status]).toEqual([
    'COMMON200',
    409,
    409,
  ]);
  expect(await profile(session)).toMatchObject({ outstanding: null, secondFactorResetAt: null });
});

describe('when reviewers need one', () => {
  test('a live session allows only the set-up until it is done', async () => {
    const session = token(await login());
    await ask(true);
    expect([await queue(session), (await profile(session)).outstanding]).toEqual(['AUTH4034', 'SECOND_FACTOR']);
    const other = token(await login());
    const first = (await begin(session)).result;
    const { secret, uri } = (await begin(session)).result;
    expect(uri).toContain(`otpauth://totp/Causeway:compliance_reviewer?issuer=Causeway&secret=${secret}`);
    expect((await confirm(session, codeOf(first.secret))).body).toMatchObject({
      errors: [{ path: 'body.code', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG }],
    });
    const { recoveryCodes } = (await confirm(session, codeOf(secret))).result;
    expect(new Set(recoveryCodes).size).toBe(10);
    expect([await queue(session), (await profile(session)).outstanding]).toEqual(['COMMON200', null]);
    expect(await queue(other)).toBe('COMMON401');
    const { result } = await console.ask<Page<ConsoleMember>>({
      method: 'GET',
      url: '/api/v1/members',
      as: 'TENANT_ADMIN',
    });
    expect(result.items.filter(({ secondFactor }) => secondFactor).map(({ id }) => id)).toEqual([REVIEWER]);
  });

  test.for([
    ['the setting was off', () => ask(false), () => ask(true)],
    ['the account had another role', () => role('OPERATOR'), () => role('COMPLIANCE_REVIEWER')],
  ] as const)('a session that was opened without the factor while %s ends', async ([, leave, comeBack]) => {
    const { secret } = await enrolled();
    await leave();
    const session = token(await login());
    expect((await profile(session)).outstanding).toBe(null);
    await comeBack();
    expect(await queue(session)).toBe('COMMON401');
    expect([(await login()).body.code, (await login(codeOf(secret))).status]).toEqual(['AUTH4013', 200]);
  });

  test('other roles do not need one', async () => {
    await ask(true);
    for (const role of ['TENANT_ADMIN', 'OPERATOR', 'READ_ONLY'] as const)
      expect(await queue(console.session(role))).toBe('COMMON200');
  });

  test('a reviewer who signs in at a provider does not need one', async () => {
    await ask(true);
    const identity = {
      issuer: 'https://id.example',
      subject: 's',
      member_id: REVIEWER,
      linked_at: console.now.toISOString(),
    };
    console.ledger.write((tx) => tx.run(sqlite.insertInto('member_identity').values(identity)));
    expect(await queue(console.session('COMPLIANCE_REVIEWER'))).toBe('COMMON200');
  });
});

describe('a login', () => {
  test('is answered with a code that asks for the factor, and opens nothing without it', async () => {
    const { secret } = await enrolled();
    const asked = await login();
    expect([asked.status, asked.body.code, asked.headers['set-cookie']]).toEqual([401, 'AUTH4013', undefined]);
    expect(asked.body).not.toHaveProperty('errors');
    const wrong = await login('000000');
    expect([wrong.status, wrong.body.code]).toEqual([401, 'AUTH4013']);
    expect(wrong.body).toMatchObject({
      errors: [{ path: 'body.secondFactor', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG }],
    });
    const right = await login(codeOf(secret));
    expect([right.status, await queue(token(right))]).toEqual([200, 'COMMON200']);
    expect(console.actions().slice(-3)).toMatchObject([
      { action: 'auth.second-factor-asked' },
      { action: 'auth.login-refused', detail: '{"why":"wrong second factor"}' },
      { action: 'auth.login', detail: '{"username":"compliance_reviewer","secondFactor":"code"}' },
    ]);
    // Each act at the door says from where.
    const rows = console.ledger.all(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq'));
    const atDoor = rows.filter(({ action }) => action.startsWith('auth.'));
    expect(atDoor.length).toBeGreaterThanOrEqual(3);
    expect(new Set(atDoor.map(({ source_address }) => source_address))).toEqual(new Set(['10.0.0.1']));
  });

  test('accepts codes of the neighbouring steps, each once, and none before the last', async () => {
    const { secret } = await enrolled();
    expect((await login(codeOf(secret, -2))).status).toBe(401);
    expect((await login(codeOf(secret, 2))).status).toBe(401);
    const later = codeOf(secret, 1);
    expect((await login(later)).status).toBe(200);
    expect([(await login(later)).status, (await login(codeOf(secret))).status]).toEqual([401, 401]);
    console.pass(2 * STEP_MS);
    expect((await login(codeOf(secret))).status).toBe(200);
  });

  test('accepts each recovery code once, in any spelling, and logs how many are left', async () => {
    const { recoveryCodes } = await enrolled();
    const [code = ''] = recoveryCodes;
    expect((await login(code.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    expect(console.actions().at(-1)?.detail).toBe(
      '{"username":"compliance_reviewer","secondFactor":"recovery code","recoveryCodesLeft":9}',
    );
    expect((await login(code)).status).toBe(401);
  });

  test('that lacks a code costs no attempt; wrong codes count, and a login without a code clears none', async () => {
    const { secret } = await enrolled();
    const { loginLimit } = console.context;
    for (let at = 0; at < 8; at += 1) await loginLimit?.begin('compliance_reviewer', '10.0.0.1', () => undefined);
    for (const code of [undefined, undefined, '000000', undefined, '000001'])
      expect((await login(code)).body.code).toBe('AUTH4013');
    expect((await login(codeOf(secret))).body.code).toBe('COMMON429');
    expect((await login(codeOf(secret), '10.0.0.2')).status).toBe(200);
  });

  // With ten codes per address, an attacker who knew the password could guess on without end from a network of
  // addresses.
  test('limits wrong codes across all addresses', async () => {
    const { secret } = await enrolled();
    for (let at = 0; at < 28; at += 1) console.context.loginLimit?.beginCode('compliance_reviewer');
    const answers = [];
    for (let at = 0; at < 4; at += 1) answers.push((await login('000000', `10.0.1.${at}`)).status);
    expect(answers).toEqual([401, 401, 429, 429]);
    expect((await login(codeOf(secret), '10.0.2.1')).status).toBe(429);
    console.pass(15 * 60_000);
    // A right code is not counted.
    for (let at = 0; at < 29; at += 1) console.context.loginLimit?.beginCode('compliance_reviewer');
    expect((await login(codeOf(secret), '10.0.2.1')).status).toBe(200);
    console.pass(2 * STEP_MS);
    expect((await login(codeOf(secret), '10.0.2.1')).status).toBe(200);
  });
});

describe('an administrator’s reset', () => {
  const reset = (id = REVIEWER) =>
    console.ask({ method: 'DELETE', url: `/api/v1/members/${id}/second-factor`, as: 'TENANT_ADMIN' });

  test('ends the sessions, is reported at the next login, and invalidates every old code and recovery code', async () => {
    const { session, secret, recoveryCodes } = await enrolled();
    const at = console.now.toISOString();
    expect((await reset()).status).toBe(200);
    expect(await queue(session)).toBe('COMMON401');
    const next = token(await login());
    expect(await profile(next)).toMatchObject({ outstanding: 'SECOND_FACTOR', secondFactorResetAt: at });
    const renewed = (await begin(next)).result.secret;
    expect((await confirm(next, codeOf(secret))).status).toBe(400);
    expect((await confirm(next, codeOf(renewed))).status).toBe(200);
    expect(await profile(next)).toMatchObject({ outstanding: null, secondFactorResetAt: null });
    expect((await login(recoveryCodes[0])).status).toBe(401);
    expect(console.actions().find(({ action }) => action === 'member.second-factor-reset')).toMatchObject({
      actor_role: 'TENANT_ADMIN',
      target_id: REVIEWER,
    });
  });

  test('needs another user, and one who has a factor', async () => {
    await enrolled();
    expect((await reset(memberId('TENANT_ADMIN'))).body.code).toBe('COMMON403');
    expect([(await reset('nobody')).status, (await reset(memberId('OPERATOR'))).status]).toEqual([404, 409]);
  });
});

test('no readable answer or log reveals the secret or a recovery code', async () => {
  const { secret, recoveryCodes, session } = await enrolled();
  await login(recoveryCodes[0]);
  const told = [
    await console.ask({ method: 'GET', url: '/api/v1/audit/actions?size=100', as: 'TENANT_ADMIN' }),
    await console.ask({ method: 'GET', url: '/api/v1/members?size=100', as: 'TENANT_ADMIN' }),
    await console.ask({ method: 'GET', url: '/api/v1/session', as: session }),
    await begin(session),
    console.ledger.all(sqlite.selectFrom('console_action_log').selectAll()),
    console.ledger.all(sqlite.selectFrom('recovery_code').selectAll()),
  ];
  const text = JSON.stringify(told);
  for (const hidden of [secret, ...recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')])])
    expect(text).not.toContain(hidden);
});
