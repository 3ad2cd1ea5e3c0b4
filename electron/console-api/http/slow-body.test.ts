/** Logout, deactivation and a change of role also affect a write whose body is still arriving, or that waits (D9). */
import { once } from 'node:events';
import { createConnection, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SESSION_COOKIE } from './access.ts';
import { memberId, TestConsole, type Asked } from '../testing.ts';

let console: TestConsole;
beforeAll(async () => {
  console = new TestConsole();
  await console.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => console.close());
beforeEach(() => console.setMember('COMPLIANCE_REVIEWER', { role: 'COMPLIANCE_REVIEWER', active: 1 }));

/** Sends the head of a write, runs `meanwhile` once it was admitted, and then sends the body. Returns the status. */
async function sendSlowly(url: string, token: string, meanwhile: () => Promise<unknown>): Promise<number> {
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
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return Number(/^HTTP\/1.1 (\d+) /.exec(answer)?.[1]);
}

const admin = (method: Asked['method'], url: string, body?: unknown) =>
  console.ask({ method, url: `/api/v1/members/${memberId('COMPLIANCE_REVIEWER')}${url}`, as: 'TENANT_ADMIN', body });

describe('a decision whose body is still arriving', () => {
  test.for<[string, number, (token: string) => Promise<{ status: number }>, string[]]>([
    ['logout', 401, (token) => console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: token }), ['auth.logout']],
    ['deactivation', 401, () => admin('POST', '/deactivate'), ['member.deactivate']],
    ['a change of role', 403, () => admin('PATCH', '/role', { role: 'READ_ONLY' }), ['member.role', 'access.refused']],
  ])('is not made after %s', async ([, status, meanwhile, actions]) => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    const before = console.actions().length;
    const answered = await sendSlowly(`/api/v1/review/items/${id}/approve`, token, async () => {
      expect((await meanwhile(token)).status).toBe(200);
    });
    expect(answered).toBe(status);
    const item = await console.ask({ method: 'GET', url: `/api/v1/explanations/${id}`, as: 'READ_ONLY' });
    expect(item.result).toMatchObject({ status: 'PENDING_REVIEW', version: 1 });
    const added = console.actions(before);
    expect(added.map(({ action }) => action)).toEqual(actions);
    if (status === 403) expect(added.at(-1)).toMatchObject({ actor_role: 'READ_ONLY' });
  });

  test('is made if nothing has changed', async () => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    expect(await sendSlowly(`/api/v1/review/items/${id}/approve`, token, async () => undefined)).toBe(200);
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
