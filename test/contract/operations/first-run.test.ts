/**
 * The first run of a tenant and a vendor, by the commands that their administrators type: the key is made
 * on the tenant's side and never leaves it, the vendor issues for the request, and the first pull is made before
 * anything counts as installed.
 */
import { X509Certificate } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAgent } from '../../../agent/operations/agent.ts';
import { checkIntake } from '../../../agent/operations/checks/internal-checks.ts';
import { checkRelay } from '../../../agent/operations/checks/relay-checks.ts';
import { storeFolder } from '../../../cloud/config/config.ts';
import { commandWith, type Said } from '../../support/cloud/command.ts';
import { copyTemplate } from '../../support/cloud/embedded-template.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { TestFixture } from '../../support/process.ts';

const fixture = new TestFixture();
let vendor: string;
let tenant: string;
let settings: Record<string, string>;

beforeAll(async () => {
  vendor = fixture.folder('vendor');
  // `cloud/main.test.ts` makes an embedded store from nothing, for four seconds of processor time.
  await copyTemplate(storeFolder(vendor));
  tenant = fixture.folder('tenant');
});
afterAll(() => fixture.clear());

const cloud = (...args: string[]): Promise<Said> => commandWith({ CAUSEWAY_HOME: vendor }, ...args);
async function agent(...args: string[]): Promise<Said> {
  const file = path.join(tenant, 'relay.env');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const said = { out: '', err: '' };
  const code = await runAgent(
    [...args, '--env', file],
    { relay: checkRelay, intake: checkIntake },
    {
      env: {},
      platform: process.platform,
      own: '/nowhere/causeway-agent.js',
      now: () => new Date(),
      print: (line) => (said.out += `${line}\n`),
      complain: (line) => (said.err += `${line}\n`),
    },
  );
  return { code, ...said };
}

test('from nothing to the first pull', async () => {
  // The vendor: database, authority, first tenant.
  const initialised = await cloud('init', '--tenant', '한강증권', '--host', '127.0.0.1');
  expect(initialised).toMatchObject({ code: 0, err: '' });
  const { pki, handOut } = JSON.parse(initialised.out) as {
    pki: Record<'ca' | 'serverCert' | 'serverKey' | 'clientCa' | 'verifyKey', string>;
    handOut: string[];
  };
  const added = await cloud('tenant', 'add', '--name', '두번째증권');
  const { tenantId } = JSON.parse(added.out) as { tenantId: number };

  // The tenant: a key that is made here, and the request for its certificate.
  const at = (name: string): string => path.join(tenant, 'pki', name);
  settings = {
    CAUSEWAY_RELAY_UPSTREAM: 'https://127.0.0.1:9',
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_CERT: at('relay.crt'),
    CAUSEWAY_RELAY_KEY: at('relay.key'),
    CAUSEWAY_RELAY_CA: path.join(tenant, 'cloud-ca.crt'),
    // The single-module option: an Intake that asks the cloud itself.
    CAUSEWAY_LEDGER: path.join(tenant, 'ledger.sqlite'),
    CAUSEWAY_INTAKE_UPSTREAM: 'https://127.0.0.1:9',
    CAUSEWAY_INTAKE_CERT: at('intake.crt'),
    CAUSEWAY_INTAKE_KEY: at('intake.key'),
    CAUSEWAY_INTAKE_CA: path.join(tenant, 'cloud-ca.crt'),
    CAUSEWAY_INTAKE_VERIFY_KEY: path.join(tenant, 'signing.pub'),
  };
  // The tenant gets the files that `init` names, and no other file of the vendor.
  expect(handOut).toEqual([pki.ca, pki.verifyKey]);
  copyFileSync(pki.ca, path.join(tenant, 'cloud-ca.crt'));
  copyFileSync(pki.verifyKey, path.join(tenant, 'signing.pub'));
  const requested = await agent('certificate', 'request', 'relay');
  expect(requested).toMatchObject({ code: 0, err: '' });
  expect(statSync(at('relay.key.requested')).mode & 0o777).toBe(0o600);
  const request = readFileSync(at('relay.key.csr'), 'utf8');
  expect(request).not.toContain('PRIVATE KEY');
  const key = readFileSync(at('relay.key.requested'), 'utf8');
  expect((await agent('certificate', 'request', 'relay')).code).toBe(0);
  expect(readFileSync(at('relay.key.requested'), 'utf8')).toBe(key);

  // The vendor issues: a certificate and no key.
  const issued = await cloud('certificate', 'issue', '--tenant', String(tenantId), '--csr', at('relay.key.csr'));
  expect(issued).toMatchObject({ code: 0, err: '' });
  const { cert, ...rest } = JSON.parse(issued.out) as { cert: string; fingerprint: string };
  expect(rest).not.toHaveProperty('key');
  expect(readdirSync(path.dirname(cert))).toEqual([path.basename(cert)]);
  expect(new X509Certificate(readFileSync(cert)).subject).toBe(`CN=tenant ${tenantId}\nO=Causeway`);
  expect(await agent('certificate', 'request', 'intake')).toMatchObject({ code: 0, err: '' });
  const second = await cloud(
    ...['certificate', 'issue', '--tenant', String(tenantId), '--csr', at('intake.key.csr'), '--name', 'intake'],
  );
  const ofIntake = (JSON.parse(second.out) as { cert: string }).cert;
  const refused = await cloud('certificate', 'issue', '--tenant', '1', '--csr', cert, '--name', 'other');
  expect(refused).toMatchObject({
    code: 1,
    err: 'The certificate request is no certificate request in PEM form (PKCS#10).\n',
  });

  // Before the cloud has answered, nothing is put in place.
  const early = await agent('certificate', 'install', 'relay', '--file', cert);
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed.') as string });
  expect(existsSync(at('relay.crt'))).toBe(false);

  const running = fixture.start('cloud/main.ts', {
    env: {
      CAUSEWAY_HOME: vendor,
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_TOKEN: 'first-run-token-of-at-least-32-characters',
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
    },
  });
  settings['CAUSEWAY_RELAY_UPSTREAM'] = (await running.listening('sync')).url;
  const installed = await agent('certificate', 'install', 'relay', '--file', cert);
  expect(installed).toMatchObject({ code: 0, err: '' });
  expect(installed.out).toMatch(/^First pull, in \d+ ms: The cloud answers and knows the certificate\./);
  expect(readFileSync(at('relay.key'), 'utf8').trim()).toBe(key.trim());
  const places = readdirSync(path.join(tenant, 'pki')).filter((name) => name.startsWith('relay'));
  expect(places.toSorted()).toEqual(['relay.crt', 'relay.key', 'relay.key.csr']);
  expect(await agent('certificate', 'install', 'relay', '--file', cert)).toMatchObject({
    code: 1,
    err: expect.stringContaining('No key waits for a certificate') as string,
  });

  // The relay runs with the installed files.
  const relay = fixture.start('agent/relay/main.ts', { env: settings });
  const { url } = await relay.listening('relay');
  expect((await fetch(`${url}${BUNDLE_PATH}?after=0`)).status).toBe(200);
  // A pull after a cursor beyond the head is answered with the head, and the vendor sees it in the log.
  expect((await fetch(`${url}${BUNDLE_PATH}?after=900`)).headers.get('x-causeway-head')).toBe('0');
  const seen = await running.logLine('the cursor above the head', ({ after }) => after === 900);
  expect(seen).toMatchObject({ level: 40, tenantId, head: 0, msg: expect.stringContaining('end at 0') as string });
  expect((await agent('doctor', 'relay')).out).toContain('Nothing is wrong');

  // The Intake without a relay, in the same way.
  settings['CAUSEWAY_INTAKE_UPSTREAM'] = settings['CAUSEWAY_RELAY_UPSTREAM'];
  const direct = await agent('certificate', 'install', 'intake', '--file', ofIntake);
  expect(direct).toMatchObject({ code: 0, err: '' });
  expect((await agent('doctor', 'intake')).out).toContain('pull: nothing new after cursor 0');
  settings['CAUSEWAY_INTAKE_UPSTREAM'] = url;
  expect(await agent('certificate', 'request', 'intake')).toMatchObject({
    code: 2,
    err: expect.stringContaining('it is the relay that needs one from the vendor') as string,
  });
});
