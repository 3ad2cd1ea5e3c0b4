/** The certificate, key and client authority of the bundle endpoint, as files: taken only when they fit each other. */
import { createSecureContext } from 'node:tls';
import { CertificateFileError } from './key-lock.ts';
import { readCertificate, readPair } from './files.ts';

/** PEM texts that fit each other. */
export interface TlsFiles {
  cert: string;
  key: string;
  /** Certificate authorities of the clients. */
  clientCa: string;
}

export interface TlsPaths {
  cert: string;
  key: string;
  clientCa: string;
}

/** @throws CertificateFileError */
export function readTlsFiles(paths: TlsPaths): TlsFiles {
  const files = { ...readPair(paths), clientCa: readCertificate(paths.clientCa) };
  try {
    createSecureContext({ cert: files.cert, key: files.key, ca: files.clientCa });
  } catch (error) {
    throw new CertificateFileError(
      `The files ${paths.cert}, ${paths.key} and ${paths.clientCa} cannot be used for TLS: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  return files;
}
