/** `cloud doctor`: checks everything that the cloud needs, and reports faults in plain words. It changes nothing. */
import { helpText, readVariables, ConfigurationError } from '../../shared/service/variables.ts';
import { checkJournalStorage } from '../../shared/service/install/journal.ts';
import { examine, report, validSettings, type Check } from '../../shared/service/findings.ts';
import { checkSecretFiles } from '../../shared/service/secret-findings.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { doorFiles, operatorFiles, replicaAddress, SERVE_VARIABLES, signingLock } from '../config/config.ts';
import { pkiFolder } from '../pki/files.ts';
import { signingKeyFile } from '../pki/signing-key.ts';
import { checkCertificates, checkServerPair, checkSigningKey } from '../doctor/check-files.ts';
import { checkBackups } from '../doctor/check-backups.ts';
import { checkListeners } from '../doctor/check-listeners.ts';
import { checkReplica } from '../doctor/check-replica.ts';
import { checkStore } from '../doctor/check-store.ts';
import type { Command } from './command.ts';

const about = [
  'Checks variables, certificates, signing key, database, clock, disk and listeners, and reports what is wrong and',
  'what to do. Takes the variables of the cloud itself, and changes nothing. Exit code 1 when anything is wrong.',
].join('\n');

export const doctor: Command = {
  usage: ['causeway-cloud doctor'],
  about: 'Checks everything that the cloud needs, and reports what is wrong.',
  help: () => helpText(doctor.usage.join('\n'), about, SERVE_VARIABLES),
  run: async ({ args, env, print }) => {
    if (args.length > 0) throw new ConfigurationError([`"doctor" takes no ${args.join(' ')}.`]);
    print(`Causeway ${PRODUCT_VERSION}`);
    return report(await examine(() => readSettings(env), 'correct the variable', CHECKS), print);
  },
};

/** @throws ConfigurationError */
function readSettings(env: Record<string, string | undefined>) {
  const config = readVariables(SERVE_VARIABLES, env);
  const pairs = { 'operator API': operatorFiles(config), "engine's door": doorFiles(config) };
  return { env, config, readUrl: replicaAddress(config), pairs };
}

const now = (): Date => systemClock.now();

const CHECKS: readonly Check<ReturnType<typeof readSettings>>[] = [
  validSettings,
  ({ env }) => checkSecretFiles(SERVE_VARIABLES, env),
  () => checkJournalStorage(),
  ({ config }) => checkCertificates(config, now()),
  ({ pairs }) => Object.entries(pairs).flatMap(([who, files]) => checkServerPair(who, files, now())),
  ({ config }) => checkSigningKey(signingKeyFile(config), pkiFolder(config.CAUSEWAY_HOME), () => signingLock(config)),
  ({ config }) => checkStore(config, now),
  ({ config, readUrl }) => checkReplica(config.CAUSEWAY_DATABASE_URL, readUrl),
  ({ config }) => checkBackups(config.CAUSEWAY_BACKUP_FOLDER, config.CAUSEWAY_DATABASE_URL !== undefined, now()),
  ({ config }) => checkListeners(config),
];
