/** The key that signs the answers of the bundle endpoint (D32, D59). */
import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { KEY_ID_DIGITS } from '../../shared/wire/statement.ts';
import { pkiFolder, pairExists, pkiPaths, writePublic, writeSecret, type KeyFiles } from './files.ts';
import { lockedPem } from './key-lock.ts';

export interface SigningPair {
  /** PEM. */
  public: string;
  key: string;
}

/** @param passphrase locks the private key; null: it is stored open */
export function makeSigningPair(passphrase: string | null): SigningPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    public: publicHalf(privateKey),
    key: lockedPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), passphrase),
  };
}

/** PEM. */
export const publicHalf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

export function writeSigningPair(files: KeyFiles, pair: SigningPair): void {
  writeSecret(files.key, pair.key);
  writePublic(files.public, pair.public);
}

/** @throws CertificateFileError when only one of the two files exists */
export function signingPairExists(files: KeyFiles): boolean {
  return pairExists({ cert: files.public, key: files.key });
}

const ids = new WeakMap<KeyObject, string>();

/** The id by which a statement names its key. @param key the private key or the public one */
export function keyIdOf(key: KeyObject): string {
  const known = ids.get(key);
  if (known !== undefined) return known;
  const spki = (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'der' });
  const id = hash('sha256', spki, 'hex').slice(0, KEY_ID_DIGITS);
  ids.set(key, id);
  return id;
}

/** The file of the signing key: the configured one, otherwise the one from `init`; undefined without either. */
export function signingKeyFile(config: {
  CAUSEWAY_SYNC_SIGNING_KEY: string | undefined;
  CAUSEWAY_HOME: string;
}): string | undefined {
  if (config.CAUSEWAY_SYNC_SIGNING_KEY !== undefined) return config.CAUSEWAY_SYNC_SIGNING_KEY;
  const { key } = pkiPaths(pkiFolder(config.CAUSEWAY_HOME)).signing;
  return existsSync(key) ? key : undefined;
}
