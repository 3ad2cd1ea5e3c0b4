/** A compromised feed, served over HTTP: the attacks that TUF names, each refused in one sentence. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RELEASE_BYTES, type PinnedRelease, type Release, type SeenRelease } from '../../../shared/service/release.ts';
import { publicPem, renewRelease, signRelease } from '../../packaging/release/sign-release.ts';
import { newestRelease, takeFile, type Feed } from './release-feed.ts';
import { keepSeen, readSeen } from './seen-release.ts';

const NOW = new Date('2026-11-22T09:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1_000;
const PACKAGE = 'Causeway-1.2.0.AppImage';
const METADATA = 'release-linux-x64.json';
const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const vendor = newKey();
const pinnedTo = (...keys: KeyObject[]): PinnedRelease => ({ channel: 'stable', keys: keys.map(publicPem) });
const TERMS = { version: '1.2.0', channel: 'stable', platform: 'linux-x64', now: NOW, days: 30 };

let folder: string;
let feed: Feed;
let asked: string[];
/** Answers instead of the folder; false: the folder answers. */
let attack: (path: string, response: ServerResponse) => boolean;
let close: () => Promise<void>;

const serve: RequestListener = (request, response) => {
  const path = (request.url ?? '').slice('/feed/'.length);
  asked.push(path);
  if (attack(path, response)) return;
  const file = join(folder, path);
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-feed-'));
  [asked, attack] = [[], () => false];
  await publish({});
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  feed = { address: `http://127.0.0.1:${port}/feed`, fetch: globalThis.fetch, stallMs: 60_000, bytesPerSecond: 10_000 };
  close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Publishes a release in the feed, replacing any earlier one. */
async function publish(terms: Partial<typeof TERMS>, key = vendor, content = 'the new version'): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  folder = mkdtempSync(join(tmpdir(), 'causeway-feed-'));
  writeFileSync(join(folder, PACKAGE), content);
  await signRelease(folder, key, { ...TERMS, ...terms });
}

/** Changes the metadata and signs it again, as only a holder of the key can. */
function rewrite(change: object): void {
  const text = JSON.stringify({ ...(JSON.parse(readFileSync(join(folder, METADATA), 'utf8')) as Release), ...change });
  writeFileSync(join(folder, METADATA), text);
  writeFileSync(join(folder, `${METADATA}.sig`), sign(null, Buffer.from(text), vendor));
}

interface Asking {
  pinned?: PinnedRelease | null;
  installed?: string;
  seen?: SeenRelease | null;
  now?: Date;
  platform?: string;
}
const ask = (asking: Asking = {}) =>
  newestRelease(feed, {
    pinned: pinnedTo(vendor),
    platform: 'linux-x64',
    installed: '1.1.0',
    seen: null,
    now: NOW,
    ...asking,
  });

const refused = (code: string, sentence: RegExp) =>
  expect.objectContaining({
    message: expect.stringMatching(sentence) as string,
    refusal: expect.objectContaining({ code }) as object,
  }) as Error;

/** The updater's steps: it reads the release and downloads its file. */
async function update(asking: Asking = {}): Promise<string> {
  const { release } = await ask(asking);
  const [listed] = release.files;
  if (listed === undefined) throw new Error('the release lists no file');
  const path = join(folder, 'taken');
  await takeFile(feed, listed, release.version, path);
  return readFileSync(path, 'utf8');
}

test('a valid release is accepted: the file that the signed metadata names, byte for byte', async () => {
  expect(await update()).toBe('the new version');
  expect(asked).toEqual([METADATA, `${METADATA}.sig`, PACKAGE]);
});

describe('attacks', () => {
  test('freeze: an expired release is refused, also with a clock that was set back', async () => {
    await expect(ask({ now: later(30) })).rejects.toEqual(
      refused('EXPIRED', /^The release 1\.2\.0 expired at 2026-12-22T/),
    );
    const { seen } = await ask();
    await publish({ version: '1.3.0', now: later(40), days: 1 });
    const newer = await ask({ seen, now: later(40) });
    await publish({ version: '1.4.0', now: later(-10), days: 20 });
    await expect(ask({ seen: newer.seen, now: NOW })).rejects.toEqual(refused('EXPIRED', /may be withheld/));
  });

  test('freeze: the vendor renews a release without touching its packages', async () => {
    await renewRelease(folder, vendor, { ...TERMS, now: later(29) });
    expect((await ask({ now: later(40) })).release.version).toBe('1.2.0');
  });

  test('rollback: a release older than the installed one is refused', async () => {
    await expect(ask({ installed: '1.10.0' })).rejects.toEqual(
      refused('OLDER_THAN_INSTALLED', /^The release is version 1\.2\.0, older than the installed 1\.10\.0\.$/),
    );
  });

  test('rollback: a release older than the newest seen one is refused, also after a restart', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-seen-')), 'seen.json');
    await publish({ version: '1.3.0' });
    keepSeen(file, (await ask()).seen);
    await publish({ version: '1.2.0', now: later(1) });
    await expect(ask({ seen: readSeen(file) })).rejects.toEqual(
      refused('OLDER_THAN_SEEN', /^The release is 1\.2\.0 of /),
    );
    writeFileSync(file, '{"version":');
    expect(readSeen(file)).toBeNull();
    rmSync(join(file, '..'), { recursive: true });
  });

  test('rollback: earlier metadata of the same version is refused', async () => {
    await publish({ now: later(1) });
    const { seen } = await ask({ now: later(1) });
    await publish({});
    await expect(ask({ seen, now: later(1) })).rejects.toEqual(
      refused('OLDER_THAN_SEEN', /older than one seen before/),
    );
  });

  test('fast-forward: an unsigned version raises nothing, and one by a retired key does not block others', async () => {
    const thief = newKey();
    await publish({ version: '9999.0.0' }, thief);
    await expect(ask()).rejects.toEqual(refused('SIGNATURE', /^release-linux-x64\.json is not signed/));
    const { seen } = await ask({ pinned: pinnedTo(thief) });
    expect(seen.version).toBe('9999.0.0');
    await publish({});
    await expect(ask({ seen, pinned: pinnedTo(thief, vendor) })).rejects.toEqual(refused('OLDER_THAN_SEEN', /9999/));
    // The program that was installed by hand no longer pins the stolen key.
    expect((await ask({ seen, pinned: pinnedTo(vendor) })).release.version).toBe('1.2.0');
  });

  test.each([METADATA, `${METADATA}.sig`])('endless data: %s is read no further than its limit', async (name) => {
    let sent = 0;
    attack = (path, response) => {
      if (path !== name) return false;
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, ' '))) sent += 16_384;
      };
      response.on('drain', more);
      more();
      return true;
    };
    await expect(ask()).rejects.toEqual(refused('TOO_LARGE', /is longer than \d+ bytes\.$/));
    expect(sent).toBeLessThan(RELEASE_BYTES * 1_000);
  });

  test('endless data: metadata that decompresses without end is limited by its decompressed size', async () => {
    attack = (path, response) => {
      if (path !== METADATA) return false;
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' ')));
      return true;
    };
    await expect(ask()).rejects.toEqual(refused('TOO_LARGE', /65536 bytes/));
  });

  test.each([
    ['longer', 'the new version and more'],
    ['shorter', 'the new'],
    ['changed', 'the evil version'.slice(0, 15)],
    ['empty', ''],
  ])('tampered file: one that is %s is refused and removed', async (_how, content) => {
    attack = (path, response) => {
      if (path !== PACKAGE) return false;
      response.end(content);
      return true;
    };
    await expect(update()).rejects.toEqual(
      refused('FILE', /^Causeway-1\.2\.0\.AppImage differs in size or hash from what the release 1\.2\.0 says\.$/),
    );
    expect(existsSync(join(folder, 'taken'))).toBe(false);
  });

  test('slow retrieval: a feed that sends no byte is abandoned', async () => {
    feed = { ...feed, stallMs: 1_000, bytesPerSecond: 1 };
    attack = (path, response) => {
      if (path === PACKAGE) response.write('the');
      return path === PACKAGE;
    };
    await expect(update()).rejects.toEqual(
      refused('UNREACHABLE', /^Causeway-1.* did not come: no byte arrived in time\.$/),
    );
    expect(existsSync(join(folder, 'taken'))).toBe(false);
  });

  test('slow retrieval: a feed that drips is abandoned, and delays no later check', async () => {
    feed = { ...feed, stallMs: 1_000, bytesPerSecond: 1_000_000 };
    attack = (path, response) => {
      if (path !== METADATA) return false;
      const drip = setInterval(() => response.write(' '), 10);
      response.once('close', () => clearInterval(drip));
      return true;
    };
    await expect(ask()).rejects.toEqual(refused('UNREACHABLE', /^release-linux-x64\.json did not come: /));
    attack = () => false;
    expect((await ask()).release.version).toBe('1.2.0');
  });

  test('mix and match: metadata of one release, signature of another, and files of an older one', async () => {
    const signature = readFileSync(join(folder, `${METADATA}.sig`));
    await publish({ version: '1.3.0' }, vendor, 'version 1.3');
    const good = readFileSync(join(folder, `${METADATA}.sig`));
    writeFileSync(join(folder, `${METADATA}.sig`), signature);
    await expect(ask()).rejects.toEqual(
      refused('SIGNATURE', /is not signed by the vendor's release key \([\da-f]{16}\)/),
    );
    writeFileSync(join(folder, `${METADATA}.sig`), good);
    writeFileSync(join(folder, PACKAGE), 'the new version');
    await expect(update()).rejects.toEqual(refused('FILE', /differs/));
  });

  test('wrong signer: another key, an unsigned release, a signature of another form', async () => {
    await publish({}, newKey());
    await expect(ask()).rejects.toEqual(refused('SIGNATURE', /is not signed/));
    await publish({});
    for (const signature of [Buffer.alloc(0), Buffer.alloc(64), Buffer.from('none')]) {
      writeFileSync(join(folder, `${METADATA}.sig`), signature);
      await expect(ask()).rejects.toEqual(refused('SIGNATURE', /is not signed/));
    }
    rmSync(join(folder, `${METADATA}.sig`));
    await expect(ask()).rejects.toEqual(refused('MISSING', /^There is no release-linux-x64\.json\.sig\.$/));
  });

  test('wrong signer: a signed file of another kind is not a release', async () => {
    for (const [from, to] of [
      ['SHA256SUMS', METADATA],
      ['SHA256SUMS.sig', `${METADATA}.sig`],
    ] as const)
      writeFileSync(join(folder, to), readFileSync(join(folder, from)));
    await expect(ask()).rejects.toEqual(refused('FORM', /cannot be read/));
  });

  test.each([
    ['product', { product: 'gangway' }, 'PRODUCT', /of the product gangway, and this is causeway/],
    ['channel', { channel: 'beta' }, 'CHANNEL', /of the channel beta, and this program follows stable/],
    ['platform', { platform: 'win32-x64' }, 'PLATFORM', /for win32-x64, and this is linux-x64/],
  ])('another %s, signed by the same key, is refused', async (_what, change, code, sentence) => {
    rewrite(change);
    await expect(ask()).rejects.toEqual(refused(code, sentence));
  });

  test.each(['../evil', 'https://evil.example/x', '/etc/passwd', '.hidden', 'a\\b', ''])(
    'a file name that leads elsewhere is refused: %j',
    async (name) => {
      rewrite({ files: [{ name, size: 1, sha512: '0'.repeat(128) }] });
      await expect(ask()).rejects.toEqual(refused('FORM', /cannot be read/));
    },
  );

  test('a redirection is not followed', async () => {
    const places: string[] = [];
    const elsewhere = createServer((request, response) => {
      places.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    attack = (path, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/${path}` }).end();
      return true;
    };
    await expect(ask()).rejects.toEqual(refused('UNREACHABLE', /did not come: unexpected redirect/));
    expect(places).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });
});

test('a build without a pinned key sends no request', async () => {
  await expect(ask({ pinned: null })).rejects.toEqual(refused('NO_KEY', /^This is an unsigned test build/));
  expect(asked).toEqual([]);
});

test('rotation: a release signed by the next key is accepted before and after it has become the current one', async () => {
  const next = newKey();
  await publish({}, next);
  expect((await ask({ pinned: pinnedTo(vendor, next) })).release.version).toBe('1.2.0');
  expect((await ask({ pinned: pinnedTo(next, newKey()) })).release.version).toBe('1.2.0');
  await expect(ask({ pinned: pinnedTo(vendor) })).rejects.toEqual(refused('SIGNATURE', /is not signed/));
});

test('after a refusal the next check works as usual', async () => {
  attack = (_path, response) => {
    response.writeHead(500).end();
    return true;
  };
  await expect(ask()).rejects.toEqual(refused('UNREACHABLE', /did not come: HTTP 500\.$/));
  attack = () => false;
  expect(await update()).toBe('the new version');
});

test('renewal refuses a folder whose packages are not the signed ones', async () => {
  writeFileSync(join(folder, PACKAGE), 'put there later');
  await expect(renewRelease(folder, vendor, TERMS)).rejects.toEqual(refused('FILE', /differs/));
  await expect(renewRelease(folder, newKey(), TERMS)).rejects.toEqual(refused('SIGNATURE', /is not signed/));
});
