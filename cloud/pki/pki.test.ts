/** Certificates, their files and their registry. */
import 'reflect-metadata';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as x509 from '@peculiar/x509';
import {
  CertificateRequestError,
  certificateFacts,
  issueClient,
  issueClientFor,
  issueServer,
  makeAuthority,
  type KeyedCertificate,
} from './certificates.ts';
import { pairExists, pkiPaths, readCertificate, readPair, readSigningKey, writePair } from './files.ts';
import { CertificateFileError, keyLock } from './key-lock.ts';

const FROM = new Date('2026-11-20T00:00:00Z');
const YEAR = { from: FROM, days: 365 };
const OPEN = keyLock('CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE', undefined);
const folder = mkdtempSync(join(tmpdir(), 'causeway-pki-'));
let authority: KeyedCertificate;
beforeAll(async () => {
  authority = await makeAuthority('test CA', YEAR);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a certificate request', () => {
  const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  async function request(algorithm: EcKeyGenParams | RsaHashedKeyGenParams, signingAlgorithm = P256): Promise<string> {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const made = await x509.Pkcs10CertificateRequestGenerator.create({ name: 'CN=tenant 99', keys, signingAlgorithm });
    return made.toString('pem');
  }
  const issued = (pem: string): Promise<string> => issueClientFor(authority, 'tenant 7', YEAR, pem);

  test('gives its key alone: the authority sets the certificate’s names and uses', async () => {
    const pem = await request(P256);
    const cert = new X509Certificate(await issued(pem));
    expect([cert.subject, cert.ca, cert.keyUsage]).toEqual(['CN=tenant 7\nO=Causeway', false, ['1.3.6.1.5.5.7.3.2']]);
    expect(cert.publicKey.export({ type: 'spki', format: 'der' })).toEqual(
      Buffer.from(new x509.Pkcs10CertificateRequest(pem).publicKey.rawData),
    );
    expect(cert.checkIssued(new X509Certificate(authority.cert))).toBe(true);
  });

  test('altered in transit is refused', async () => {
    const bytes = Buffer.from(x509.PemConverter.decodeFirst(await request(P256)));
    bytes.write('88', bytes.indexOf('99'));
    const changed = x509.PemConverter.encode(bytes, 'CERTIFICATE REQUEST');
    await expect(issued(changed)).rejects.toThrow('is not signed with its own key');
  });

  test('for a weak key, or in no valid form, is refused', async () => {
    const weak = {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    };
    await expect(issued(await request(weak, { ...P256, name: 'RSASSA-PKCS1-v1_5' }))).rejects.toThrow(
      'RSA of 2048 bits',
    );
    await expect(issued('no request')).rejects.toThrow(CertificateRequestError);
  });
});

describe('issued certificates', () => {
  test('an authority signs certificates and nothing below itself', () => {
    const cert = new X509Certificate(authority.cert);
    expect([cert.ca, cert.subject, cert.issuer]).toEqual([true, 'CN=test CA\nO=Causeway', 'CN=test CA\nO=Causeway']);
    expect(cert.checkIssued(cert)).toBe(true);
    expect(cert.keyUsage).toBeUndefined();
    expect(cert.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  test('a server certificate names its hosts and addresses, and is for servers alone', async () => {
    const cert = new X509Certificate(
      (await issueServer(authority, ['localhost', '127.0.0.1', '::1', 'sync.vendor.example'], YEAR)).cert,
    );
    expect(cert.checkHost('localhost')).toBe('localhost');
    expect(cert.checkHost('sync.vendor.example')).toBe('sync.vendor.example');
    expect(cert.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(cert.checkIP('::1')).toBe('::1');
    expect(cert.checkHost('other.example')).toBeUndefined();
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(cert.ca).toBe(false);
    expect(cert.checkIssued(new X509Certificate(authority.cert))).toBe(true);
    expect(cert.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  });

  test('a client certificate is for clients alone, fits its key and is registered by its SHA-256', async () => {
    const pair = await issueClient(authority, 'tenant 7', { from: FROM, days: 2 });
    const cert = new X509Certificate(pair.cert);
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const facts = certificateFacts(pair.cert);
    expect(facts.fingerprint).toBe(cert.fingerprint256.replaceAll(':', '').toLowerCase());
    expect(facts.serialNumber.toUpperCase()).toBe(cert.serialNumber);
    expect(facts.notAfter).toEqual(new Date('2026-11-22T00:00:00Z'));
    expect(facts.notBefore.getTime()).toBeLessThan(FROM.getTime());
    expect(facts.subject).toContain('tenant 7');
  });

  test('no two have the same serial number', async () => {
    const numbers = await Promise.all(
      Array.from(
        { length: 20 },
        async () => certificateFacts((await issueClient(authority, 'x', YEAR)).cert).serialNumber,
      ),
    );
    expect(new Set(numbers).size).toBe(20);
  });
});

describe('files', () => {
  test('a key is readable by its owner alone, when it replaces an open one too', async () => {
    const paths = pkiPaths(folder).client(3);
    expect(pairExists(paths)).toBe(false);
    const pair = await issueClient(authority, 'x', YEAR);
    writePair(paths, pair);
    writeFileSync(paths.key, 'open', { mode: 0o644 });
    writePair(paths, pair);
    expect(statSync(paths.key).mode & 0o777).toBe(0o600);
    expect(readPair(paths)).toEqual(pair);
    expect(readCertificate(paths.cert).trimEnd()).toBe(pair.cert.trimEnd());
  });

  test('a pair that does not match is refused with both names', () => {
    const paths = { cert: join(folder, 'odd.crt'), key: join(folder, 'odd.key') };
    writeFileSync(paths.cert, authority.cert);
    writeFileSync(
      paths.key,
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    );
    expect(() => readPair(paths)).toThrow(CertificateFileError);
    expect(() => readPair(paths)).toThrow(
      `The private key ${paths.key} does not belong to the certificate ${paths.cert}`,
    );
  });

  test('a missing file, a file that is no PEM and a signing key of another type are named', () => {
    const missing = join(folder, 'missing.crt');
    const junk = join(folder, 'junk.pem');
    const ec = join(folder, 'ec.key');
    writeFileSync(junk, 'junk');
    writeFileSync(ec, authority.key);
    expect(() => readCertificate(missing)).toThrow(missing);
    expect(() => readCertificate(junk)).toThrow(junk);
    expect(() => readPair({ cert: junk, key: ec })).toThrow(junk);
    expect(() => readSigningKey(ec, OPEN)).toThrow(/Ed25519/);
    const good = join(folder, 'ed.key');
    writeFileSync(good, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(readSigningKey(good, OPEN).asymmetricKeyType).toBe('ed25519');
  });
});
