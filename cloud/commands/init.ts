/** Prepares an installation: store, authority, server certificate, signing key, first tenant, operator account. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { INIT_VARIABLES, pkiFolder } from '../config.ts';
import { createOperator, hasOperator } from '../operator/accounts.ts';
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
import { pairExists, pkiPaths, readPair, readSigningKey, writePair, type PairPaths } from '../pki/files.ts';
import { keyIdOf, makeSigningPair, signingPairExists, writeSigningPair } from '../pki/signing-key.ts';
import { recordCommand } from '../operator/activity-log.ts';
import { addTenant, listCertificates, listTenants } from '../pki/registry.ts';
import { INVISIBLE } from '../service/invisible.ts';
import type { Db } from '../store/open.ts';
import type { ActivityType } from '../store/schema.ts';
import { prepareStore } from '../store/prepare.ts';
import { issueFor } from './certificate.ts';
import { UsageError, type Command } from './command.ts';
import { environmentOf } from './tenant.ts';

const CLIENT_DAYS = 365;
/** A certificate that ends within this time is made anew. */
const RENEW_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

const OPERATOR_NAME = 'operator';
const DEMO_PASSWORD = 'causeway-demo';

const about = [
  'Prepares an installation and prints where its files are, as JSON. Safe to repeat: what is there and',
  'valid stays as it is.',
  '',
  '  --out DIR            where certificates and keys go (default $CAUSEWAY_HOME/cloud/pki)',
  '  --tenant NAME        name of the first tenant (default "demo")',
  '  --environment WHICH  of the first tenant, when it is made: POC (default) or PRODUCTION',
  '  --no-certificate     none for the first tenant, which makes a request of its own (see "certificate issue")',
  '  --host NAME          another host name or address of the bundle endpoint; may be given several times',
].join('\n');

export const init: Command = {
  usage: [
    'npm run cloud -- init [--out DIR] [--tenant NAME] [--environment POC|PRODUCTION] [--no-certificate] [--host NAME …]',
  ],
  about: 'Prepares an installation: store, certificates, first tenant, operator account.',
  help: () => helpText(init.usage.join('\n'), about, INIT_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values } = parseArgs({
      args,
      options: {
        out: { type: 'string' },
        tenant: { type: 'string', default: 'demo' },
        environment: { type: 'string', default: 'POC' },
        'no-certificate': { type: 'boolean', default: false },
        host: { type: 'string', multiple: true, default: [] },
      },
    });
    const tenantName = values.tenant.trim();
    if (tenantName === '') throw new UsageError('--tenant must not be blank.');
    if (INVISIBLE.test(tenantName)) throw new UsageError('--tenant must not contain invisible characters.');
    const environment = environmentOf(values.environment);
    const wrong = values.host.find((host) => !isHostName(host));
    if (wrong !== undefined) throw new UsageError(`--host ${JSON.stringify(wrong)} is no host name and no IP address.`);
    const config = readVariables(INIT_VARIABLES, env);
    const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
    const now = systemClock.now();
    const authorityExists = pairExists(paths.ca);
    // Looked at before anything is written.
    pairExists(paths.server);
    const signs = signingPairExists(paths.signing);

    const store = await prepareStore(config, systemClock);
    try {
      const authority = authorityExists
        ? readPair(paths.ca)
        : await makeAuthority('Causeway sync CA', { from: now, days: AUTHORITY_DAYS });
      const record = (type: ActivityType, targetType: string, targetId: string): Promise<void> =>
        recordCommand(store.db, type, { targetType, targetId }, now);
      if (!authorityExists) {
        writePair(paths.ca, authority);
        await record('AUTHORITY_MADE', 'AUTHORITY', certificateFacts(authority.cert).fingerprint);
      }
      if (!signs) {
        writeSigningPair(paths.signing, makeSigningPair());
        await record('SIGNING_KEY_MADE', 'SIGNING_KEY', keyIdOf(readSigningKey(paths.signing.key)));
      }
      const hosts = [...new Set([...LOCAL_HOSTS, ...values.host])];
      const server = await prepareServer(paths.server, authority, hosts, now);
      if (server !== null) await record('SERVER_CERTIFICATE_ISSUED', 'CERTIFICATE', server);

      const tenants = await listTenants(store.db);
      let tenant = tenants.find(({ name }) => name === tenantName);
      if (tenant === undefined) {
        tenant = await addTenant(store.db, { name: tenantName, environment }, now);
        await record('TENANT_ADDED', 'TENANT', String(tenant.tenantId));
      }
      const client = paths.client(tenant.tenantId);
      const asks = values['no-certificate'];
      if (!asks && !(await isInUse(store.db, tenant.tenantId, client, authority, now))) {
        await issueFor(store, authority, tenant, client, CLIENT_DAYS, now);
      }
      const password = await prepareOperator(store.db, config.CAUSEWAY_DEMO === '1', now);
      print(
        JSON.stringify(
          {
            pki: {
              ca: paths.ca.cert,
              serverCert: paths.server.cert,
              serverKey: paths.server.key,
              clientCa: paths.ca.cert,
              signingKey: paths.signing.key,
              verifyKey: paths.signing.public,
            },
            tenants: [
              { tenantId: tenant.tenantId, name: tenant.name, ...(asks ? {} : { cert: client.cert, key: client.key }) },
            ],
            // What the tenant must have besides its certificate, and may not have from the relay.
            handOut: [paths.ca.cert, paths.signing.public],
            signingKeyId: keyIdOf(readSigningKey(paths.signing.key)),
            operator: { username: OPERATOR_NAME, ...(password === null ? {} : { password }) },
          },
          null,
          2,
        ),
      );
    } finally {
      await store.close();
    }
    return 0;
  },
};

/** @returns the fingerprint of the certificate that was made just now; null where the one that is there stays */
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

/** Whether the tenant's files hold a certificate that the store knows and that still has time. */
async function isInUse(
  db: Db,
  tenantId: number,
  paths: PairPaths,
  authority: KeyedCertificate,
  now: Date,
): Promise<boolean> {
  if (!pairExists(paths)) return false;
  const { cert } = readPair(paths);
  if (!new X509Certificate(cert).checkIssued(new X509Certificate(authority.cert))) return false;
  const { fingerprint } = certificateFacts(cert);
  const registered = (await listCertificates(db, tenantId)).find((entry) => entry.fingerprint === fingerprint);
  return registered !== undefined && registered.revokedAt === null && isFresh(registered.notAfter, now);
}

function isFresh(until: Date, now: Date): boolean {
  return until.getTime() - now.getTime() > RENEW_DAYS * DAY_MS;
}

/** @returns the password when one was made up just now */
async function prepareOperator(db: Db, demo: boolean, now: Date): Promise<string | null> {
  if (await hasOperator(db, OPERATOR_NAME)) return null;
  const password = demo ? DEMO_PASSWORD : randomBytes(15).toString('base64url');
  await createOperator(db, { username: OPERATOR_NAME, displayName: 'Operator', password }, now);
  await recordCommand(db, 'OPERATOR_ADDED', { targetType: 'OPERATOR', targetId: OPERATOR_NAME }, now);
  return demo ? null : password;
}
