import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { COMMANDS } from './commands.ts';
import { INTAKE_VARIABLES, readSettings, StartError } from './settings.ts';
import { makeAuthority } from '../../test/support/pki.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
function file(name: string, text: string): string {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
}
const verifyKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
const files = {
  verify: file('verify.pem', verifyKey),
  empty: file('empty.pem', ''),
  cert: '',
  key: '',
  otherKey: '',
  ca: '',
};
beforeAll(async () => {
  const authority = await makeAuthority();
  const [own, other] = await Promise.all([authority.client(), authority.client()]);
  Object.assign(files, {
    cert: file('cert.pem', own.cert),
    key: file('key.pem', own.key),
    otherKey: file('other.pem', other.key),
    ca: file('ca.pem', authority.ca),
  });
});

const LOCAL = { CAUSEWAY_LEDGER: '/x/ledger.sqlite', CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:4200' };
const REMOTE = { ...LOCAL, CAUSEWAY_INTAKE_UPSTREAM: 'https://cloud.example:4143' };
const tls = () => ({ CAUSEWAY_INTAKE_CERT: files.cert, CAUSEWAY_INTAKE_KEY: files.key, CAUSEWAY_INTAKE_CA: files.ca });

describe('settings that fit', () => {
  test('a relay on this machine, with defaults', () => {
    expect(readSettings(LOCAL)).toMatchObject({
      identity: { files: [] },
      pollMs: 60_000,
      waitSeconds: 25,
      limit: null,
      verifyKey: null,
      statementMs: 300_000,
      tenantId: null,
      demo: false,
    });
  });
  test('the cloud itself, with a client certificate', () => {
    const settings = readSettings({
      ...REMOTE,
      ...tls(),
      CAUSEWAY_INTAKE_VERIFY_KEY: files.verify,
      CAUSEWAY_INTAKE_POLL_SECONDS: '300',
      CAUSEWAY_INTAKE_LIMIT: '500',
      CAUSEWAY_INTAKE_TENANT: '7',
      CAUSEWAY_DEMO: '1',
    });
    expect(settings).toMatchObject({ pollMs: 300_000, limit: 500, tenantId: 7, demo: true });
    expect(settings.identity.files).toEqual([files.cert, files.key, files.ca]);
    expect(settings.identity.read().cert).toContain('BEGIN CERTIFICATE');
    expect(settings.verifyKey?.read().map((key) => key.asymmetricKeyType)).toEqual(['ed25519']);
  });
  test.each(['http://localhost:1', 'http://[::1]:1', 'http://127.8.9.1:1'])('%s is on this machine', (upstream) => {
    expect(readSettings({ ...LOCAL, CAUSEWAY_INTAKE_UPSTREAM: upstream }).upstream.href).toBe(`${upstream}/`);
  });
});

describe('a fault of a variable', () => {
  test('all missing variables are reported at once', () => {
    expect(() => readSettings({})).toThrow(/CAUSEWAY_LEDGER is missing.*\n.*CAUSEWAY_INTAKE_UPSTREAM is missing/);
  });
  test.each<[Record<string, string>, RegExp]>([
    [{ CAUSEWAY_INTAKE_UPSTREAM: 'http://relay.example:4200' }, /CAUSEWAY_INTAKE_UPSTREAM must begin with https:\/\//],
    [{ CAUSEWAY_INTAKE_UPSTREAM: 'http://localhost.example:4200' }, /must begin with https:\/\//],
    [{ CAUSEWAY_INTAKE_UPSTREAM: 'https://cloud.example/path' }, /only scheme, host and port/],
    [{ CAUSEWAY_INTAKE_UPSTREAM: '127.0.0.1:4200' }, /CAUSEWAY_INTAKE_UPSTREAM must/],
    [{ CAUSEWAY_INTAKE_LIMIT: '501' }, /CAUSEWAY_INTAKE_LIMIT must be a whole number from 1 to 500/],
    [{ CAUSEWAY_INTAKE_TENANT: '0' }, /CAUSEWAY_INTAKE_TENANT must be a whole number from 1/],
    [{ CAUSEWAY_INTAKE_POLL_SECONDS: '0' }, /CAUSEWAY_INTAKE_POLL_SECONDS/],
    [{ CAUSEWAY_INTAKE_WAIT_SECONDS: '46' }, /CAUSEWAY_INTAKE_WAIT_SECONDS/],
    [{ CAUSEWAY_DEMO: 'yes' }, /CAUSEWAY_DEMO must be one of/],
    [{ CAUSEWAY_INTAKE_KEY: 'x' }, /CAUSEWAY_INTAKE_CERT is missing/],
    [{ CAUSEWAY_INTAKE_CERT: 'x' }, /CAUSEWAY_INTAKE_KEY is missing/],
    [
      { CAUSEWAY_INTAKE_CERT: 'x', CAUSEWAY_INTAKE_KEY: 'x', CAUSEWAY_INTAKE_CA: 'x' },
      /CAUSEWAY_INTAKE_CERT and CAUSEWAY_INTAKE_CA would not be used/,
    ],
  ])('%j', (env, said) => {
    expect(() => readSettings({ ...LOCAL, ...env })).toThrow(ConfigurationError);
    expect(() => readSettings({ ...LOCAL, ...env })).toThrow(said);
  });
});

describe('a fault of a file', () => {
  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a key of another certificate',
      () => ({ ...tls(), CAUSEWAY_INTAKE_KEY: files.otherKey }),
      /CAUSEWAY_INTAKE_CERT .*cert\.pem.* CAUSEWAY_INTAKE_KEY .*other\.pem.*do not fit each other/,
    ],
    [
      'a file that is not there',
      () => ({ ...tls(), CAUSEWAY_INTAKE_CA: path.join(folder, 'none') }),
      /CAUSEWAY_INTAKE_CA \(.*none\) cannot be read \(ENOENT\)/,
    ],
    [
      'a key where the certificate should be',
      () => ({ ...tls(), CAUSEWAY_INTAKE_CERT: files.key }),
      /CAUSEWAY_INTAKE_CERT .* holds no certificate/,
    ],
    [
      'a certificate where the key should be',
      () => ({ ...tls(), CAUSEWAY_INTAKE_KEY: files.cert }),
      /CAUSEWAY_INTAKE_KEY .* holds no private key/,
    ],
    ['an empty CA', () => ({ CAUSEWAY_INTAKE_CA: files.empty }), /CAUSEWAY_INTAKE_CA .* holds no certificate/],
    [
      'a verification key of another kind',
      () => ({ CAUSEWAY_INTAKE_VERIFY_KEY: files.cert }),
      /CAUSEWAY_INTAKE_VERIFY_KEY .* Ed25519 is needed/,
    ],
  ])('%s', (_, env, said) => {
    expect(() => readSettings({ ...REMOTE, ...env() })).toThrow(StartError);
    expect(() => readSettings({ ...REMOTE, ...env() })).toThrow(said);
  });
});

test('the settings of the service know every variable of its commands: the doctor would have it taken out', () => {
  // The part `backup` runs these two, with settings of its own.
  const ofIntake = Object.entries(COMMANDS).filter(([name]) => name !== 'backups' && name !== 'archive');
  const named = ofIntake.flatMap(([, { variables }]) => Object.keys(variables));
  expect(named.filter((name) => !(name in INTAKE_VARIABLES))).toEqual([]);
});
