/** The release key and the folder that it signs, verified with standard Linux tools. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseKeyId, type Release } from '../../shared/service/release.ts';
import { isDeep } from '../../test/support/depth.ts';
import { deepTest, some } from '../../test/support/runs.ts';
import { ensureElectronRuntime } from '../setup/electron-runtime.js';
import { builderConfiguration } from './builder.ts';
import { PROJECT } from './build/inputs.ts';
import { buildRelease, requireOfficial, requireSigning, signBuilt } from './release/release-build.ts';
import { makeReleaseKey, releasePins, releaseSigning } from './release/release-key.ts';
import { windowsSigning } from './windows-signing.ts';

// The packed command uses the system's clock.
const NOW = new Date();
let folder: string;
let place: string;
const keyFile = (): string => join(folder, 'keys', 'release.key');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-release-'));
  makeReleaseKey(join(folder, 'keys'), 'a passphrase');
  const signing = releaseSigning({ CAUSEWAY_RELEASE_KEY: keyFile(), CAUSEWAY_RELEASE_PASSPHRASE: 'a passphrase' });
  place = await buildRelease({ archives: isDeep ? ['relay'] : [], installers, signing, now: NOW, into: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In place of installers, which are signed as any other file. */
function installers(into: string): Promise<void> {
  mkdirSync(into);
  for (const name of [SMALL, 'other.AppImage']) writeFileSync(join(into, name), `the bytes of ${name}`);
  return Promise.resolve();
}

function run(script: string, args: string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(import.meta.dirname, script), ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

const SMALL = 'small.deb';
/** Packing the relay takes ten seconds. */
const ARCHIVE = `causeway-relay-0.1.0-${process.platform}-${process.arch}.tar.gz`;
const PACKED = [SMALL, 'other.AppImage', ...(isDeep ? [ARCHIVE] : [])];
const METADATA = `release-${process.platform}-${process.arch}.json`;

const BILL = `causeway-0.1.0-${process.platform}-${process.arch}.cdx.json`;

/** The packages in the bundles, as the bundler lists them. */
function packagesOf(services: string): string[] {
  const scripts = readdirSync(services, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const regions = scripts.flatMap((name) => [
    ...readFileSync(join(services, name), 'utf8').matchAll(
      /^\s*\/\/ node_modules\/(?:.*node_modules\/)?((?:@[^/\s]+\/)?[^/\s]+)/gm,
    ),
  ]);
  return [...new Set(regions.map(([, name]) => name ?? ''))];
}

test('a release folder holds the packages, their checksums, signatures and metadata, and nothing else', () => {
  const files = readdirSync(place).toSorted();
  expect(files.filter((name) => name.endsWith('.sig')).map((name) => name.slice(0, -4))).toEqual(
    files.filter((name) => !name.endsWith('.sig')),
  );
  expect(files).toEqual(expect.arrayContaining([...PACKED, BILL, 'SHA256SUMS', METADATA]));
  expect(files.filter((name) => !name.endsWith('.sig'))).toHaveLength(PACKED.length + 3);
  const release = JSON.parse(readFileSync(join(place, METADATA), 'utf8')) as Release;
  expect(release).toMatchObject({
    product: 'causeway',
    channel: 'stable',
    version: '0.1.0',
    issuedAt: NOW.toISOString(),
  });
  expect(Date.parse(release.expiresAt) - NOW.getTime()).toBe(90 * 24 * 60 * 60 * 1_000);
});

test("the commands of the first run's page verify it, with OpenSSL and sha256sum only", () => {
  const page = readFileSync(join(PROJECT, 'agent/operations/guide/first-run.md'), 'utf8');
  const block = /```sh\n(openssl .*?)```/s.exec(page)?.[1] ?? '';
  const delivered = join(folder, 'delivered');
  cpSync(place, delivered, { recursive: true });
  copyFileSync(join(folder, 'keys', 'release.pub'), join(delivered, 'release.pub'));
  // Its input is closed: bash mistakes a socket for a remote shell and reads the machine's own start-up file.
  const verified = spawnSync('bash', ['-euc', block], {
    cwd: delivered,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect({ status: verified.status, err: verified.stderr }).toEqual({ status: 0, err: '' });
  const [id, sums, ...rest] = verified.stdout.trimEnd().split('\n');
  expect(id).toBe(releaseKeyId(createPublicKey(readFileSync(join(delivered, 'release.pub')))));
  expect(sums).toBe('Signature Verified Successfully');
  expect(rest).toEqual(expect.arrayContaining(PACKED.map((name) => `${name}: OK`)));
  expect(rest).toContain('Signature Verified Successfully');
  expect(rest.join('\n')).toMatch(/"version": "0\.1\.0"/);
  const own = ['pkeyutl', '-verify', '-pubin', '-inkey', 'release.pub', '-rawin', '-in', SMALL];
  const archive = spawnSync('openssl', [...own, '-sigfile', `${SMALL}.sig`], { cwd: delivered, encoding: 'utf8' });
  expect(archive).toMatchObject({ status: 0, stdout: 'Signature Verified Successfully\n' });
});

deepTest(
  'the packed program is in the bill of materials, and verifies packages by the key that its build pinned',
  ({ skip }) => {
    if (process.platform !== 'linux') skip('NOT CHECKED: the package is unpacked by tar');
    const tar = spawnSync('tar', ['-C', folder, '-xzf', join(place, ARCHIVE)]);
    expect(tar.status).toBe(0);
    const unpacked = join(folder, ARCHIVE.replace('.tar.gz', ''));
    const bundled = packagesOf(join(unpacked, 'services'));
    expect(bundled).toContain('zod');
    const bill = JSON.parse(readFileSync(join(place, BILL), 'utf8')) as { components: { name: string }[] };
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(bundled));
    const agent = join(unpacked, 'bin', 'causeway-agent');
    const verify = (file: string): SpawnSyncReturns<string> =>
      spawnSync(agent, ['verify-package', file], { encoding: 'utf8', env: {} });
    const { status, stdout, stderr } = verify(join(place, ARCHIVE));
    expect(stdout).toContain(`ok  ${ARCHIVE} is signed by the release key `);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(verify(join(place, METADATA))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('NO ') as string,
    });
    expect(spawnSync(agent, ['verify-package'], { encoding: 'utf8', env: {} }).status).toBe(2);
  },
);

test('a release needs a key, unless an unsigned test build is requested', () => {
  const { status, stderr } = run('package.ts', ['--relay']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'A release is signed: name the release key in CAUSEWAY_RELEASE_KEY (npm run release -- key makes one), or say --unsigned for a test build that the program shows as one.\n',
  });
  expect(requireSigning(null, true)).toBeNull();
});

test('the stand-in Electron is in no installer, signed or not', () => {
  expect(() => requireOfficial({ kind: 'stand-in', version: '33.2.1' })).toThrow(
    /^The installers need the official Electron, and this machine has only the stand-in 33\.2\.1 for development: [^.]+\.$/,
  );
  expect(() => requireOfficial({ kind: 'official', version: '45.4.1' })).not.toThrow();
});

test('a build with installers requires the official Electron before it creates anything', async ({ skip }) => {
  const { kind } = await ensureElectronRuntime({ log: () => undefined });
  if (kind === 'official') skip('NOT CHECKED: the Electron of this machine is the official one');
  const ways = [
    ['--installers', '--unsigned'],
    ['--relay', '--installers'],
  ];
  for (const args of some(1, ways))
    expect(
      run('package.ts', args, { CAUSEWAY_RELEASE_KEY: keyFile(), CAUSEWAY_RELEASE_PASSPHRASE: 'a passphrase' }),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The installers need the official Electron') as string,
    });
});

test('the key command creates a pair outside of the repository, and never overwrites one', () => {
  const own = join(folder, 'own');
  expect(run('release.ts', ['key', own])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('release.pub') as string,
  });
  expect(statSync(join(own, 'release.key')).mode & 0o777).toBe(0o600);
  expect(run('release.ts', ['key', own])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('EEXIST') as string,
  });
  const link = join(folder, 'link');
  symlinkSync(PROJECT, link);
  for (const inside of some(1, [PROJECT, join(PROJECT, 'electron', 'keys'), join(link, 'keys')]))
    expect(run('release.ts', ['key', inside]).stderr).toMatch(
      /lies in the repository: keep the release key outside of it\.\n$/,
    );
  expect(existsSync(join(PROJECT, 'release.key'))).toBe(false);
});

test('an unusable signing key is refused in one sentence', () => {
  const named = (pem: string, mode = 0o600): (() => unknown) => {
    const file = join(folder, 'some.key');
    rmSync(file, { force: true });
    writeFileSync(file, pem, { mode });
    chmodSync(file, mode);
    return () => releaseSigning({ CAUSEWAY_RELEASE_KEY: file });
  };
  const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const good = pemOf(generateKeyPairSync('ed25519').privateKey);
  expect(named(good)()).toMatchObject({ pinned: { channel: 'stable' } });
  if (process.platform !== 'win32') expect(named(good, 0o644)).toThrow(/can be read by other users/);
  expect(named('no key')).toThrow(/cannot be read as a private key/);
  expect(named(pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))).toThrow(/is no Ed25519 key\.$/);
  expect(() => releaseSigning({ CAUSEWAY_RELEASE_KEY: keyFile(), CAUSEWAY_RELEASE_PASSPHRASE: 'wrong' })).toThrow(
    /CAUSEWAY_RELEASE_PASSPHRASE/,
  );
  expect(releaseSigning({})).toBeNull();
});

test('rotation: the public half of the next key is pinned beside the current one', () => {
  const next = makeReleaseKey(join(folder, 'next-keys'), undefined);
  const signing = releaseSigning({
    CAUSEWAY_RELEASE_KEY: keyFile(),
    CAUSEWAY_RELEASE_PASSPHRASE: 'a passphrase',
    CAUSEWAY_RELEASE_NEXT_KEY: join(folder, 'next-keys', 'release.pub'),
    CAUSEWAY_RELEASE_CHANNEL: 'beta',
  });
  expect(signing?.pinned).toEqual({
    channel: 'beta',
    keys: [readFileSync(join(folder, 'keys', 'release.pub'), 'utf8'), next],
  });
});

test('signed later: the build pins the public half, and its own key alone signs it', async () => {
  const env = { CAUSEWAY_RELEASE_PUBLIC_KEY: join(folder, 'keys', 'release.pub') };
  expect(() => releasePins({})).toThrow('name release.pub in CAUSEWAY_RELEASE_PUBLIC_KEY');
  const pins = releasePins(env);
  const signing = releaseSigning({ CAUSEWAY_RELEASE_KEY: keyFile(), CAUSEWAY_RELEASE_PASSPHRASE: 'a passphrase' });
  if (signing === null) throw new Error('no key');
  expect([pins.key, pins.pinned]).toEqual([null, signing.pinned]);
  const into = join(folder, 'later');
  const built = await buildRelease({ archives: [], installers, signing: pins, now: NOW, into });
  expect(built).toMatch(/to-sign-0\.1\.0-/);
  expect(readdirSync(built).filter((name) => /\.sig$|SUMS|^release-/.test(name))).toEqual([]);
  makeReleaseKey(join(folder, 'strange'), undefined);
  const strange = releaseSigning({ CAUSEWAY_RELEASE_KEY: join(folder, 'strange', 'release.key') });
  if (strange === null) throw new Error('no key');
  await expect(signBuilt(built, strange, NOW)).rejects.toThrow('no build that waits for this key');
  const signed = await signBuilt(built, signing, NOW);
  expect([
    existsSync(built),
    readdirSync(signed)
      .filter((name) => !name.startsWith('causeway-relay'))
      .toSorted(),
  ]).toEqual([
    false,
    readdirSync(place)
      .filter((name) => !name.startsWith('causeway-relay'))
      .toSorted(),
  ]);
});

test('renew: more days for the same packages', () => {
  const env = { CAUSEWAY_RELEASE_KEY: keyFile(), CAUSEWAY_RELEASE_PASSPHRASE: 'a passphrase' };
  const { status, stdout } = run('release.ts', ['renew', place], env);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Release 0\.1\.0 is good until 20/) as string,
  });
  expect(run('release.ts', ['renew', folder], env)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('holds no') as string,
  });
});

test.each([
  [{}, /needs CAUSEWAY_WINDOWS_PUBLISHER/],
  [{ CAUSEWAY_WINDOWS_PUBLISHER: 'Vendor Inc.' }, /needs CAUSEWAY_WINDOWS_CERT_SHA1 \(a token\)/],
  [{ CAUSEWAY_WINDOWS_PUBLISHER: 'Vendor Inc.', CAUSEWAY_WINDOWS_CERT_SHA1: 'xyz' }, /must be the thumbprint/],
])('a release for Windows says how it is signed: %j', (env, sentence) => {
  expect(() => windowsSigning(env)).toThrow(sentence);
});

test('electron-builder must sign for Windows, and fails without', () => {
  const env = { CAUSEWAY_WINDOWS_PUBLISHER: 'Vendor Inc.', CAUSEWAY_WINDOWS_CERT_SHA1: 'ab'.repeat(20) };
  const input = {
    services: '',
    renderer: '',
    icon: '',
    node: '',
    output: '',
    electron: { dist: '', version: '45.4.1' },
  };
  const signed = builderConfiguration({ ...input, isTest: false, signing: windowsSigning(env) });
  expect(signed).toMatchObject({
    forceCodeSigning: true,
    win: {
      signExts: ['!node.exe'],
      signtoolOptions: {
        publisherName: ['Vendor Inc.'],
        certificateSha1: 'ab'.repeat(20),
        signingHashAlgorithms: ['sha256'],
      },
    },
  });
  const azure = windowsSigning({
    CAUSEWAY_WINDOWS_PUBLISHER: 'Vendor Inc.',
    CAUSEWAY_WINDOWS_AZURE_ENDPOINT: 'https://krc.codesigning.azure.net',
    CAUSEWAY_WINDOWS_AZURE_ACCOUNT: 'vendor',
    CAUSEWAY_WINDOWS_AZURE_PROFILE: 'release',
  });
  expect(azure.win.azureSignOptions).toMatchObject({ publisherName: 'Vendor Inc.', codeSigningAccountName: 'vendor' });
  expect(builderConfiguration({ ...input, isTest: true, signing: null }).forceCodeSigning).toBe(false);
});
