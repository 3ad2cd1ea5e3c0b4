/** A provider that sends excessive answers: each read is limited. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { Provider } from './sso-provider.ts';

let server: Server;
let issuer: string;
let provider: Provider;
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
  provider = new Provider(
    {
      ...{ issuer: new URL(issuer), ca: authority.ca, clientId: 'causeway', clientSecret: null, proxy: null },
      ...{ scope: 'openid', roleClaim: 'roles', roles: new Map(), label: 'x', passwords: true, programPort: 0 },
    },
    systemClock,
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const begin = () => provider.begin('http://127.0.0.1:4300/sso/callback');

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
