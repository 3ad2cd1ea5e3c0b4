/** Prepares an installation: store, authority, server certificate, signing key, first tenant, operator account. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables, type Values } from '../../shared/service/variables.ts';
import { systemClock, type Clock } from '../../shared/time/clock.ts';
import { authorityLock, INIT_VARIABLES, signingLock } from '../config/config.ts';
import {
  pkiFolder,
  pairExists,
  pkiPaths,
  readAuthority,
  readCertificate,
  readPair,
  readSigningKey,
  writePair,
  writePublic,
  type KeyFiles,
  type PairPaths,
} from '../pki/files.ts';
import { createOperator, hasOperator } from '../accounts/accounts.ts';
import {
  AUTHORITY_DAYS,
  certificateFacts,
  isHostName,
  issueServer,
  LOCAL_HOSTS,
  makeAuthority,
  SERVER_DAYS,
  type KeyedCertificate,
} from '../pki/certificates.ts';
import type { KeyLock } from '../pki/key-lock.ts';
import { keyIdOf, makeSigningPair, publicHalf, signingPairExists, writeSigningPair } from '../pki/signing-key.ts';
import { recordCommand } from '../accounts/activity-log.ts';
import { addTenant, listCertificates, listTenants } from '../pki/registry.ts';
import type { Db, Store } from '../store/open.ts';
import type { ActivityType } from '../store/schema.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import {
  FEWEST_DAYS,
  findRetentionDays,
  MOST_DAYS,
  retentionCost,
  setRetentionDays,
} from '../publication/retention-default.ts';
import { UsageError, type Command } from './command.ts';
import { issueFor, keyOrigin, ORIGIN_HELP, ORIGIN_OPTIONS } from './issue.ts';
import { environmentOf, requireTenantName } from './tenant.ts';

const CLIENT_DAYS = 365;
/** A certificate that ends within this time is renewed. */
const RENEW_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

const OPERATOR_NAME = 'operator';
export const DEMO_OPERATOR = { username: OPERATOR_NAME, password: 'causeway-demo' };

const about = [
  'Prepares an installation and prints where its files are, as JSON. Safe to repeat: what is there and',
  'valid stays as it is.',
  '',
  '  --out DIR           where certificates and keys go (default $CAUSEWAY_HOME/cloud/pki)',
  '  --tenant NAME       name of the first tenant (default "demo")',
  '  --environment WHICH of the first tenant, when it is made: POC (default) or PRODUCTION',
  ...ORIGIN_HELP,
  '                      with neither the tenant has none yet: it makes a request (see "certificate issue")',
  '  --authority FILE    certificate of an authority whose key lies elsewhere, and which issues there',
  '  --host NAME         another host name or address of the bundle endpoint; may be given several times',
  '  --retention-days N  remove delivery records after N days (30 or more) as far as their tenant has confirmed',
  `                      them; 0 (default): keep all of them, which takes ${retentionCost(null)}`,
].join('\n');

export const init: Command = {
  usage: [
    'causeway-cloud init [--out DIR] [--tenant NAME] [--environment POC|PRODUCTION] [--csr FILE|--make-key] [--authority FILE] [--host NAME …] [--retention-days N]',
  ],
  about: 'Prepares an installation: store, certificates, first tenant, operator account.',
  help: () => helpText(init.usage.join('\n'), about, INIT_VARIABLES),
  run: async ({ args, env, print }) => {
    await prepareInstallation(args, env, { clock: systemClock, days: CLIENT_DAYS }, async (_store, installation) =>
      print(JSON.stringify(installation, null, 2)),
    );
    return 0;
  },
};

/** The output of `init`. */
export interface Installation {
  pki: { ca: string; serverCert: string; serverKey: string; clientCa: string; signingKey: string; verifyKey: string };
  tenants: { tenantId: number; name: string; cert?: string; key?: string }[];
  next?: string;
  handOut: string[];
  signingKeyId: string;
  operator: { username: string; password?: string };
  /** Null days: records are kept without an end. */
  retention: { days: number | null; takes: string };
}

/**
 * @param days validity of the first tenant's certificate
 * @param work runs on the prepared installation, before the store is closed
 */
export async function prepareInstallation(
  args: string[],
  env: Record<string, string | undefined>,
  { clock, days }: { clock: Clock; days: number },
  work: (store: Store, installation: Installation) => Promise<void>,
): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string' },
      tenant: { type: 'string', default: 'demo' },
      environment: { type: 'string', default: 'POC' },
      ...ORIGIN_OPTIONS,
      authority: { type: 'string' },
      host: { type: 'string', multiple: true, default: [] },
      'retention-days': { type: 'string' },
    },
  });
  const tenantName = values.tenant.normalize('NFC').trim();
  requireTenantName('--tenant', tenantName);
  const environment = environmentOf(values.environment);
  const wrong = values.host.find((host) => !isHostName(host));
  if (wrong !== undefined) throw new UsageError(`--host ${JSON.stringify(wrong)} is no host name and no IP address.`);
  const retention = retentionOf(values['retention-days']);
  const config = readVariables(INIT_VARIABLES, env);
  const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
  const now = clock.now();
  // Checked before anything is written.
  pairExists(paths.server);
  const origin = keyOrigin(values, config.CAUSEWAY_DEMO === '1');
  const lock = authorityLock(config);
  if (values.authority !== undefined && origin !== null)
    throw new UsageError(
      '--authority cannot be combined with --csr or --make-key: the authority issues on the machine that has its key.',
    );
  const elsewhere = values.authority === undefined ? null : authorityElsewhere(values.authority, paths.ca);
  const authorityExists = elsewhere === null && pairExists(paths.ca);
  const signing = preparedSigning(config, paths.signing);

  const store = await prepareStore(config, clock);
  try {
    const record = (type: ActivityType, targetType: string, targetId: string): Promise<void> =>
      recordCommand(store.db, type, { targetType, targetId }, now);
    let authority: KeyedCertificate | null = null;
    if (elsewhere !== null) writePublic(paths.ca.cert, elsewhere);
    else if (authorityExists) authority = readAuthority(paths.ca, lock);
    else {
      authority = await makeAuthority('Causeway sync CA', { from: now, days: AUTHORITY_DAYS });
      writePair(paths.ca, authority, lock.passphrase);
      await record('AUTHORITY_MADE', 'AUTHORITY', certificateFacts(authority.cert).fingerprint);
    }
    const keyId = signing();
    if (keyId.made) await record('SIGNING_KEY_MADE', 'SIGNING_KEY', keyId.id);
    if (authority !== null) {
      const hosts = [...new Set([...LOCAL_HOSTS, ...values.host])];
      const server = await prepareServer(paths.server, authority, hosts, now);
      if (server !== null) await record('SERVER_CERTIFICATE_ISSUED', 'CERTIFICATE', server);
    }

    const tenants = await listTenants(store.db);
    const named = tenants.filter(({ name }) => name === tenantName);
    let tenant = named.find((one) => one.environment === environment) ?? named[0];
    if (tenant === undefined) {
      tenant = await store.transaction(async (trx) => {
        const added = await addTenant(trx, { name: tenantName, environment }, now);
        const about = { targetType: 'TENANT', targetId: String(added.tenantId) };
        await recordCommand(trx, 'TENANT_ADDED', about, now);
        return added;
      });
    }
    const client = paths.client(tenant.tenantId);
    const inUse = authority !== null && (await isInUse(store.db, tenant.tenantId, client, authority, now));
    const issued =
      authority === null || origin === null || inUse
        ? null
        : await issueFor(store, authority, tenant, { files: client, origin, days, now });
    const held = issued?.files ?? heldFiles(client, inUse);
    const password = await prepareOperator(store, config.CAUSEWAY_DEMO === '1', now);
    const keptDays = await chooseRetention(store, retention, now);
    await work(store, {
      pki: {
        ca: paths.ca.cert,
        serverCert: paths.server.cert,
        serverKey: paths.server.key,
        clientCa: paths.ca.cert,
        signingKey: config.CAUSEWAY_SYNC_SIGNING_KEY ?? paths.signing.key,
        verifyKey: paths.signing.public,
      },
      tenants: [{ tenantId: tenant.tenantId, name: tenant.name, ...held }],
      ...(held.cert === undefined ? { next: nextFor(tenant.tenantId, elsewhere !== null) } : {}),
      // The tenant needs these besides its certificate, and may not have them from the relay.
      handOut: [paths.ca.cert, paths.signing.public],
      signingKeyId: keyId.id,
      operator: { username: OPERATOR_NAME, ...(password === null ? {} : { password }) },
      retention: { days: keptDays, takes: retentionCost(keptDays) },
    });
  } finally {
    await store.close();
  }
}

/** Undefined: not chosen now. @throws UsageError */
function retentionOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (days === 0) return null;
  if (days >= FEWEST_DAYS && days <= MOST_DAYS) return days;
  throw new UsageError(
    `--retention-days must be 0 or a number of days from ${FEWEST_DAYS} to ${MOST_DAYS}, not ${text}.`,
  );
}

/** @returns the retention that now holds */
async function chooseRetention(store: Store, chosen: number | null | undefined, at: Date): Promise<number | null> {
  return store.transaction(async (trx) => {
    const present = await findRetentionDays(trx);
    if (chosen === undefined || chosen === present) return present;
    await setRetentionDays(trx, chosen);
    const reason = chosen === null ? 'kept without an end' : `kept for ${chosen} days`;
    await recordCommand(trx, 'RETENTION_APPLIED', { targetType: 'STORE', targetId: 'all tenants', reason }, at);
    return chosen;
  });
}

/** The next step to the first tenant's certificate. */
function nextFor(tenantId: number, elsewhere: boolean): string {
  if (!elsewhere) return `certificate issue --tenant ${tenantId} --csr FILE, with the request that the tenant sends`;
  return `sign the tenant's request where the authority's key lies, then certificate register --tenant ${tenantId} --file FILE`;
}

/** @throws UsageError, CertificateFileError */
function authorityElsewhere(file: string, ca: PairPaths): string {
  const pem = readCertificate(file);
  if (!new X509Certificate(pem).ca) throw new UsageError(`--authority ${file} holds no certificate of an authority.`);
  if (existsSync(ca.key))
    throw new UsageError(`--authority: ${ca.key} is there, the key of an authority of this machine.`);
  if (existsSync(ca.cert) && readCertificate(ca.cert) !== pem)
    throw new UsageError(`--authority: ${ca.cert} is there already and holds another; ca.crt is changed by hand.`);
  return pem;
}

/**
 * Checks the signing key before anything is written. @returns a function that creates it where it is missing @throws
 * CertificateFileError
 */
function preparedSigning(config: Values<typeof INIT_VARIABLES>, files: KeyFiles): () => { id: string; made: boolean } {
  const lock: KeyLock = signingLock(config);
  const file = config.CAUSEWAY_SYNC_SIGNING_KEY;
  if (file !== undefined && resolve(file) !== files.key) {
    const key = readSigningKey(file, lock);
    return () => {
      // During a rotation the public file holds both keys.
      if (!existsSync(files.public)) writePublic(files.public, publicHalf(key));
      return { id: keyIdOf(key), made: false };
    };
  }
  const made = !signingPairExists(files);
  return () => {
    if (made) writeSigningPair(files, makeSigningPair(lock.passphrase));
    return { id: keyIdOf(readSigningKey(files.key, lock)), made };
  };
}

/** The files of the certificate in use; the key is at the tenant where the request came from there. */
const heldFiles = ({ cert, key }: PairPaths, inUse: boolean): { cert?: string; key?: string } =>
  inUse ? { cert, ...(existsSync(key) ? { key } : {}) } : {};

/** @returns the fingerprint of a newly made certificate; null where the existing one stays */
async function prepareServer(
  paths: PairPaths,
  authority: KeyedCertificate,
  hosts: string[],
  now: Date,
): Promise<string | null> {
  if (pairExists(paths)) {
    const held = new X509Certificate(readPair(paths).cert);
    const named = hosts.every((host) => (isIP(host) === 0 ? held.checkHost(host) : held.checkIP(host)) !== undefined);
    if (named && isFresh(held.validToDate, now) && held.checkIssued(new X509Certificate(authority.cert))) return null;
  }
  const pair = await issueServer(authority, hosts, { from: now, days: SERVER_DAYS });
  writePair(paths, pair);
  return certificateFacts(pair.cert).fingerprint;
}

/** Whether the tenant's file holds a registered certificate with time left. */
async function isInUse(
  db: Db,
  tenantId: number,
  paths: PairPaths,
  authority: KeyedCertificate,
  now: Date,
): Promise<boolean> {
  if (!existsSync(paths.cert)) return false;
  const cert = readCertificate(paths.cert);
  if (!new X509Certificate(cert).checkIssued(new X509Certificate(authority.cert))) return false;
  const { fingerprint } = certificateFacts(cert);
  const registered = (await listCertificates(db, tenantId)).find((entry) => entry.fingerprint === fingerprint);
  return registered !== undefined && registered.revokedAt === null && isFresh(registered.notAfter, now);
}

function isFresh(until: Date, now: Date): boolean {
  return until.getTime() - now.getTime() > RENEW_DAYS * DAY_MS;
}

/** @returns a generated password, if any */
async function prepareOperator(store: Store, demo: boolean, now: Date): Promise<string | null> {
  if (await hasOperator(store.db, OPERATOR_NAME)) return null;
  const password = demo ? DEMO_OPERATOR.password : randomBytes(15).toString('base64url');
  // The password was shown on a terminal, or written to a file with the summary.
  const account = { username: OPERATOR_NAME, displayName: 'Operator', password, temporaryPassword: !demo };
  await store.transaction(async (trx) => {
    await createOperator(trx, account, now);
    await recordCommand(trx, 'OPERATOR_ADDED', { targetType: 'OPERATOR', targetId: OPERATOR_NAME }, now);
  });
  return demo ? null : password;
}
