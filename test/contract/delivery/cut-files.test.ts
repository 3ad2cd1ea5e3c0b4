/**
 * A rotation hands out files with two blocks, the one in use and its successor. One that was cut in the second block still
 * works, until the switch. So each reader refuses it by name: at the start, at a reload and in the doctor.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readSettings, readVerifyKeyFile } from '../../../agent/intake/settings.ts';
import { readCredentials } from '../../../agent/relay/credentials.ts';
import { checkAuthorities } from '../../../agent/operations/checks/check-files.ts';
import { checkConsoleApi, checkProvision } from '../../../agent/operations/checks/internal-checks.ts';
import { checkCertificates } from '../../../cloud/doctor/check-files.ts';
import { writePair } from '../../../cloud/pki/files.ts';
import { prepareNext, trusted } from '../../../cloud/pki/key-rotation.ts';
import { readTlsFiles } from '../../../cloud/pki/tls-files.ts';
import { askRelay } from '../../../electron/console-api/context/relay-client.ts';
import { relayAccess, VARIABLES } from '../../../electron/console-api/context/settings.ts';
import { ssoSettings, SSO_VARIABLES } from '../../../electron/console-api/context/sso-settings.ts';
import { readAuthorities } from '../../../electron/main/security/authority.ts';
import { readServerTls } from '../../../shared/service/tls/server-tls.ts';
import { readVariables } from '../../../shared/service/variables.ts';
import { makeAuthority, type Issued } from '../../support/pki.ts';
import { TestFixture } from '../../support/process.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const NOW = new Date();
let folder: string;
let pair: Issued;
/** Two blocks, whole and with the second one cut in its middle. */
let authorities: { whole: string; cut: string };
let keys: { whole: string; cut: string };

const halved = (first: string, second: string): { whole: string; cut: string } => ({
  whole: `${first.trim()}\n${second.trim()}\n`,
  cut: `${first.trim()}\n${second.trim().slice(0, second.length / 2)}\n`,
});
const publicKey = (): string =>
  generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();

beforeAll(async () => {
  folder = fixture.folder('cut');
  const [first, second] = [await makeAuthority(), await makeAuthority()];
  pair = await first.server();
  authorities = halved(first.ca, second.ca);
  keys = halved(publicKey(), publicKey());
  writeFileSync(file('cert'), pair.cert);
  writeFileSync(file('key'), pair.key, { mode: 0o600 });
});

const file = (name: string): string => path.join(folder, name);
const written = (text: string): string => {
  writeFileSync(file('tried'), text);
  return file('tried');
};
const named = (variable: string, at: string) => ({ variable, path: at });

const relayVariables = (ca: string): Record<string, string> => ({
  CAUSEWAY_LEDGER: file('none'),
  CAUSEWAY_CONSOLE_RELAY: 'https://relay.firm.example',
  CAUSEWAY_CONSOLE_RELAY_CERT: file('cert'),
  CAUSEWAY_CONSOLE_RELAY_KEY: file('key'),
  CAUSEWAY_CONSOLE_RELAY_CA: ca,
});

type Reader = (tried: string) => unknown;
/** Of authorities. */
const READERS: Record<string, Reader> = {
  'bundle endpoint': (clientCa) => readTlsFiles({ cert: file('cert'), key: file('key'), clientCa }),
  relay: (ca) =>
    readCredentials({
      cert: named('CAUSEWAY_RELAY_CERT', file('cert')),
      key: named('CAUSEWAY_RELAY_KEY', file('key')),
      ca: named('CAUSEWAY_RELAY_CA', ca),
    }),
  Intake: (ca) => {
    const given = { CAUSEWAY_LEDGER: file('none'), CAUSEWAY_INTAKE_UPSTREAM: 'https://relay.firm.example' };
    return readSettings({ ...given, CAUSEWAY_INTAKE_CA: ca }).identity.read();
  },
  'console API at its relay': (ca) => {
    const tls = { cert: file('cert'), key: file('key'), ca };
    const access = { url: new URL('https://127.0.0.1:1'), tokenFile: null, tls };
    return askRelay(access, { method: 'GET', path: '/status', answer: z.unknown() }).catch((error: Error) => {
      // A whole file leads to the relay, which is not there.
      if (!error.message.includes('ECONNREFUSED')) throw error;
    });
  },
  'console API at its start': (ca) => relayAccess(readVariables(VARIABLES, relayVariables(ca))),
  'single sign-on': (ca) => {
    const given = { CAUSEWAY_CONSOLE_SSO_ISSUER: 'https://id.example', CAUSEWAY_CONSOLE_SSO_CLIENT_ID: 'causeway' };
    const values = readVariables(SSO_VARIABLES, {
      ...given,
      CAUSEWAY_CONSOLE_SSO_OPERATOR: 'ops',
      CAUSEWAY_CONSOLE_SSO_CA: ca,
    });
    return ssoSettings(values);
  },
  desktop: (ca) => readAuthorities(readFileSync(ca, 'utf8')),
  'server with a chain': (ca) => {
    const chain = `${pair.cert.trim()}\n${readFileSync(ca, 'utf8')}`;
    writeFileSync(file('chain'), chain);
    return readServerTls({ prefix: 'CAUSEWAY_PROVISION', cert: file('chain'), key: file('key') });
  },
};

test.each(Object.entries(READERS))(
  '%s: two authorities are read, and a cut second one is refused',
  async (_name, read) => {
    await read(written(authorities.whole));
    await expect((async () => read(written(authorities.cut)))()).rejects.toThrow(
      'holds a block CERTIFICATE without its end: a part of it is missing, copy it anew',
    );
  },
);

test('the keys of statements: two are read, and a cut second one is refused by the Intake and by a rotation', async () => {
  expect(readVerifyKeyFile(written(keys.whole))).toHaveLength(2);
  const refused = 'holds a block PUBLIC KEY without its end';
  expect(() => readVerifyKeyFile(written(keys.cut))).toThrow(refused);
  const succession = {
    what: 'signing key',
    present: { public: written(keys.cut), key: file('key') },
    next: { public: file('next.pub'), key: file('next.key') },
  };
  expect(() => trusted(succession)).toThrow(refused);
  await expect(prepareNext(succession, () => Promise.reject(new Error('not made')))).rejects.toThrow(refused);
  expect(readFileSync(file('tried'), 'utf8')).toBe(keys.cut);
});

test('each doctor names it', () => {
  expect(checkAuthorities('CAUSEWAY_RELAY_CA', authorities.cut, NOW)).toMatchObject([{ verdict: 'WRONG' }]);
  expect(checkAuthorities('CAUSEWAY_RELAY_CA', authorities.whole, NOW)).toHaveLength(2);
  const config = {
    CAUSEWAY_SYNC_CERT: file('cert'),
    CAUSEWAY_SYNC_KEY: file('key'),
    CAUSEWAY_SYNC_CLIENT_CA: written(authorities.cut),
  };
  expect(checkCertificates(config, NOW)).toMatchObject([{ verdict: 'WRONG' }]);
});

test('the internal host’s doctor names the authorities of the console API, cut or whole', async () => {
  const judged = async (env: Record<string, string>): Promise<string[]> => {
    const findings = await checkConsoleApi({
      env: { CAUSEWAY_LEDGER: file('none'), ...env },
      account: null,
      freeBytes: () => 1e12,
      now: () => NOW,
    });
    return findings.filter(({ about }) => about.endsWith('_CA')).map(({ about, verdict }) => `${verdict} ${about}`);
  };
  for (const name of ['CAUSEWAY_CONSOLE_SSO_CA', 'CAUSEWAY_CONSOLE_RELAY_CA']) {
    expect(await judged({ [name]: written(authorities.cut) })).toEqual([`WRONG ${name}`]);
    expect(await judged({ [name]: written(authorities.whole) })).toHaveLength(2);
    expect(await judged({ [name]: written('') })).toEqual([`WRONG ${name}`]);
  }
});

test('the internal host’s doctor refuses a chain that the start refuses', async () => {
  const chain = written(`${pair.cert.trim()}\n${authorities.cut}`);
  const context = { account: null, freeBytes: () => 1e12, now: () => NOW };
  const told = async (prefix: string, check: typeof checkProvision): Promise<string[]> => {
    const env = { CAUSEWAY_LEDGER: file('none'), [`${prefix}_CERT`]: chain, [`${prefix}_KEY`]: file('key') };
    const findings = await check({ ...context, env });
    return findings.flatMap(({ verdict, about, said }) =>
      about.startsWith('certificate of') && verdict === 'WRONG' ? [said] : [],
    );
  };
  const refused = /holds a block CERTIFICATE without its end/;
  expect(await told('CAUSEWAY_PROVISION', checkProvision)).toEqual([expect.stringMatching(refused)]);
  expect(await told('CAUSEWAY_CONSOLE', checkConsoleApi)).toEqual([expect.stringMatching(refused)]);
});

test('files that the program writes end with a line end, so that a block can be appended', () => {
  const paths = { cert: file('own.crt'), key: file('own.key') };
  writePair(paths, { cert: pair.cert.trimEnd(), key: pair.key.trimEnd() });
  for (const own of Object.values(paths)) expect(readFileSync(own, 'utf8')).toMatch(/-----\n$/);
});
