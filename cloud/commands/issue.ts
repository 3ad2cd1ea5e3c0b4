/** Certificates for tenants: each is registered before its files are written, so that no file is without its row. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { commandActor, recordActivity } from '../accounts/activity-log.ts';
import {
  certificateFacts,
  issueClient,
  issueClientFor,
  type CertificateFacts,
  type KeyedCertificate,
} from '../pki/certificates.ts';
import { pairExists, readRequest, writePair, writePublic, type PairPaths } from '../pki/files.ts';
import { registerCertificate, type TenantRow } from '../pki/registry.ts';
import type { Db, Store } from '../store/open.ts';
import type { ActivityType } from '../store/schema.ts';
import { UsageError } from './command.ts';

/** The origin of a certificate's key: the tenant, by a request, or this command. */
export type KeyOrigin = { kind: 'TENANT'; request: string } | { kind: 'HERE'; passphrase: string | null };

/** The options that say where the key is made, for `parseArgs`. */
export const ORIGIN_OPTIONS = { csr: { type: 'string' }, 'make-key': { type: 'boolean' } } as const;
export const ORIGIN_HELP = [
  '  --csr FILE          for the key of this certificate request, which stays where the request was made',
  '  --make-key          makes the key here instead, locked by a passphrase that is printed this once',
];

/**
 * Null while the tenant's request is missing. A demo, with all parts on this host, makes open keys. @throws UsageError
 */
export function keyOrigin(values: { csr?: string; 'make-key'?: boolean }, demo: boolean): KeyOrigin | null {
  const here = values['make-key'] ?? false;
  if (values.csr !== undefined && here) throw new UsageError('--csr and --make-key exclude each other.');
  if (values.csr !== undefined) return { kind: 'TENANT', request: readRequest(values.csr) };
  if (demo) return { kind: 'HERE', passphrase: null };
  return here ? { kind: 'HERE', passphrase: randomBytes(18).toString('base64url') } : null;
}

/** Whether files of that name exist. */
export const isIssued = (files: PairPaths, origin: KeyOrigin): boolean =>
  origin.kind === 'TENANT' ? existsSync(files.cert) : pairExists(files);

export interface Issued {
  facts: CertificateFacts;
  /** The registered certificate, and the passphrase of the key that was made here. */
  files: { cert: string; key?: string; keyPassphrase?: string };
}

/** @throws CertificateRequestError */
export async function issueFor(
  store: Store,
  authority: KeyedCertificate,
  tenant: TenantRow,
  issue: { files: PairPaths; origin: KeyOrigin; days: number; now: Date },
): Promise<Issued> {
  const { files, origin, days, now } = issue;
  const [name, validity] = [`tenant ${tenant.tenantId}`, { from: now, days }];
  if (origin.kind === 'TENANT') {
    const cert = await issueClientFor(authority, name, validity, origin.request);
    const facts = await register(store, tenant, cert, now);
    writePublic(files.cert, cert);
    return { facts, files: { cert: files.cert } };
  }
  const { passphrase } = origin;
  const pair = await issueClient(authority, name, validity);
  const facts = await register(store, tenant, pair.cert, now);
  writePair(files, pair, passphrase);
  return { facts, files: { ...files, ...(passphrase === null ? {} : { keyPassphrase: passphrase }) } };
}

/** A certificate of an external authority that the endpoint would refuse, in one sentence. */
export class IssuedElsewhereError extends Error {
  override name = 'IssuedElsewhereError';
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/**
 * Registers a certificate of an external authority.
 *
 * @param trusted the authorities that the bundle endpoint trusts, PEM
 * @throws IssuedElsewhereError for one that the endpoint would refuse
 */
export async function registerIssued(
  store: Store,
  tenant: TenantRow,
  pem: string,
  trusted: readonly string[],
  now: Date,
): Promise<CertificateFacts> {
  const certificate = new X509Certificate(pem);
  const refuse = (why: string): never => {
    throw new IssuedElsewhereError(`The certificate ${why}.`);
  };
  if (certificate.ca) refuse('is of an authority, not of a tenant');
  if (!trusted.some((authority) => certificate.verify(new X509Certificate(authority).publicKey)))
    refuse('is not signed by an authority of ca.crt');
  if (!(certificate.keyUsage ?? []).includes(CLIENT_AUTH))
    refuse('is not for client authentication (extendedKeyUsage clientAuth)');
  if (certificate.validToDate <= now) refuse(`has ended on ${certificate.validToDate.toISOString()}`);
  return register(store, tenant, pem, now);
}

function register(store: Store, tenant: TenantRow, pem: string, at: Date): Promise<CertificateFacts> {
  const facts = certificateFacts(pem);
  return store.transaction(async (trx) => {
    await registerCertificate(trx, tenant.tenantId, facts, at);
    await recordCertificate(trx, 'CERTIFICATE_ISSUED', facts.fingerprint, at, `tenant ${tenant.tenantId}`);
    return facts;
  });
}

export function recordCertificate(
  db: Db,
  type: ActivityType,
  fingerprint: string,
  at: Date,
  reason?: string,
): Promise<void> {
  const about = { targetType: 'CERTIFICATE', targetId: fingerprint, ...(reason === undefined ? {} : { reason }) };
  return recordActivity(db, { at, actor: commandActor(), type, ...about });
}
