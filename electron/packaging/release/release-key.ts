/** The vendor's release key: created by a command, kept outside of the repository; the build pins its public half. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { PinnedRelease } from '../../../shared/service/release.ts';
import { BUILT, PackagingError, PROJECT } from '../build/inputs.ts';
import { publicPem } from './sign-release.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys that a build pins; without the private one it waits for its signature. */
export interface ReleasePins {
  key: KeyObject | null;
  pinned: PinnedRelease;
}

/** The keys that a build signs with and pins. */
export interface ReleaseSigning extends ReleasePins {
  key: KeyObject;
}

export const KEY_FILE = 'release.key';
export const PUBLIC_FILE = 'release.pub';

/** Writes a new pair and returns the public key. @throws PackagingError */
export function makeReleaseKey(folder: string, passphrase: string | undefined): string {
  refuseInside(resolve(folder));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = publicPem(privateKey);
  const locked = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  writeNew(join(folder, KEY_FILE), privateKey.export({ type: 'pkcs8', format: 'pem', ...locked }).toString(), 0o600);
  writeNew(join(folder, PUBLIC_FILE), pem, 0o644);
  return pem;
}

/** Null if no key is configured. @throws PackagingError with one sentence */
export function releaseSigning(env: Environment): ReleaseSigning | null {
  const file = env['CAUSEWAY_RELEASE_KEY'];
  if (file === undefined || file === '') return null;
  refuseInside(resolve(file));
  const key = readPrivate(file, env['CAUSEWAY_RELEASE_PASSPHRASE']);
  return { key, pinned: { channel: channelOf(env), keys: [publicPem(key), ...nextOf(env)] } };
}

/** The pins of a build that another step signs: its key is not at hand where packages of others run. @throws PackagingError */
export function releasePins(env: Environment): ReleasePins {
  const file = env['CAUSEWAY_RELEASE_PUBLIC_KEY'];
  if (file === undefined || file === '')
    throw new PackagingError(
      `--sign-later pins the public half of the release key: name ${PUBLIC_FILE} in CAUSEWAY_RELEASE_PUBLIC_KEY.`,
    );
  const keys = [readPublic('CAUSEWAY_RELEASE_PUBLIC_KEY', file), ...nextOf(env)];
  return { key: null, pinned: { channel: channelOf(env), keys } };
}

function nextOf(env: Environment): string[] {
  const next = env['CAUSEWAY_RELEASE_NEXT_KEY'];
  return next === undefined || next === '' ? [] : [readPublic('CAUSEWAY_RELEASE_NEXT_KEY', next)];
}

function channelOf(env: Environment): string {
  const channel = env['CAUSEWAY_RELEASE_CHANNEL'] ?? 'stable';
  if (!/^[a-z][a-z\d-]{0,31}$/.test(channel))
    throw new PackagingError(`CAUSEWAY_RELEASE_CHANNEL must be a short lower-case name, not "${channel}".`);
  return channel;
}

/** The keys that the test build pins: the current and the next one, both of this checkout only. */
export function testSigning(): ReleaseSigning & { next: KeyObject } {
  const [key, next] = ['current.key', 'next.key'].map(testKey) as [KeyObject, KeyObject];
  return { key, next, pinned: { channel: 'test', keys: [publicPem(key), publicPem(next)] } };
}

function testKey(name: string): KeyObject {
  const file = join(BUILT, 'keys-of-tests', name);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    const own = `${file}.${process.pid}`;
    writeFileSync(own, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
    });
    try {
      // The first of two processes wins, and both read the same key.
      linkSync(own, file);
    } catch (error) {
      if (!existsSync(file)) throw error;
    } finally {
      rmSync(own);
    }
  }
  return createPrivateKey(readFileSync(file));
}

function readPrivate(file: string, passphrase: string | undefined): KeyObject {
  const name = `CAUSEWAY_RELEASE_KEY names ${file}, which`;
  let key: KeyObject;
  try {
    const isOpen = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
    if (isOpen)
      throw new PackagingError(`${name} can be read by other users: chmod 600 it, and make a new key if they did.`);
    key = createPrivateKey({
      key: readFileSync(file),
      format: 'pem',
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  } catch (error) {
    if (error instanceof PackagingError) throw error;
    throw new PackagingError(`${name} cannot be read as a private key: check path and CAUSEWAY_RELEASE_PASSPHRASE.`, {
      cause: error,
    });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new PackagingError(`${name} is no Ed25519 key.`);
  return key;
}

function readPublic(variable: string, file: string): string {
  const name = `${variable} names ${file}, which`;
  let key: KeyObject;
  try {
    key = createPublicKey(readFileSync(file));
  } catch (error) {
    throw new PackagingError(`${name} cannot be read as a public key.`, { cause: error });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new PackagingError(`${name} is no Ed25519 key.`);
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function refuseInside(path: string): void {
  const way = relative(realpathSync(PROJECT), join(realpathSync(nearest(path)), relative(nearest(path), path)));
  if (way === '' || !(way.startsWith('..') || resolve(way) === way))
    throw new PackagingError(`${path} lies in the repository: keep the release key outside of it.`);
}

/** The nearest existing parent folder or file. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' });
  } catch (error) {
    throw new PackagingError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
