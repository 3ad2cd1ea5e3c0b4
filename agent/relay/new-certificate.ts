/** The conditions that a certificate meets before it is shown to the cloud. */
import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { certificatesOf, pemBlocks, PemError } from '../../shared/service/tls/pem.ts';
import { UnfitCertificateError } from './errors.ts';
import type { Pair } from './pair-files.ts';

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** @throws UnfitCertificateError that names the part and the reason */
export function checkNewPair({ cert, key }: Pair, now: Date): void {
  const [leaf] = certificatesIn(cert);
  const privateKey = keyIn(key);
  if (leaf.ca) throw unfit('certificate', 'is that of an authority; give the one that the authority issued.');
  if (!leaf.checkPrivateKey(privateKey))
    throw unfit('key', 'does not fit the certificate: give the key that the certificate was issued for.');
  if (now < leaf.validFromDate)
    throw unfit('certificate', `is not valid before ${leaf.validFromDate.toISOString()}; now is ${now.toISOString()}.`);
  if (now >= leaf.validToDate)
    throw unfit('certificate', `expired at ${leaf.validToDate.toISOString()}; now is ${now.toISOString()}.`);
  // Node gives the extended usages here; undefined, despite its types, for a certificate without any.
  const usages: string[] | undefined = leaf.keyUsage;
  if (usages !== undefined && !usages.includes(CLIENT_AUTHENTICATION) && !usages.includes(ANY_USAGE))
    throw unfit('certificate', 'is not meant for clients: ask for one with the usage client authentication.');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unfit('certificate', `cannot be used for TLS: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function certificatesIn(pem: string): [X509Certificate, ...X509Certificate[]] {
  try {
    const other = pemBlocks(pem).find(({ label }) => label !== 'CERTIFICATE');
    if (other !== undefined) throw unfit('certificate', `holds a block ${other.label}; give certificates only.`);
    const [first, ...more] = certificatesOf(pem);
    if (first !== undefined) return [first, ...more];
  } catch (error) {
    if (error instanceof PemError) throw unfit('certificate', `${error.message}.`);
    throw error;
  }
  throw unfit('certificate', 'is no certificate in PEM form.');
}

function keyIn(pem: string): KeyObject {
  if (pem.includes('ENCRYPTED')) throw unfit('key', 'is protected by a passphrase: give it without one.');
  try {
    return createPrivateKey(pem);
  } catch {
    throw unfit('key', 'is no private key in PEM form.');
  }
}

const unfit = (part: 'certificate' | 'key', what: string): UnfitCertificateError =>
  new UnfitCertificateError(part, `The ${part} ${what}`);
