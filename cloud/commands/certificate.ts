/** Issues, lists and revokes the tenants' certificates (D29). */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { pkiFolder, STORE_VARIABLES } from '../config.ts';
import { certificateFacts, issueClient, type CertificateFacts, type KeyedCertificate } from '../pki/certificates.ts';
import { pairExists, pkiPaths, readPair, writePair, type PairPaths } from '../pki/files.ts';
import {
  listCertificates,
  registerCertificate,
  requireTenant,
  revokeCertificate,
  type TenantRow,
} from '../pki/registry.ts';
import type { Db } from '../store/open.ts';
import { prepareStore } from '../store/prepare.ts';
import { UsageError, type Command } from './command.ts';

const MAX_DAYS = 3650;

const about = [
  "Issues, lists and revokes the tenants' client certificates. Several may be valid at once; a revoked",
  'one is refused from the next request on.',
  '',
  '  --tenant ID         the tenant (see "tenant list")',
  '  --name NAME         name of the new files (default client-<time>)',
  '  --days N            how long it is valid (default 365)',
  '  --out DIR           where the authority is (default $CAUSEWAY_HOME/cloud/pki)',
  '  --fingerprint HEX   SHA-256 of the certificate to revoke',
].join('\n');

export const certificate: Command = {
  usage: [
    'npm run cloud -- certificate issue --tenant ID [--name NAME] [--days N] [--out DIR]',
    'npm run cloud -- certificate list [--tenant ID]',
    'npm run cloud -- certificate revoke --fingerprint HEX',
  ],
  about: "Issues, lists and revokes the tenants' client certificates.",
  help: () => helpText(certificate.usage.join('\n       '), about, STORE_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        name: { type: 'string' },
        days: { type: 'string', default: '365' },
        out: { type: 'string' },
        fingerprint: { type: 'string' },
      },
    });
    const action = positionals[0];
    if (positionals.length !== 1 || (action !== 'issue' && action !== 'list' && action !== 'revoke')) {
      throw new UsageError('certificate takes one of issue, list, revoke.');
    }
    const tenantId = values.tenant === undefined ? null : readTenantId(values.tenant);
    const config = readVariables(STORE_VARIABLES, env);
    const now = systemClock.now();
    switch (action) {
      case 'issue': {
        if (tenantId === null) throw new UsageError('certificate issue needs --tenant ID.');
        const days = /^\d{1,4}$/.test(values.days) ? Number(values.days) : 0;
        if (days < 1 || days > MAX_DAYS) throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
        const name = values.name ?? `client-${now.toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
        if (!/^[\w.-]{1,100}$/.test(name) || name.startsWith('.'))
          throw new UsageError('--name must be a file name of letters, digits, dots and dashes.');
        const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
        const authority = readPair(paths.ca);
        const files = paths.client(tenantId, name);
        if (pairExists(files)) throw new UsageError(`${files.cert} is there already: choose another --name.`);
        return withDb(config, async (db) => {
          const facts = await issueFor(db, authority, await requireTenant(db, tenantId), files, days, now);
          print(
            JSON.stringify({ tenantId, fingerprint: facts.fingerprint, notAfter: facts.notAfter, ...files }, null, 2),
          );
        });
      }
      case 'list':
        return withDb(config, async (db) =>
          print(JSON.stringify({ certificates: await listCertificates(db, tenantId) }, null, 2)),
        );
      case 'revoke': {
        const fingerprint = (values.fingerprint ?? '').replaceAll(':', '').toLowerCase();
        if (!/^[0-9a-f]{64}$/.test(fingerprint))
          throw new UsageError('certificate revoke needs --fingerprint with 64 hexadecimal digits.');
        return withDb(config, async (db) => {
          await revokeCertificate(db, fingerprint, now);
          print(JSON.stringify({ fingerprint, revokedAt: now }, null, 2));
        });
      }
    }
  },
};

/** Makes a certificate for a tenant, registers it and writes its files; registered first, so that no file is without its row. */
export async function issueFor(
  db: Db,
  authority: KeyedCertificate,
  tenant: TenantRow,
  files: PairPaths,
  days: number,
  now: Date,
): Promise<CertificateFacts> {
  const pair = await issueClient(authority, `tenant ${tenant.tenantId}`, { from: now, days });
  const facts = certificateFacts(pair.cert);
  await registerCertificate(db, tenant.tenantId, facts, now);
  writePair(files, pair);
  return facts;
}

export function readTenantId(text: string): number {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new UsageError('--tenant must be the whole number that "tenant list" shows.');
  return id;
}

async function withDb(config: Parameters<typeof prepareStore>[0], work: (db: Db) => Promise<void>): Promise<number> {
  const store = await prepareStore(config, systemClock);
  try {
    await work(store.db);
  } finally {
    await store.close();
  }
  return 0;
}
