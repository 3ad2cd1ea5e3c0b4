/** Which listeners may speak plain HTTP, and certificates that are renewed while one runs. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAuthority, writePair, type Authority } from '../../../test/support/pki.ts';
import { waitFor } from '../../../test/support/process.ts';
import { systemIds } from '../../time/clock.ts';
import { createListener } from '../http/listener.ts';
import { FollowedTls, pairFiles, readNamedTls, ServerTlsError } from './server-tls.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-server-tls-'));
let authority: Authority;
beforeAll(async () => {
  authority = await makeAuthority();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const given = (host: string, more: { cert?: string; key?: string; behindProxy?: '0' | '1' } = {}) =>
  pairFiles('CAUSEWAY_X', { listen: { host, port: 1 }, cert: undefined, key: undefined, ...more });

test('plain HTTP is only for this machine, or behind a proxy that a variable names', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1']) expect(given(host)).toBeNull();
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'door.vendor.example', '127.0.0.1.vendor.example']) {
    expect(() => given(host)).toThrow(/^CAUSEWAY_X_LISTEN names .* other hosts reach: give CAUSEWAY_X_CERT/);
    expect(() => given(host, { behindProxy: '0' })).toThrow('CAUSEWAY_X_BEHIND_PROXY=1');
    expect(given(host, { behindProxy: '1' })).toBeNull();
    expect(given(host, { cert: 'c', key: 'k' })).toEqual({ prefix: 'CAUSEWAY_X', cert: 'c', key: 'k' });
  }
  expect(() => given('::1', { cert: 'c' })).toThrow('CAUSEWAY_X_KEY is missing');
  expect(() => given('0.0.0.0', { key: 'k', behindProxy: '1' })).toThrow('CAUSEWAY_X_CERT is missing');
});

test('a renewed pair serves from the next handshake on; an invalid pair leaves the earlier one in use', async () => {
  const own = { prefix: 'CAUSEWAY_X', ...writePair(folder, 'x', await authority.server({ hosts: ['a.example'] })) };
  const tls = new FollowedTls(own, readNamedTls);
  const { cert, key } = tls.current;
  const refused = (): void => undefined;
  const server = createListener({ ids: systemIds, tls: { cert, key }, refused }, (_, response) =>
    response.end(),
  ) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lines: string[] = [];
  const log = {
    info: (_: object, line: string) => lines.push(line),
    error: (_: object, line: string) => lines.push(line),
  };
  tls.follow(server, log, 5);
  const shown = async (): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const first = await shown();
  writeFileSync(own.key, 'no key');
  await waitFor('the refusal', () => lines.length === 1);
  expect([lines[0], await shown()]).toEqual([
    'the new certificate files are not in use; the earlier ones stay in use',
    first,
  ]);
  writePair(folder, 'x', await authority.server({ hosts: ['b.example'] }));
  await waitFor('the new pair', () => lines.length === 2);
  expect(tls.current.names).toEqual(['b.example']);
  expect(await shown()).not.toBe(first);
  writePair(folder, 'x', await authority.server({ hosts: ['*.example'] }));
  await waitFor('the wildcard', () => lines.length === 3);
  expect(tls.current.names).toEqual(['b.example']);
  expect(() => new FollowedTls(own, readNamedTls)).toThrow(ServerTlsError);
  expect(new FollowedTls(own).current.names).toEqual([]);
  tls.stop();
  server.closeAllConnections();
  server.close();
});
