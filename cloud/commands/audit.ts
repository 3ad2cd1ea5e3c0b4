/** Checks the vendor's audit log. */
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { STORE_VARIABLES } from '../config.ts';
import { verifyActivities } from '../operator/activity-log.ts';
import { prepareStore } from '../store/prepare.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'Recomputes the hash of every row of the audit log and prints how many fit, and the first row that does not.',
  'Keep the last hash elsewhere: a log whose end was removed no longer holds it. Exit code 1 for a broken chain.',
].join('\n');

export const audit: Command = {
  usage: ['npm run cloud -- audit verify'],
  about: 'Checks the chain of the audit log.',
  help: () => helpText(audit.usage.join('\n'), about, STORE_VARIABLES),
  run: async ({ args, env, print }) => {
    const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
    if (positionals.length !== 1 || positionals[0] !== 'verify') throw new UsageError('audit takes verify.');
    const store = await prepareStore(readVariables(STORE_VARIABLES, env), systemClock);
    try {
      const found = await verifyActivities(store.db);
      print(JSON.stringify(found, null, 2));
      return found.broken === null ? 0 : 1;
    } finally {
      await store.close();
    }
  },
};
