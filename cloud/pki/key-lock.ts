/** Locked private keys: PKCS#8 with a passphrase, which is in a file of its own that only the owner can read. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** A certificate or key file that cannot be used, in one sentence that names it. */
export class CertificateFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CertificateFileError';
  }
}

/** The form of a key on the disk. */
export interface KeyLock {
  /** Names the file that holds the passphrase. */
  variable: string;
  /** Null: the key is stored open. */
  passphrase: string | null;
}

const SHORTEST = 16;

/** The lock that a variable names. @param file its value @throws CertificateFileError */
export function keyLock(variable: string, file: string | undefined): KeyLock {
  if (file === undefined) return { variable, passphrase: null };
  let passphrase: string;
  try {
    passphrase = readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new CertificateFileError(
      `${variable} names ${file}, which cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new CertificateFileError(`${variable} names ${file}, which other users can read: chmod 600 ${file}.`);
  if (passphrase.length < SHORTEST)
    throw new CertificateFileError(
      `${variable} names ${file}, whose first line has fewer than ${SHORTEST} characters: write one by "openssl rand -hex 32".`,
    );
  return { variable, passphrase };
}

/** The key as it is written. @param pem open */
export function lockedPem(pem: string, passphrase: string | null): string {
  if (passphrase === null) return pem;
  const key = createPrivateKey(pem);
  return key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString();
}

/** @throws CertificateFileError also for a key in another form than the lock's */
export function openPem(text: string, path: string, lock?: KeyLock): KeyObject {
  const locked = /^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text);
  const passphrase = lock?.passphrase ?? null;
  if (lock !== undefined && locked && passphrase === null)
    throw new CertificateFileError(`The key ${path} is locked: name the file of its passphrase in ${lock.variable}.`);
  if (lock !== undefined && !locked && passphrase !== null)
    throw new CertificateFileError(
      `The key ${path} lies open, though ${lock.variable} is set: lock it by "openssl pkcs8 -topk8 -v2 aes-256-cbc -in ${path} -out FILE" and put FILE in its place.`,
    );
  try {
    return createPrivateKey(passphrase === null ? text : { key: text, passphrase });
  } catch {
    throw new CertificateFileError(
      locked && lock !== undefined
        ? `The key ${path} does not open by the passphrase of ${lock.variable}.`
        : `The file ${path} holds no unencrypted private key in PEM form.`,
    );
  }
}
