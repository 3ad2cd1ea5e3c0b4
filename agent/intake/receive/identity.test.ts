/** A certificate is replaced while the Intake runs (fault 24), over real mutual TLS. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReloadingUpstream } from './identity.ts';
import type { Upstream } from './pull.ts';
import { readSettings } from '../settings.ts';
import { makeAuthority, type Authority, type Issued } from '../../../test/support/pki.ts';
import { readableLog, type LogLine } from '../../../test/support/agent/intake.ts';

let folder: string;
let server: Server;
let upstream: Upstream;
let authority: Authority;
let first: Issued;
let lines: LogLine[];
const file = (name: string): string => path.join(folder, name);

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-identity-'));
  authority = await makeAuthority();
  first = await authority.client();
  server = await listen(authority);
  writeFileSync(file('cert.pem'), first.cert);
  writeFileSync(file('key.pem'), first.key);
  writeFileSync(file('ca.pem'), authority.ca);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const settings = readSettings({
    CAUSEWAY_LEDGER: '/x',
    CAUSEWAY_INTAKE_UPSTREAM: `https://127.0.0.1:${port}`,
    CAUSEWAY_INTAKE_CERT: file('cert.pem'),
    CAUSEWAY_INTAKE_KEY: file('key.pem'),
    CAUSEWAY_INTAKE_CA: file('ca.pem'),
  });
  const readable = readableLog();
  ({ lines } = readable);
  upstream = createReloadingUpstream(settings.upstream, settings.identity, readable.log);
});
afterEach(async () => {
  await upstream.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Answers with the fingerprint of the certificate that was shown. */
async function listen({ ca, server: issue }: Authority): Promise<Server> {
  const own = await issue();
  const made = createServer({ ...own, ca, requestCert: true }, (request, response) => {
    response.end((request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256);
  }).listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

async function shown(): Promise<string> {
  const answer = await upstream.pull({ after: 0, limit: 1 }, new AbortController().signal);
  return Buffer.from(answer.body).toString();
}
const fingerprint = ({ cert }: Issued): string => new X509Certificate(cert).fingerprint256;

test('a new pair serves from the next pull on; half of one leaves the one before in place', async () => {
  expect(await shown()).toBe(fingerprint(first));
  const second = await authority.client();
  writeFileSync(file('cert.pem'), second.cert);
  expect(await shown()).toBe(fingerprint(first));
  expect(await shown()).toBe(fingerprint(first));
  expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
  writeFileSync(file('key.pem'), second.key);
  expect(await shown()).toBe(fingerprint(second));
  rmSync(file('key.pem'));
  expect(await shown()).toBe(fingerprint(second));
});

test('a new authority of the upstream is known from the next pull on', async () => {
  await shown();
  const other = await makeAuthority('other CA');
  const own = await other.server();
  server.setSecureContext({ ...own, ca: authority.ca });
  server.closeAllConnections();
  await expect(shown()).rejects.toThrow();
  writeFileSync(file('ca.pem'), `${authority.ca}\n${other.ca}`);
  expect(await shown()).toBe(fingerprint(first));
});
