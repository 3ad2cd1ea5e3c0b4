/**
 * A pinned authority: a server is trusted only if one of the pinned certificates issued its certificate; no other
 * authority that this machine trusts can replace it. Only direct issue counts, so that no chain has to be validated:
 * pin the authority that issues the server's certificate. Pure.
 */
import { certificatesOf, PemError } from '../../../shared/service/tls/pem.ts';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Why a server's certificate is refused. */
export type Distrust = 'other-authority' | 'other-name' | 'out-of-date' | 'no-server';

/** A text for pinned authorities holds none. */
export class AuthorityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AuthorityError';
  }
}

/** Usages that permit servers: for servers, or for any purpose. */
const SERVER_USAGES = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/** The authorities of a PEM text. @throws AuthorityError, whose message finishes the sentence "NAME …" */
export function readAuthorities(pem: string): X509Certificate[] {
  let found: X509Certificate[];
  try {
    found = certificatesOf(pem);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new AuthorityError(error.message);
  }
  if (found.length === 0) throw new AuthorityError('holds no certificate in PEM form');
  if (found.some(({ ca }) => !ca))
    throw new AuthorityError('holds a certificate that is no authority: give the one that issued the server’s');
  return found;
}

/** Validates a server's certificate (PEM); null when it is valid. @param host the requested name or address */
export function distrustOf(pem: string, host: string, pinned: readonly X509Certificate[], now: Date): Distrust | null {
  const certificate = new X509Certificate(pem);
  const issuer = pinned.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
  if (issuer === undefined) return 'other-authority';
  if (![certificate, issuer].every((one) => isValidAt(one, now))) return 'out-of-date';
  const plain = host.replace(/^\[|\]$/g, '');
  const isNamed =
    isIP(plain) === 0
      ? certificate.checkHost(plain, { subject: 'never' }) !== undefined
      : certificate.checkIP(plain) !== undefined;
  if (!isNamed) return 'other-name';
  // Extended key usages; none means any purpose.
  const usages = certificate.keyUsage as string[] | undefined;
  if (certificate.ca || (usages !== undefined && !usages.some((usage) => SERVER_USAGES.includes(usage))))
    return 'no-server';
  return null;
}

function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return Date.parse(certificate.validFrom) <= now.getTime() && now.getTime() <= Date.parse(certificate.validTo);
}

/** A certificate's fingerprint for people: SHA-256 in pairs of hex digits. */
export function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
