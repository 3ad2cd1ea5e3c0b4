/** A provider that sends excessive answers: each read is limited. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAuthority, type Authority } from '../../../test/support/pki.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { Provider } from './sso-provider.ts';
import type { SsoSettings } from './sso-settings.ts';

let server: Server;
let issuer: string;
let provider: Provider;
let other: Authority;
let settings: SsoSettings;
let answer: (response: ServerResponse, description: string) => void;

beforeAll(async () => {
  const authority = await makeAuthority();
  server = createServer(await authority.server(), (_request, response) => {
    response.setHeader('content-type', 'application/json');
    const endpoint = `${issuer}/go`;
    answer(response, JSON.stringify({ issuer, authorization_endpoint: endpoint, token_endpoint: endpoint }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  other = await makeAuthority('another');
  settings = {
    ...{ issuer: new URL(issuer), ca: authority.ca, clientId: 'causeway', clientSecret: null, proxy: null },
    ...{ scope: 'openid', roleClaim: 'roles', roles: new Map(), label: 'x', passwords: true, programPort: 0 },
  };
  provider = new Provider(settings, systemClock);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const begin = (at = provider) => at.begin('http://127.0.0.1:4300/sso/callback');

test('a provider with normal answers works', async () => {
  answer = (response, description) => response.end(description);
  expect((await begin()).url.origin).toBe(issuer);
});

test.each<[string, (response: ServerResponse, description: string) => void]>([
  [
    'of 20 MB, packed into 20 KB',
    (response, description) =>
      response
        .setHeader('content-encoding', 'gzip')
        .end(gzipSync(Buffer.concat([Buffer.alloc(20_000_000, ' '), Buffer.from(description)]))),
  ],
  [
    'packed twice',
    (response, description) =>
      response
        .setHeader('content-encoding', 'gzip, gzip')
        .end(gzipSync(gzipSync(Buffer.concat([Buffer.alloc(20_000_000, ' '), Buffer.from(description)])))),
  ],
  [
    'without an end',
    (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
      };
      response.on('drain', more);
      more();
    },
  ],
])('an answer %s is not read to its end', async (_what, given) => {
  answer = given;
  await expect(begin()).rejects.toMatchObject({
    name: 'ProviderDownError',
    message: expect.stringMatching(/longer than 1048576 bytes|exceeded max size/) as string,
  });
});

test.each<[string, () => string | null]>([
  ['than CAUSEWAY_CONSOLE_SSO_CA holds', () => other.ca],
  ['than this program trusts', () => null],
])('one of another authority %s is named so, without advice to trust this machine’s', async (said, ca) => {
  const refused = await begin(new Provider({ ...settings, ca: ca() }, systemClock)).catch((error: Error) => error);
  expect(refused).toMatchObject({
    name: 'ProviderDownError',
    message: expect.stringContaining(`it shows a certificate of another authority ${said}`) as string,
  });
  expect(refused).not.toMatchObject({ message: expect.stringContaining('system-ca') as string });
});

test.each([
  ['127.0.0.0/8', true],
  ['*', true],
  ['10.0.0.0/8', false],
  ['', false],
])('NO_PROXY "%s" is read as curl reads it: reached without the proxy: %s', async (except, isReached) => {
  answer = (response, description) => response.end(description);
  // Nothing listens there.
  const proxy = { address: new URL('http://127.0.0.1:1'), except };
  const reached = begin(new Provider({ ...settings, proxy }, systemClock)).then(
    () => true,
    () => false,
  );
  expect(await reached).toBe(isReached);
});
