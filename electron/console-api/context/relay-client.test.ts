/** The relay's certificate as the console API sees it. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { makeAuthority, writePair, writeWhole } from '../../../test/support/pki.ts';
import { TestFixture } from '../../../test/support/process.ts';
import { askRelay } from './relay-client.ts';

const fixture = new TestFixture();
let server: Server | undefined;
afterEach(async () => {
  server?.close();
  await fixture.clear();
});

test('one of another authority is named so, without advice to trust this machine’s', async () => {
  const [own, other] = [await makeAuthority(), await makeAuthority('another')];
  server = createServer(await own.server(), (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const folder = fixture.folder('relay-client');
  const access = {
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    tokenFile: null,
    tls: { ...writePair(folder, 'client', await own.client()), ca: writeWhole(folder, 'ca.crt', other.ca) },
  };
  const refused = await askRelay(access, { method: 'GET', path: '/status', answer: z.unknown() }).catch(
    (error: Error) => error,
  );
  expect(refused).toMatchObject({
    message: expect.stringContaining('another authority than CAUSEWAY_CONSOLE_RELAY_CA holds') as string,
  });
  expect(refused).not.toMatchObject({ message: expect.stringContaining('system-ca') as string });
});
