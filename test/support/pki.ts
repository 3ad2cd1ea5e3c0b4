/**
 * Certificates for tests: authorities and what they issue, as PEM texts and as files.
 *
 *   const authority = await makeAuthority();
 *   const server = await authority.server();            // for 127.0.0.1, ::1 and localhost
 *   const tenant = await authority.client({ name: 'tenant 1' });
 *   const old = await authority.client({ from: -2 * DAY_MS, to: -DAY_MS });
 *   const files = writePair(fixture.folder('pki'), 'relay', tenant);
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A certificate and its key, PEM. */
export interface Issued {
  cert: string;
  key: string;
  /** SHA-256 over the certificate, lower-case hex (D29). */
  fingerprint: string;
}

export interface IssueOptions {
  /** Common name. */
  name?: string;
  /** Start and end of validity, in ms from now; by default an hour ago and a day from now. */
  from?: number;
  to?: number;
  /** Extended key usage; by default the certificate's purpose. */
  usage?: 'server' | 'client';
  /** Host names and addresses of a server certificate. */
  hosts?: string[];
}

export interface Authority {
  /** Its own certificate, PEM. */
  ca: string;
  server(options?: IssueOptions): Promise<Issued>;
  client(options?: IssueOptions): Promise<Issued>;
  /** For the key of a certificate request (PEM), which stays with the caller. */
  clientFor(request: string): Promise<Omit<Issued, 'key'>>;
}

export async function makeAuthority(name = 'test authority'): Promise<Authority> {
  const keys = await makeKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    ...validity({}),
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  type Wanted = IssueOptions & Required<Pick<IssueOptions, 'name' | 'usage' | 'hosts'>>;
  const certify = async (options: Wanted, publicKey: CryptoKey): Promise<Omit<Issued, 'key'>> => {
    const cert = await x509.X509CertificateGenerator.create({
      subject: `CN=${options.name}`,
      issuer: ca.subject,
      ...validity(options),
      signingAlgorithm: EC,
      publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new x509.ExtendedKeyUsageExtension([
          options.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
        ]),
        ...(options.hosts.length === 0
          ? []
          : [new x509.SubjectAlternativeNameExtension(options.hosts.map(alternativeName))]),
      ],
    });
    return {
      cert: cert.toString('pem'),
      fingerprint: Buffer.from(await cert.getThumbprint('SHA-256')).toString('hex'),
    };
  };
  const issue = async (options: Wanted): Promise<Issued> => {
    const own = await makeKeys();
    return {
      ...(await certify(options, own.publicKey)),
      key: x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY'),
    };
  };
  return {
    ca: ca.toString('pem'),
    server: (options = {}) =>
      issue({ name: 'localhost', usage: 'server', hosts: ['127.0.0.1', '::1', 'localhost'], ...options }),
    client: (options = {}) => issue({ name: 'test client', usage: 'client', hosts: [], ...options }),
    clientFor: async (pem) => {
      const request = new x509.Pkcs10CertificateRequest(pem);
      const name = request.subject.replace(/^CN=/, '');
      return certify({ name, usage: 'client', hosts: [] }, await request.publicKey.export());
    },
  };
}

/** Writes a pair as `NAME.crt` and `NAME.key`, each atomically, so that no reader sees half a file. */
export function writePair(
  folder: string,
  name: string,
  { cert, key }: Pick<Issued, 'cert' | 'key'>,
): { cert: string; key: string } {
  return { cert: writeWhole(folder, `${name}.crt`, cert), key: writeWhole(folder, `${name}.key`, key) };
}

/** Writes a file atomically; returns its path. */
export function writeWhole(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

function alternativeName(host: string): { type: 'ip' | 'dns'; value: string } {
  return { type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host };
}

function validity({ from = -HOUR_MS, to = DAY_MS }: IssueOptions): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + from), notAfter: new Date(Date.now() + to) };
}

async function makeKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify'])) as unknown as CryptoKeyPair;
}
