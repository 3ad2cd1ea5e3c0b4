/** Certificates and keys as files: a key is readable by its owner alone, and a pair that does not match is refused. */
import { certificateBlocks, PemError } from '../../shared/service/tls/pem.ts';
import { X509Certificate, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeyedCertificate } from './certificates.ts';
import { CertificateFileError, lockedPem, openPem, type KeyLock } from './key-lock.ts';

export interface PairPaths {
  cert: string;
  key: string;
}

export interface KeyFiles {
  /** PEM, readable by every user: a certificate or a public key; two during a rotation. */
  public: string;
  /** PEM: the private key. */
  key: string;
}

/** The folder of `init`'s certificates and keys. */
export const pkiFolder = (home: string): string => join(home, 'cloud', 'pki');

/** The files of a folder made by `init`. */
export function pkiPaths(folder: string): {
  /** During a rotation the authority's file holds both certificates, the one in use first. */
  ca: PairPaths;
  nextCa: PairPaths;
  signing: KeyFiles;
  nextSigning: KeyFiles;
  /** Holds a folder per tenant. */
  tenants: string;
  server: PairPaths;
  client(tenantId: number, name?: string): PairPaths;
} {
  const pair = (stem: string): PairPaths => ({ cert: join(folder, `${stem}.crt`), key: join(folder, `${stem}.key`) });
  const signing = (stem: string): KeyFiles => ({
    public: join(folder, `${stem}.pub`),
    key: join(folder, `${stem}.key`),
  });
  return {
    ca: pair('ca'),
    nextCa: pair('ca-next'),
    signing: signing('signing'),
    nextSigning: signing('signing-next'),
    tenants: join(folder, 'tenants'),
    server: pair('server'),
    client: (tenantId, name = 'client') => pair(join('tenants', String(tenantId), name)),
  };
}

/**
 * Whether the pair exists. Half a pair is an error: a new pair in its place would invalidate all signatures of the lost
 * file.
 *
 * @throws CertificateFileError when only one of the two files exists
 */
export function pairExists({ cert, key }: PairPaths): boolean {
  const held = existsSync(cert);
  if (held === existsSync(key)) return held;
  const [there, absent] = held ? [cert, key] : [key, cert];
  throw new CertificateFileError(
    `The file ${absent} is missing while ${there} is there: put it back from a backup, or, if a new pair is to be made, move ${there} away first.`,
  );
}

/** Writes a pair, the key first, each in one step. */
export function writePair(paths: PairPaths, pair: KeyedCertificate, passphrase: string | null = null): void {
  writeSecret(paths.key, lockedPem(pair.key, passphrase));
  writePublic(paths.cert, pair.cert);
}

/** Writes a public file, such as a certificate with its key elsewhere, in one step. */
export function writePublic(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeWhole(path, text, 0o644);
}

/** Writes a private key, in one step. */
export function writeSecret(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeWhole(path, key, 0o600);
}

/** Ends the text with a line end: TLS passes over a block that somebody appends to one without. */
function writeWhole(path: string, text: string, mode: number): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text.endsWith('\n') ? text : `${text}\n`, { mode });
  // The mode above applies to new files alone.
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

/**
 * Reads a certificate and the key that belongs to it.
 * @throws CertificateFileError
 */
export function readPair(paths: PairPaths, lock?: KeyLock): KeyedCertificate {
  const cert = readText(paths.cert, 'certificate');
  const text = readText(paths.key, 'private key');
  const key = openPem(text, paths.key, lock);
  const [leaf = ''] = blocksOf(cert, paths.cert);
  if (!new X509Certificate(leaf).checkPrivateKey(key)) {
    throw new CertificateFileError(
      `The private key ${paths.key} does not belong to the certificate ${paths.cert}: give the two files that were made together.`,
    );
  }
  return { cert, key: lock === undefined ? text : key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** Reads the authority with its key. @throws CertificateFileError also where its key is on another machine */
export function readAuthority(paths: PairPaths, lock: KeyLock): KeyedCertificate {
  if (existsSync(paths.cert) && !existsSync(paths.key))
    throw new CertificateFileError(
      `The authority's key ${paths.key} is not here: where it lies, sign the request, then call "certificate register" with the certificate.`,
    );
  return readPair(paths, lock);
}

/**
 * Reads one or more certificates: a chain, or an old and a new authority together.
 * @throws CertificateFileError
 */
export function readCertificate(path: string): string {
  const text = readText(path, 'certificate');
  const blocks = blocksOf(text, path);
  // TLS silently skips a certificate that does not begin on a new line.
  return `${blocks.join('\n')}\n`;
}

/** The text of a certificate request. @throws CertificateFileError */
export const readRequest = (path: string): string => readText(path, 'certificate request');

/** Reads an Ed25519 private key (D32). @throws CertificateFileError */
export function readSigningKey(path: string, lock: KeyLock): KeyObject {
  const key = openPem(readText(path, 'signing key'), path, lock);
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new CertificateFileError(
      `The signing key ${path} is of type ${key.asymmetricKeyType ?? 'unknown'}, but must be Ed25519.`,
    );
  }
  return key;
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CertificateFileError(
      `The ${what} file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

/** The certificates of a file, each as its block. @throws CertificateFileError */
function blocksOf(text: string, path: string): string[] {
  let blocks: string[];
  try {
    blocks = certificateBlocks(text);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new CertificateFileError(`The file ${path} ${error.message}.`);
  }
  if (blocks.length === 0) throw new CertificateFileError(`The file ${path} holds no certificate in PEM form.`);
  return blocks;
}
