/** The tenants' certificates (D29) and the server's. */
import { certificateBlocks } from '../../shared/service/tls/pem.ts';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { authorityLock, CERTIFICATE_VARIABLES } from '../config/config.ts';
import { pkiFolder, pairExists, pkiPaths, readAuthority, readCertificate, readPair, writePair } from '../pki/files.ts';
import {
  certificateFacts,
  isHostName,
  issueServer,
  LOCAL_HOSTS,
  SERVER_DAYS,
  serverHosts,
} from '../pki/certificates.ts';
import { listCertificates, requireTenant, revokeCertificate } from '../pki/registry.ts';
import type { Store } from '../store/open.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { UsageError, type Command } from './command.ts';
import {
  isIssued,
  issueFor,
  keyOrigin,
  ORIGIN_HELP,
  ORIGIN_OPTIONS,
  recordCertificate,
  registerIssued,
} from './issue.ts';
import { readTenantId } from './tenant.ts';

const MAX_DAYS = 3650;
const CLIENT_DAYS = 365;

const about = [
  "Issues, lists and revokes the tenants' client certificates, and makes the server's anew.",
  '',
  '  issue     a certificate for a tenant; several may be valid at once',
  '  register  the same for one that an authority elsewhere has issued: its authority stands in ca.crt',
  '  list      all that were issued to tenants, newest first',
  '  revoke    one of them: it is refused from the next request on (403 SYNC4031)',
  '  server    replaces the certificate of the bundle endpoint by a new one for the same names',
  '',
  '  --tenant ID         the tenant (see "tenant list")',
  ...ORIGIN_HELP,
  '  --file FILE         register: the certificate, PEM',
  '  --name NAME         name of the new files (default client-<time>)',
  `  --days N            how long it is valid (default ${CLIENT_DAYS}; for the server ${SERVER_DAYS})`,
  '  --host NAME         a further host name or address of the server; may be given several times',
  '  --out DIR           where the authority is (default $CAUSEWAY_HOME/cloud/pki)',
  '  --fingerprint HEX   SHA-256 of the certificate to revoke',
].join('\n');

const OPTIONS = {
  issue: ['tenant', 'csr', 'make-key', 'name', 'days', 'out'],
  register: ['tenant', 'file', 'out'],
  list: ['tenant'],
  revoke: ['fingerprint'],
  server: ['days', 'host', 'out'],
} as const;

export const certificate: Command = {
  usage: [
    'causeway-cloud certificate issue --tenant ID --csr FILE|--make-key [--name NAME] [--days N] [--out DIR]',
    'causeway-cloud certificate register --tenant ID --file FILE [--out DIR]',
    'causeway-cloud certificate list [--tenant ID]',
    'causeway-cloud certificate revoke --fingerprint HEX',
    'causeway-cloud certificate server [--host NAME …] [--days N] [--out DIR]',
  ],
  about: "Issues, lists and revokes the tenants' client certificates; makes the server's anew.",
  help: () => helpText(certificate.usage.join('\n       '), about, CERTIFICATE_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        ...ORIGIN_OPTIONS,
        file: { type: 'string' },
        name: { type: 'string' },
        days: { type: 'string' },
        host: { type: 'string', multiple: true },
        out: { type: 'string' },
        fingerprint: { type: 'string' },
      },
    });
    const action = positionals[0];
    if (positionals.length !== 1 || action === undefined || !isAction(action))
      throw new UsageError(`certificate takes one of ${Object.keys(OPTIONS).join(', ')}.`);
    const stray = Object.keys(values).find((name) => !(OPTIONS[action] as readonly string[]).includes(name));
    if (stray !== undefined) throw new UsageError(`certificate ${action} takes no --${stray}.`);
    const config = readVariables(CERTIFICATE_VARIABLES, env);
    const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
    const now = systemClock.now();
    switch (action) {
      case 'issue': {
        const tenantId = readTenantId('certificate issue', values.tenant);
        const days = readDays(values.days, CLIENT_DAYS);
        const name = values.name ?? `client-${now.toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
        if (!/^[\w.-]{1,100}$/.test(name) || name.startsWith('.'))
          throw new UsageError('--name must be a file name of letters, digits, dots and dashes.');
        const origin = keyOrigin(values, config.CAUSEWAY_DEMO === '1');
        if (origin === null)
          throw new UsageError(
            "certificate issue needs --csr FILE, the tenant's request; --make-key makes a key here, locked by a passphrase.",
          );
        const authority = readAuthority(paths.ca, authorityLock(config));
        const files = paths.client(tenantId, name);
        return withStore(config, async (store) => {
          const tenant = await requireTenant(store.db, tenantId);
          if (isIssued(files, origin)) throw new UsageError(`${files.cert} is there already: choose another --name.`);
          const issued = await issueFor(store, authority, tenant, { files, origin, days, now });
          const { fingerprint, notAfter } = issued.facts;
          print(JSON.stringify({ tenantId, fingerprint, notAfter, ...issued.files }, null, 2));
        });
      }
      case 'register': {
        const tenantId = readTenantId('certificate register', values.tenant);
        if (values.file === undefined) throw new UsageError('certificate register needs --file FILE.');
        const pem = readCertificate(values.file);
        const trusted = certificateBlocks(readCertificate(paths.ca.cert));
        return withStore(config, async (store) => {
          const tenant = await requireTenant(store.db, tenantId);
          const { fingerprint, notAfter } = await registerIssued(store, tenant, pem, trusted, now);
          print(JSON.stringify({ tenantId, fingerprint, notAfter }, null, 2));
        });
      }
      case 'server': {
        const days = readDays(values.days, SERVER_DAYS);
        const authority = readAuthority(paths.ca, authorityLock(config));
        // Existing names of the server, by which tenants reach it, always stay.
        const held = pairExists(paths.server) ? serverHosts(readPair(paths.server).cert) : LOCAL_HOSTS;
        const hosts = [...new Set([...held, ...(values.host ?? [])])];
        const wrong = hosts.find((host) => !isHostName(host));
        if (wrong !== undefined)
          throw new UsageError(`--host ${JSON.stringify(wrong)} is no host name and no IP address.`);
        const pair = await issueServer(authority, hosts, { from: now, days });
        const { fingerprint, notAfter } = certificateFacts(pair.cert);
        return withStore(config, async (store) => {
          await store.transaction(async (trx) => {
            writePair(paths.server, pair);
            await recordCertificate(trx, 'SERVER_CERTIFICATE_ISSUED', fingerprint, now, hosts.join(', '));
          });
          print(JSON.stringify({ hosts, fingerprint, notAfter, ...paths.server }, null, 2));
        });
      }
      case 'list': {
        const tenantId = values.tenant === undefined ? null : readTenantId('certificate list', values.tenant);
        return withStore(config, async (store) =>
          print(JSON.stringify({ certificates: await listCertificates(store.db, tenantId) }, null, 2)),
        );
      }
      case 'revoke': {
        const fingerprint = (values.fingerprint ?? '').replaceAll(':', '').toLowerCase();
        if (!/^[0-9a-f]{64}$/.test(fingerprint))
          throw new UsageError('certificate revoke needs --fingerprint with 64 hexadecimal digits.');
        return withStore(config, async (store) => {
          await store.transaction(async (trx) => {
            await revokeCertificate(trx, fingerprint, now);
            await recordCertificate(trx, 'CERTIFICATE_REVOKED', fingerprint, now);
          });
          print(JSON.stringify({ fingerprint, revokedAt: now }, null, 2));
        });
      }
    }
  },
};

function isAction(text: string): text is keyof typeof OPTIONS {
  return Object.hasOwn(OPTIONS, text);
}

function readDays(text: string | undefined, byDefault: number): number {
  const days = text === undefined ? byDefault : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_DAYS) throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
  return days;
}

async function withStore(
  config: Parameters<typeof prepareStore>[0],
  work: (store: Store) => Promise<void>,
): Promise<number> {
  const store = await prepareStore(config, systemClock);
  try {
    await work(store);
  } finally {
    await store.close();
  }
  return 0;
}
