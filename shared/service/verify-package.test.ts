/** `verify-package`: checks the files beside a package against the pinned key. */
import { createHash, createPublicKey, generateKeyPairSync, hash, sign, type KeyObject } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Release } from './release.ts';
import { PRODUCT_VERSION } from '../wire/version.ts';
import { ownUsers, verifyPackage } from './verify-package.ts';

const NOW = new Date('2026-11-22T09:00:00.000Z');
const NAME = `causeway-relay-${PRODUCT_VERSION}-linux-x64.tar.gz`;
const METADATA = 'release-linux-x64.json';
const vendor = generateKeyPairSync('ed25519').privateKey;
const pemOf = (key: KeyObject): string => createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-verify-'));
  said = [];
  release({});
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
function put(name: string, bytes: string | Buffer, key = vendor): void {
  writeFileSync(at(name), bytes);
  writeFileSync(at(`${name}.sig`), sign(null, Buffer.from(bytes), key));
}

/** A folder as the vendor delivers it. */
function release(change: Partial<Release>, key = vendor, content = 'a package'): void {
  put(NAME, content, key);
  put('SHA256SUMS', `${hash('sha256', content)}  ${NAME}\n${hash('sha256', 'more')}  other.deb\n`, key);
  const sha512 = createHash('sha512').update(content).digest('hex');
  const metadata: Release = {
    ...{ v: 1, product: 'causeway', channel: 'stable', platform: 'linux-x64', version: PRODUCT_VERSION },
    ...{ issuedAt: '2026-11-20T00:00:00.000Z', expiresAt: '2026-12-20T00:00:00.000Z' },
    files: [{ name: NAME, size: content.length, sha512 }],
    ...change,
  };
  put(METADATA, JSON.stringify(metadata), key);
}

async function verify(
  file = at(NAME),
  keys: KeyObject[] | null = [vendor],
  copy: string | null = null,
  heard: (line: string) => void = () => undefined,
): Promise<number> {
  const pinned = keys === null ? null : { channel: 'stable', keys: keys.map(pemOf) };
  const print = (line: string): void => {
    said.push(line);
    heard(line);
  };
  return verifyPackage(file, copy, { pinned, now: () => NOW, trusted: ownUsers({}), print, complain: print });
}

test('a package of the vendor: each finished check is reported', async () => {
  expect(await verify()).toBe(0);
  expect(said.map((line) => line.replaceAll(/[\da-f]{16,}/g, 'HEX'))).toEqual([
    `ok  ${NAME} is signed by the release key HEX`,
    `ok  SHA256SUMS is signed and lists it under this name with SHA-256 HEX`,
    `ok  ${METADATA} is signed and lists it as version ${PRODUCT_VERSION} of causeway, channel stable`,
    `ok  version ${PRODUCT_VERSION} is not older than the ${PRODUCT_VERSION} installed here, and good until 2026-12-20T00:00:00.000Z`,
    `${NAME} is the vendor's.`,
  ]);
});

test('the next key is accepted like the current one', async () => {
  expect(await verify(at(NAME), [generateKeyPairSync('ed25519').privateKey, vendor])).toBe(0);
});

const newer = (): void => release({ version: '9.0.0' });
test.each<[name: string, attack: () => void, sentence: RegExp]>([
  [
    'tampered file',
    () => writeFileSync(at(NAME), 'a pockage'),
    /^NO {2}causeway-relay-.* is not signed by the vendor's/,
  ],
  [
    'wrong signer',
    () => release({}, generateKeyPairSync('ed25519').privateKey),
    /is not signed by the vendor's release key/,
  ],
  ['no signature', () => rmSync(at(`${NAME}.sig`)), /There is no .*\.tar\.gz\.sig\.$/],
  ['no sums', () => rmSync(at('SHA256SUMS')), /There is no .*SHA256SUMS\.$/],
  ['sums changed', () => writeFileSync(at('SHA256SUMS'), 'x'), /SHA256SUMS is not signed/],
  ['no metadata', () => rmSync(at(METADATA)), /There is no .*release-linux-x64\.json\.$/],
  ['rollback', () => release({ version: '0.0.9' }), /version 0\.0\.9, older than the installed/],
  ['freeze', () => release({ expiresAt: '2026-11-22T08:59:59.000Z' }), /expired at 2026-11-22T08:59:59/],
  ['other channel', () => release({ channel: 'beta' }), /of the channel beta, and this program follows stable/],
  ['other product', () => release({ product: 'gangway' }), /of the product gangway/],
  [
    'mix and match: metadata of another release',
    () => (newer(), put(NAME, 'old'), sumsOf('old')),
    /differs in size or hash/,
  ],
  [
    'mix and match: sums of another release',
    () => put(NAME, 'old'),
    /differs in size or hash from what the release SHA256SUMS/,
  ],
])('%s is refused', async (_name, attack, sentence) => {
  attack();
  expect(await verify()).toBe(1);
  expect(said).toContainEqual(expect.stringMatching(sentence));
  expect(said.at(-1)).toBe(`Do not install ${NAME}.`);
});

function sumsOf(content: string): void {
  put('SHA256SUMS', `${hash('sha256', content)}  ${NAME}\n`);
}

test('a signed package under the name of another is refused', async () => {
  const renamed = 'causeway-relay-9.9.9-linux-x64.tar.gz';
  for (const end of ['', '.sig']) copyFileSync(at(NAME + end), at(renamed + end));
  expect(await verify(at(renamed))).toBe(1);
  expect(said[1]).toMatch(/9\.9\.9.* differs in size or hash from what the release SHA256SUMS says/);
});

test('endless data: files beside a package are read no further than their limit', async () => {
  put('SHA256SUMS', `${readFileSync(at('SHA256SUMS'), 'utf8')}${' '.repeat(70_000)}`);
  expect(await verify()).toBe(1);
  expect(said).toContainEqual(expect.stringContaining('is longer than 65536 bytes'));
});

test('a program that pins no key verifies nothing', async () => {
  expect(await verify(at(NAME), null)).toBe(1);
  expect(said[0]).toMatch(/^NO {2}This is an unsigned test build/);
});

test('a file that is not there', async () => {
  expect(await verify(at('none.tar.gz'))).toBe(1);
  expect(said[0]).toMatch(/^NO {2}There is no .*none\.tar\.gz\.$/);
});

describe('a folder in which other users may write', () => {
  // A part of the path is writable for all, the file itself is not.
  beforeEach(() => chmodSync(folder, 0o777));

  test('is refused for an installation: the checked file could be exchanged', async () => {
    expect(await verify()).toBe(1);
    expect(said.at(-2)).toBe(
      `NO  Other users may change ${at(NAME)} after this check: have a copy checked and written, by "--file COPY", in a folder of your own.`,
    );
  });

  test('is accepted as the source of a copy, which holds the checked bytes whatever happens to the file', async () => {
    const own = mkdtempSync(join(tmpdir(), 'causeway-own-'));
    const copy = join(own, 'package.tar.gz');
    const exchange = (): void => {
      rmSync(at(NAME), { force: true });
      writeFileSync(at(NAME), 'another package');
    };
    expect(await verify(at(NAME), [vendor], copy, exchange)).toBe(0);
    expect([readFileSync(copy, 'utf8'), readFileSync(at(NAME), 'utf8')]).toEqual(['a package', 'another package']);
    // The copy replaces no file, and only the vendor's bytes are written.
    release({});
    expect(await verify(at(NAME), [vendor], copy)).toBe(1);
    exchange();
    expect(await verify(at(NAME), [vendor], join(own, 'evil.tar.gz'))).toBe(1);
    expect(existsSync(join(own, 'evil.tar.gz'))).toBe(false);
    release({});
    expect(await verify(at(NAME), [vendor], at('copy.tar.gz'))).toBe(1);
    expect(existsSync(at('copy.tar.gz'))).toBe(false);
    rmSync(own, { recursive: true });
  });
});
