import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SignInReturn } from '../../../shared/wire/sign-in.ts';
import { SignIn } from './sign-in.ts';
import { HandSchedule, KeptLog } from '../../../test/support/desktop/main.ts';

let opened: string[];
let shown: number;
let time: HandSchedule;
let log: KeptLog;
let signIn: SignIn;
let hasBrowser: boolean;

beforeEach(() => {
  [opened, shown, hasBrowser] = [[], 0, true];
  time = new HandSchedule();
  log = new KeptLog();
  signIn = new SignIn({
    openOutside: async (address) => {
      if (!hasBrowser) throw new Error('there is none');
      opened.push(address);
    },
    returned: () => {
      shown += 1;
    },
    language: () => 'ko',
    schedule: time.schedule,
    log,
  });
});
afterEach(() => signIn.end());

const providerFor = (redirectUri: string, state = 'abc', scheme = 'https'): string =>
  `${scheme}://id.example/auth?${new URLSearchParams({ redirect_uri: redirectUri, state }).toString()}`;

async function listening(): Promise<string> {
  const redirectUri = await signIn.listen(0);
  if (redirectUri === null) throw new TypeError('it does not listen');
  return redirectUri;
}

/** Sends a browser's request, with any Host. */
function ask(url: string, options: { method?: string; host?: string } = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', host = new URL(url).host } = options;
    request(url, { method, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

test('the provider opens in the system browser, and its return is forwarded, once', async () => {
  const redirectUri = await listening();
  expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sso\/callback$/);
  const answer = signIn.open(providerFor(redirectUri));
  expect(opened).toEqual([providerFor(redirectUri)]);
  const page = await ask(`${redirectUri}?code=1&state=abc&iss=x`);
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('이 페이지는 닫아도 됩니다') as string });
  expect(page.body).not.toContain('abc');
  expect(await answer).toEqual({ kind: 'returned', query: 'code=1&state=abc&iss=x' });
  expect([shown, time.waiting]).toEqual([1, 0]);
  await expect(ask(`${redirectUri}?code=1&state=abc&iss=x`)).rejects.toThrow('ECONNREFUSED');
  expect(JSON.stringify(log.lines)).not.toContain('code=1');
});

describe('a return from another sign-in does not end it', () => {
  test.each<[string, string, { method?: string; host?: string }]>([
    ['another state', '?code=1&state=xyz', {}],
    ['no state', '?code=1', {}],
    ['another path', '/more?code=1&state=abc', {}],
    ['another name for this machine', '?code=1&state=abc', { host: 'evil.example' }],
    ['another method', '?code=1&state=abc', { method: 'POST' }],
  ])('%s', async (_what, rest, options) => {
    const redirectUri = await listening();
    const answer = signIn.open(providerFor(redirectUri));
    expect((await ask(`${redirectUri}${rest}`, options)).status).toBe(404);
    expect(shown).toBe(0);
    await ask(`${redirectUri}?code=2&state=abc`);
    expect(await answer).toEqual({ kind: 'returned', query: 'code=2&state=abc' });
  });
});

describe('the browser is not opened for', () => {
  const REFUSED: SignInReturn = { kind: 'not-opened' };

  test('an address that is not https, has no state, or returns elsewhere', async () => {
    const redirectUri = await listening();
    expect(await signIn.open(providerFor(redirectUri, 'abc', 'http'))).toEqual(REFUSED);
    expect(await signIn.open(providerFor(redirectUri, 'abc', 'file'))).toEqual(REFUSED);
    expect(await signIn.open(providerFor(redirectUri, ''))).toEqual(REFUSED);
    expect(await signIn.open(providerFor('http://127.0.0.1:1/sso/callback'))).toEqual(REFUSED);
    expect(await signIn.open('no address')).toEqual(REFUSED);
    expect(opened).toEqual([]);
  });

  test('any address before it listens, and without a browser', async () => {
    expect(await signIn.open(providerFor('http://127.0.0.1:1/sso/callback'))).toEqual(REFUSED);
    hasBrowser = false;
    expect(await signIn.open(providerFor(await listening()))).toEqual(REFUSED);
  });

  test('a port taken by another program is reported', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    expect(await signIn.listen((other.address() as AddressInfo).port)).toBeNull();
    other.close();
  });
});

test('it is abandoned after ten minutes, or when a new one begins', async () => {
  const first = signIn.open(providerFor(await listening()));
  const redirectUri = await listening();
  expect(await first).toEqual({ kind: 'abandoned' });
  const second = signIn.open(providerFor(redirectUri));
  time.pass(10 * 60_000);
  expect(await second).toEqual({ kind: 'abandoned' });
  await expect(ask(`${redirectUri}?code=1&state=abc`)).rejects.toThrow('ECONNREFUSED');
  const [early, late] = await Promise.all([signIn.listen(0), signIn.listen(0)]);
  expect([early === null, late === null]).toEqual([true, false]);
});
