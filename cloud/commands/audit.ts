/** Checks the vendor's audit log, also against checkpoints of it that are kept elsewhere. */
import { parseArgs } from 'node:util';
import { CheckpointError, EXIT_HELP } from '../../shared/service/checkpoints/checkpoint.ts';
import { printKey, verifyCheckpoints } from '../../shared/service/checkpoints/commands.ts';
import { CHECKPOINT_VARIABLES } from '../../shared/service/checkpoints/schedule.ts';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { flawOf } from '../../shared/wire/characters.ts';
import { checkpointKeyFile, STORE_VARIABLES } from '../config/config.ts';
import { activityLogOf, recordCommand, verifyActivities } from '../accounts/activity-log.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'verify     recomputes the hash of every row of the audit log, and prints how many fit and the first that does not',
  'restored   puts on record that the store was restored from a backup, so that checkpoints of what is lost are told',
  '           from a removed end; to be called once, right after the restore',
  'key        prints the public key of the checkpoints; makes it where there is none',
  '',
  '--checkpoint FILE   verify: also hold the log against these checkpoints, and name the first difference',
  '--key FILE          the public key (PEM) that must have signed them',
  '--reason TEXT       restored: why, and from which backup',
  '',
  EXIT_HELP,
].join('\n');

const VARIABLES = { ...STORE_VARIABLES, CAUSEWAY_CHECKPOINT_KEY: CHECKPOINT_VARIABLES.CAUSEWAY_CHECKPOINT_KEY };

export const audit: Command = {
  usage: [
    'causeway-cloud audit verify [--checkpoint FILE [--key FILE]]',
    'causeway-cloud audit restored --reason TEXT',
    'causeway-cloud audit key',
  ],
  about: 'Checks the chain of the audit log, and holds it against its checkpoints.',
  help: () => helpText(audit.usage.join('\n       '), about, VARIABLES),
  run: async ({ args, env, print }) => {
    const { action, checkpoint, key, reason } = readAction(args);
    const config = readVariables(VARIABLES, env);
    const told = { print, complain: print };
    if (action === 'key') {
      await printKey(checkpointKeyFile(config), told).catch((error: unknown) => {
        throw error instanceof CheckpointError ? new UsageError(error.message) : error;
      });
      return 0;
    }
    const store = await prepareStore(config, systemClock);
    try {
      if (action === 'restored') {
        const about = { targetType: 'STORE', targetId: 'store', reason };
        await recordCommand(store.db, 'STORE_RESTORED', about, systemClock.now());
        return 0;
      }
      const found = await verifyActivities(store.db);
      print(JSON.stringify(found, null, 2));
      if (found.broken !== null) return 1;
      if (checkpoint === undefined) return 0;
      const against = { file: checkpoint, keyFile: key, now: systemClock.now() };
      return await verifyCheckpoints(activityLogOf(store.db), against, told);
    } finally {
      await store.close();
    }
  },
};

const ACTIONS = ['verify', 'restored', 'key'] as const;

/** @throws UsageError */
function readAction(args: string[]): {
  action: (typeof ACTIONS)[number];
  checkpoint: string | undefined;
  key: string | undefined;
  reason: string;
} {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { checkpoint: { type: 'string' }, key: { type: 'string' }, reason: { type: 'string' } },
  });
  const action = ACTIONS.find((known) => known === positionals[0]);
  if (positionals.length !== 1 || action === undefined)
    throw new UsageError(`audit takes one of ${ACTIONS.join(', ')}.`);
  const { checkpoint, key } = values;
  const reason = (values.reason ?? '').trim();
  if (action !== 'verify' && checkpoint !== undefined) throw new UsageError(`audit ${action} takes no --checkpoint.`);
  if (checkpoint === undefined && key !== undefined) throw new UsageError('--key goes with --checkpoint.');
  if ((action === 'restored') !== (reason !== ''))
    throw new UsageError(
      action === 'restored' ? 'audit restored needs --reason TEXT.' : `audit ${action} takes no --reason.`,
    );
  const flaw = flawOf('text', reason);
  if (flaw !== null) throw new UsageError(`--reason ${flaw}.`);
  return { action, checkpoint, key, reason };
}
