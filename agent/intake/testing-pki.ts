/** Certificates for tests: an authority and what it issues, as PEM. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

export interface Issued {
  cert: string;
  key: string;
}

export interface TestAuthority {
  /** Its own certificate. */
  ca: string;
  server(): Promise<Issued>;
  client(): Promise<Issued>;
}

export async function testAuthority(name = 'test CA'): Promise<TestAuthority> {
  const keys = await makeKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    ...now(),
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const issue = async (usage: x509.ExtendedKeyUsage, extensions: x509.Extension[]): Promise<Issued> => {
    const own = await makeKeys();
    const cert = await x509.X509CertificateGenerator.create({
      subject: 'CN=localhost',
      issuer: ca.subject,
      ...now(),
      signingAlgorithm: EC,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      extensions: [new x509.ExtendedKeyUsageExtension([usage]), ...extensions],
    });
    return { cert: cert.toString('pem'), key: await pemOf(own.privateKey) };
  };
  return {
    ca: ca.toString('pem'),
    server: () =>
      issue(x509.ExtendedKeyUsage.serverAuth, [
        new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
      ]),
    client: () => issue(x509.ExtendedKeyUsage.clientAuth, []),
  };
}

function now(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + HOUR_MS) };
}

async function makeKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify'])) as unknown as CryptoKeyPair;
}

async function pemOf(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
