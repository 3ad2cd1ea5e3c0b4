/** The authority of all certificates, and its rotation while pulls continue. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { AUTHORITY_VARIABLES, authorityLock } from '../config/config.ts';
import { pkiFolder, pkiPaths } from '../pki/files.ts';
import { AUTHORITY_DAYS, certificateFacts, makeAuthority } from '../pki/certificates.ts';
import { lockedPem } from '../pki/key-lock.ts';
import { listCertificates, type RegisteredCertificate } from '../pki/registry.ts';
import {
  prepareNext,
  retirePrevious,
  SuccessionError,
  switchToNext,
  trusted,
  type Succession,
} from '../pki/key-rotation.ts';
import { recordCommand } from '../accounts/activity-log.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import type { ActivityType } from '../store/schema.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'Lets another authority take over. Between the steps each tenant and the cloud trust both, so no pull fails.',
  '',
  '  next     makes the next authority and adds it to ca.crt. Then hand ca.crt to every tenant, for',
  '           CAUSEWAY_RELAY_CA (and CAUSEWAY_INTAKE_CA where an Intake asks the cloud itself)',
  '  switch   the next one issues from now on. Then: certificate server, and certificate issue for every tenant',
  '  retire   takes the earlier one out of ca.crt, once nothing that it issued is in use. Then hand ca.crt out again',
  '',
  '  --out DIR           where the authority is (default $CAUSEWAY_HOME/cloud/pki)',
  '  --drop-unreplaced   retire: also when tenants still have a valid certificate of the earlier one',
].join('\n');

const STEPS = ['next', 'switch', 'retire'] as const;

export const authority: Command = {
  usage: ['causeway-cloud authority next|switch|retire [--drop-unreplaced] [--out DIR]'],
  about: 'Lets another authority of the certificates take over, without a pull that fails.',
  help: () => helpText(authority.usage.join('\n'), about, AUTHORITY_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { out: { type: 'string' }, 'drop-unreplaced': { type: 'boolean', default: false } },
    });
    const step = STEPS.find((known) => known === positionals[0]);
    if (positionals.length !== 1 || step === undefined)
      throw new UsageError(`authority takes one of ${STEPS.join(', ')}.`);
    const anyway = values['drop-unreplaced'];
    if (anyway && step !== 'retire') throw new UsageError(`authority ${step} takes no --drop-unreplaced.`);
    const config = readVariables(AUTHORITY_VARIABLES, env);
    const paths = pkiPaths(resolve(values.out ?? pkiFolder(config.CAUSEWAY_HOME)));
    const succession: Succession = {
      what: 'authority',
      present: { public: paths.ca.cert, key: paths.ca.key },
      next: { public: paths.nextCa.cert, key: paths.nextCa.key },
    };
    const { passphrase } = authorityLock(config);
    const now = systemClock.now();
    const store = await prepareStore(config, systemClock);
    try {
      const earlier = trusted(succession);
      if (step === 'retire' && !anyway) {
        const left = unreplaced(succession, paths, await listCertificates(store.db, null), now);
        if (left.length > 0)
          throw new SuccessionError(
            `The earlier authority is still needed by ${left.join(', ')}: replace them (and revoke what was replaced), or say --drop-unreplaced.`,
          );
      }
      await store.transaction(async (trx) => {
        await take(step, succession, passphrase, now);
        const told = activityOf(step, earlier, trusted(succession));
        await recordCommand(trx, told.type, { targetType: 'AUTHORITY', targetId: told.fingerprint }, now);
      });
    } finally {
      await store.close();
    }
    const holds = trusted(succession).map((pem) => {
      const { fingerprint, subject, notAfter } = certificateFacts(pem);
      return { subject, fingerprint, notAfter };
    });
    print(JSON.stringify({ step, ca: paths.ca.cert, trusted: holds }, null, 2));
    return 0;
  },
};

async function take(
  step: (typeof STEPS)[number],
  succession: Succession,
  passphrase: string | null,
  now: Date,
): Promise<void> {
  switch (step) {
    case 'next':
      return await prepareNext(succession, async () => {
        const name = `Causeway sync CA ${now.toISOString().slice(0, 10)}`;
        const { cert, key } = await makeAuthority(name, { from: now, days: AUTHORITY_DAYS });
        return { public: cert, key: lockedPem(key, passphrase) };
      });
    case 'switch':
      return switchToNext(succession);
    case 'retire':
      return retirePrevious(succession);
  }
}

/** The authority that a step concerns: the one that was added, is in use now, or was removed. */
function activityOf(
  step: (typeof STEPS)[number],
  earlier: readonly string[],
  [inUse = '', next = '']: readonly string[],
): { type: ActivityType; fingerprint: string } {
  const of = (type: ActivityType, pem: string) => ({ type, fingerprint: certificateFacts(pem).fingerprint });
  switch (step) {
    case 'next':
      return of('AUTHORITY_PREPARED', next);
    case 'switch':
      return of('AUTHORITY_SWITCHED', inUse);
    case 'retire':
      return of('AUTHORITY_RETIRED', earlier[1] ?? '');
  }
}

/** The valid certificates that are not of the authority in use: the server's, and each tenant's that is not revoked. */
function unreplaced(
  succession: Succession,
  paths: ReturnType<typeof pkiPaths>,
  registered: readonly RegisteredCertificate[],
  now: Date,
): string[] {
  const [inUse = ''] = trusted(succession);
  const key = new X509Certificate(inUse).publicKey;
  const isReplaced = (pem: string): boolean => new X509Certificate(pem).verify(key);
  const files = existsSync(paths.tenants)
    ? readdirSync(paths.tenants, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.crt'))
    : [];
  const replaced = new Set(
    files
      .map((file) => readFileSync(join(paths.tenants, file), 'utf8'))
      .filter(isReplaced)
      .map((pem) => certificateFacts(pem).fingerprint),
  );
  const ofTenants = registered
    .filter(
      ({ revokedAt, notAfter, fingerprint }) => revokedAt === null && notAfter > now && !replaced.has(fingerprint),
    )
    .map(({ tenantId, fingerprint }) => `tenant ${tenantId} (${fingerprint})`);
  const server = existsSync(paths.server.cert) && !isReplaced(readFileSync(paths.server.cert, 'utf8'));
  return [...(server ? [`the server (${paths.server.cert})`] : []), ...ofTenants];
}
