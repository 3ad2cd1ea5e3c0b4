/** Whatever ends or narrows a session also affects a write whose body is still arriving, or that waits (D9, D18). */
import { once } from 'node:events';
import { createConnection, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SESSION_COOKIE } from './access.ts';
import { setPassword } from '../../../agent/ledger/accounts/members.ts';
import { setSecondFactorSetting } from '../../../agent/ledger/accounts/second-factors.ts';
import { memberId, TestConsole, type Asked } from '../../../test/support/console-api/console.ts';
import { CHEAP_UNMATCHED } from '../../../test/support/shared/accounts.ts';

let console: TestConsole;
beforeAll(async () => {
  console = new TestConsole();
  await console.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => console.close());
const REVIEWER = memberId('COMPLIANCE_REVIEWER');
beforeEach(() => {
  console.setMember('COMPLIANCE_REVIEWER', { role: 'COMPLIANCE_REVIEWER', active: 1 });
  console.setPassword(REVIEWER);
  console.ledger.write((tx) =>
    setSecondFactorSetting(tx, { reviewers: false, actor: { kind: 'SYSTEM' }, at: console.now.toISOString() }),
  );
});

/** Sends the head of a write, runs `meanwhile` once it was admitted, and then sends the body. */
async function sendSlowly(url: string, token: string, meanwhile: () => Promise<unknown>): Promise<string> {
  const body = JSON.stringify({ comment: null });
  const socket = createConnection((console.app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  socket.write(
    [
      `POST ${url} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      `Cookie: ${SESSION_COOKIE}=${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The server signals that it has begun with the request, so that no timing is guessed.
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  );
  const [begun] = (await once(socket, 'data')) as [string];
  expect(begun).toMatch(/^HTTP\/1.1 100 /);
  await meanwhile();
  socket.write(body);
  const answer = await text(socket);
  return `${/^HTTP\/1.1 (\d+) /.exec(answer)?.[1]} ${/"code":"(\w+)"/.exec(answer)?.[1]}`;
}

const admin = (method: Asked['method'], url: string, body?: unknown) =>
  console.ask({ method, url: `/api/v1/members${url}`, as: 'TENANT_ADMIN', body });
const resetByOther = async () => {
  console.ledger.write((tx) => setPassword(tx, REVIEWER, CHEAP_UNMATCHED, 'other'));
  return { status: 200 };
};

describe('a decision whose body is still arriving', () => {
  test.for<[string, string, (token: string) => Promise<{ status: number }>, string[]]>([
    [
      'logout',
      '401 COMMON401',
      (token) => console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: token }),
      ['auth.logout'],
    ],
    ['deactivation', '401 COMMON401', () => admin('POST', `/${REVIEWER}/deactivate`), ['member.deactivate']],
    [
      'a change of role',
      '403 COMMON403',
      () => admin('PATCH', `/${REVIEWER}/role`, { role: 'READ_ONLY' }),
      ['member.role', 'access.refused'],
    ],
    ['a password that the member must replace', '403 AUTH4033', resetByOther, ['access.refused']],
    [
      'the demand of a second factor',
      '403 AUTH4034',
      () => admin('PUT', '/second-factor', { reviewers: true }),
      ['member.second-factor-asked', 'access.refused'],
    ],
  ])('is not made after %s', async ([, refusal, meanwhile, actions]) => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    const before = console.actions().length;
    const answered = await sendSlowly(`/api/v1/review/items/${id}/approve`, token, async () => {
      expect((await meanwhile(token)).status).toBe(200);
    });
    expect(answered).toBe(refusal);
    const item = await console.ask({ method: 'GET', url: `/api/v1/explanations/${id}`, as: 'READ_ONLY' });
    expect(item.result).toMatchObject({ status: 'PENDING_REVIEW', version: 1 });
    const added = console.actions(before);
    expect(added.map(({ action }) => action)).toEqual(actions);
    if (refusal === '403 COMMON403') expect(added.at(-1)).toMatchObject({ actor_role: 'READ_ONLY' });
  });

  test('is made if nothing has changed', async () => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    expect(await sendSlowly(`/api/v1/review/items/${id}/approve`, token, async () => undefined)).toBe('200 COMMON200');
  });
});

test.for([
  [401, { active: 0 }],
  [403, { role: 'READ_ONLY' }],
] as const)(
  'a caller who is no administrator any more once the password is hashed registers nobody: %d',
  async ([status, change]) => {
    const asked = console.ask({
      method: 'POST',
      url: '/api/v1/members',
      as: 'TENANT_ADMIN',
      body: { username: `new-${status}`, displayName: '새 사람', role: 'OPERATOR', password: 'eight or more' },
    });
    // The password is hashed off the event loop, for longer than this turn.
    await new Promise((resolve) => setImmediate(resolve));
    console.setMember('TENANT_ADMIN', change);
    const answer = await asked;
    console.setMember('TENANT_ADMIN', { role: 'TENANT_ADMIN', active: 1 });
    expect(answer.status).toBe(status);
    expect(console.actions().map(({ action }) => action)).not.toContain('member.register');
  },
);
