/** The cloud's certificates and its signing key as the doctor sees them. */
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lifeFinding } from '../../shared/service/tls/certificate-findings.ts';
import { readServerTls, ServerTlsError, type PairFiles } from '../../shared/service/tls/server-tls.ts';
import { warn, ok, wrong, type Finding } from '../../shared/service/findings.ts';
import { checkPrivacy } from '../../shared/service/secret-findings.ts';
import { CertificateFileError, type KeyLock } from '../pki/key-lock.ts';
import { certificatesOf } from '../../shared/service/tls/pem.ts';
import { pkiPaths, readSigningKey } from '../pki/files.ts';
import { publicHalf } from '../pki/signing-key.ts';
import { trusted } from '../pki/key-rotation.ts';
import { readTlsFiles, type TlsFiles } from '../pki/tls-files.ts';

export interface CertificateVariables {
  CAUSEWAY_SYNC_CERT: string;
  CAUSEWAY_SYNC_KEY: string;
  CAUSEWAY_SYNC_CLIENT_CA: string;
}

export function checkCertificates(config: CertificateVariables, now: Date): Finding[] {
  const { CAUSEWAY_SYNC_CERT: cert, CAUSEWAY_SYNC_KEY: key, CAUSEWAY_SYNC_CLIENT_CA: clientCa } = config;
  let files: TlsFiles;
  try {
    files = readTlsFiles({ cert, key, clientCa });
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error;
    return [wrong('certificates', error.message, 'put the right files in place; a running cloud takes them by itself')];
  }
  return [
    ...certificatesOf(files.cert)
      .slice(0, 1)
      .map((one) => lifeFinding('certificate of the bundle endpoint', one, now)),
    ...certificatesOf(files.clientCa).map((one) => lifeFinding('CAUSEWAY_SYNC_CLIENT_CA', one, now)),
    ...checkPrivacy('CAUSEWAY_SYNC_KEY', key, wrong),
  ];
}

/** The certificate that operator API or engine's door shows to other hosts; nothing where it speaks plain HTTP. */
export function checkServerPair(who: string, files: PairFiles | null, now: Date): Finding[] {
  if (files === null) return [];
  const about = `certificate of the ${who}`;
  try {
    const { cert } = readServerTls(files);
    return [
      lifeFinding(about, new X509Certificate(cert), now),
      ...checkPrivacy(`${files.prefix}_KEY`, files.key, wrong),
    ];
  } catch (error) {
    if (!(error instanceof ServerTlsError)) throw error;
    return [wrong(about, error.message, 'put the right files in place; a running cloud takes them by itself')];
  }
}

/** @param file the private key; undefined where bundles are not signed @param folder of the cloud's own keys */
export function checkSigningKey(file: string | undefined, folder: string, lock: () => KeyLock): Finding[] {
  const about = 'signing key';
  const own = pkiPaths(folder).signing;
  if (file === undefined && existsSync(own.public))
    return [
      wrong(
        about,
        `${own.key} is not there, and ${own.public} is: tenants that hold it refuse every answer`,
        'put the key back; if it is lost, make another: signing-key next, signing-key switch, and hand signing.pub out',
      ),
    ];
  if (file === undefined) {
    const todo = 'causeway-cloud init makes a key; hand signing.pub to every tenant';
    return [warn(about, 'answers are not signed: a relay that was taken over could hide withdrawals', todo)];
  }
  try {
    const key = readSigningKey(file, lock());
    const findings = checkPrivacy('CAUSEWAY_SYNC_SIGNING_KEY', file, wrong);
    const { signing } = pkiPaths(dirname(file));
    if (file !== signing.key || !existsSync(signing.public))
      return [...findings, ok(about, `${file} can be used; tenants must hold its public key`)];
    const half = publicHalf(key).trim();
    const known = trusted({ what: about, present: signing, next: pkiPaths(dirname(file)).nextSigning });
    if (!known.includes(half)) {
      const said = `${signing.public} does not hold the public key of ${file}`;
      return [
        ...findings,
        wrong(about, said, 'put the pair in place that belongs together: tenants refuse the bundles'),
      ];
    }
    if (known.length > 1)
      return [
        ...findings,
        warn(about, 'another key takes over', 'go on with signing-key switch, or retire: see Rotation'),
      ];
    return [...findings, ok(about, `${file} can be used, and ${signing.public} belongs to it`)];
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error;
    return [
      wrong(about, error.message, 'put an Ed25519 key in place and name its passphrase, or make one: signing-key make'),
    ];
  }
}
