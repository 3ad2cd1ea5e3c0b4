/** X.509 for the sync endpoint: our own authority, the server's certificate and the tenants' (D29). */
import 'reflect-metadata';
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Clocks of two machines differ: a certificate is valid from a little before it was made. */
const BACKDATE_MS = 5 * 60 * 1000;

/** The validity of an authority, in days. */
export const AUTHORITY_DAYS = 3650;
/** The validity of a server certificate, in days: the most that foreign clients accept. */
export const SERVER_DAYS = 825;
/** Names of a server on this machine, beside any others. */
export const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

export interface KeyedCertificate {
  /** PEM. */
  cert: string;
  /** PKCS#8 PEM. */
  key: string;
}

/** The registered facts of an issued certificate. */
export interface CertificateFacts {
  /** SHA-256 over the DER, lower-case hexadecimal. */
  fingerprint: string;
  serialNumber: string;
  subject: string;
  notBefore: Date;
  notAfter: Date;
}

export interface Validity {
  from: Date;
  days: number;
}

/** A self-signed authority that may sign certificates and lists, and nothing below itself. */
export async function makeAuthority(commonName: string, validity: Validity): Promise<KeyedCertificate> {
  const keys = await makeKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ CN: [commonName] }, { O: ['Causeway'] }],
    ...period(validity),
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${cert.toString('pem')}\n`, key: await keyPem(keys.privateKey) };
}

/** A server certificate for host names and addresses. */
export function issueServer(
  authority: KeyedCertificate,
  hosts: readonly string[],
  validity: Validity,
): Promise<KeyedCertificate> {
  const names = hosts.map((host) => ({ type: isIP(host) !== 0 ? ('ip' as const) : ('dns' as const), value: host }));
  return issue(authority, hosts[0] ?? 'localhost', validity, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ]);
}

/** A client certificate; the registry, not its subject, names its tenant. */
export function issueClient(
  authority: KeyedCertificate,
  commonName: string,
  validity: Validity,
): Promise<KeyedCertificate> {
  return issue(authority, commonName, validity, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
}

/** A certificate request that cannot be granted, in one sentence. */
export class CertificateRequestError extends Error {
  constructor(what: string) {
    super(`The certificate request ${what}.`);
    this.name = 'CertificateRequestError';
  }
}

/**
 * A client certificate for a key that stays with the requester (PKCS#10, RFC 2986). Only the key is taken from the
 * request, once its signature proves possession: this authority sets names and extensions.
 *
 * @param request PEM
 * @returns the certificate, PEM
 * @throws CertificateRequestError
 */
export async function issueClientFor(
  authority: KeyedCertificate,
  commonName: string,
  validity: Validity,
  request: string,
): Promise<string> {
  const publicKey = await requestedKey(request);
  return certify(authority, commonName, validity, publicKey, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
}

async function requestedKey(pem: string): Promise<CryptoKey> {
  let request: x509.Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(pem);
  } catch {
    throw new CertificateRequestError('is no certificate request in PEM form (PKCS#10)');
  }
  const { algorithm } = request.publicKey;
  const isP256 = 'namedCurve' in algorithm && algorithm.namedCurve === 'P-256';
  const isRsa = 'modulusLength' in algorithm && Number(algorithm.modulusLength) >= 2048;
  if (!isP256 && !isRsa)
    throw new CertificateRequestError('must be for a key on P-256, or for RSA of 2048 bits and more');
  if (!(await request.verify().catch(() => false)))
    throw new CertificateRequestError('is not signed with its own key: it was changed after it was made');
  return request.publicKey.export();
}

async function issue(
  authority: KeyedCertificate,
  commonName: string,
  validity: Validity,
  extensions: x509.Extension[],
): Promise<KeyedCertificate> {
  const keys = await makeKeys();
  const cert = await certify(authority, commonName, validity, keys.publicKey, extensions);
  return { cert, key: await keyPem(keys.privateKey) };
}

async function certify(
  authority: KeyedCertificate,
  commonName: string,
  validity: Validity,
  publicKey: CryptoKey,
  extensions: x509.Extension[],
): Promise<string> {
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    EC,
    false,
    ['sign'],
  );
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ CN: [commonName] }, { O: ['Causeway'] }],
    issuer: issuer.subjectName,
    ...period(validity),
    signingAlgorithm: EC,
    publicKey,
    signingKey: signingKey as unknown as CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...extensions,
    ],
  });
  return `${cert.toString('pem')}\n`;
}

/** Reads the registered facts from a certificate in PEM. */
export function certificateFacts(pem: string): CertificateFacts {
  const cert = new x509.X509Certificate(pem);
  return {
    fingerprint: createHash('sha256').update(Buffer.from(cert.rawData)).digest('hex'),
    serialNumber: cert.serialNumber,
    subject: cert.subject,
    notBefore: cert.notBefore,
    notAfter: cert.notAfter,
  };
}

async function makeKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify'])) as unknown as CryptoKeyPair;
}

async function keyPem(key: CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function period({ from, days }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(from.getTime() - BACKDATE_MS), notAfter: new Date(from.getTime() + days * DAY_MS) };
}

/** 16 random bytes; the first bit is off, so that the number is positive. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString('hex');
}

/** The names and addresses that a server certificate in PEM is for. */
export function serverHosts(pem: string): string[] {
  const names = new x509.X509Certificate(pem).getExtension(x509.SubjectAlternativeNameExtension);
  return names?.names.items.map(({ value }) => value) ?? [];
}

/** Whether a certificate can name this host: an IP address, or a name of letters, digits and dashes. */
export function isHostName(host: string): boolean {
  return (
    isIP(host) !== 0 || /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(host)
  );
}
