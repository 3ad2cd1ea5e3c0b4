/** Logout and deactivation apply to a write that is still arriving (D9, D22). */
import { once } from 'node:events';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setOperatorActive } from '../accounts/accounts.ts';
import { OperatorFixture } from '../../test/support/cloud/operator-fixture.ts';
import { live } from '../../test/support/cloud/loads.ts';
import { AT } from '../../test/support/cloud/store.ts';
import { publish } from '../publication/publish.ts';
import { readLoad } from '../ingest/read-load.ts';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

/** Sends the head of a write, runs `meanwhile` once it was admitted, and then sends the body. */
async function sendSlowly(
  [method, path, body]: readonly [string, string, object],
  cookie: string,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const bytes = JSON.stringify(body);
  const headers = {
    cookie,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(bytes)),
    // The server announces that it has begun the request, so the test need not guess.
    expect: '100-continue',
  };
  const request = startRequest({ host: '127.0.0.1', port: fixture.port, method, path, headers });
  request.flushHeaders();
  await once(request, 'continue');
  await meanwhile();
  request.end(bytes);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return `${response.statusCode} ${(JSON.parse(await text(response)) as { code: string }).code}`;
}

const WRITES = [
  ['POST', '/api/v1/analyses/res-a/invalidate', { reason: 'x' }],
  [
    'POST',
    '/api/v1/tenants',
    { name: '한국증권', environment: 'POC', adminName: '김', adminEmail: 'kim@firm.example', memo: null },
  ],
  ['PATCH', '/api/v1/session/profile', { displayName: '김 운영' }],
] as const;

test.each(WRITES)('%s %s is refused after deactivation and after logout', async (...write) => {
  await publish(fixture.store, readLoad(Buffer.from(JSON.stringify(live({ key: 'a' })))), AT);
  const written = () => fixture.store.db.selectFrom('admin_activity_log').select('activity_type').execute();
  const [first, second] = [await fixture.logIn('second'), await fixture.logIn('second')];
  const logOut = () => fixture.ask('POST', '/api/v1/auth/logout', { cookie: first });
  expect(await sendSlowly(write, first, logOut)).toBe('401 COMMON401');
  const before = await written();
  expect(await sendSlowly(write, second, () => setOperatorActive(fixture.store.db, 'second', false))).toBe(
    '401 COMMON401',
  );
  expect(await written()).toEqual(before);
  await setOperatorActive(fixture.store.db, 'second', true);
  expect(await sendSlowly(write, await fixture.logIn('second'), () => Promise.resolve())).toBe('200 COMMON200');
});
