/** Adds and lists tenants. A new tenant receives what is published from then on. */
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { STORE_VARIABLES } from '../config.ts';
import { addTenant, listTenants } from '../pki/registry.ts';
import { prepareStore } from '../store/prepare.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'Adds and lists tenants. A new tenant receives what is published from then on; give it a certificate',
  'with "certificate issue".',
  '',
  '  --name NAME          the name of the new tenant',
  '  --environment WHICH  POC (default) or PRODUCTION',
].join('\n');

export const tenant: Command = {
  usage: ['npm run cloud -- tenant add --name NAME [--environment POC|PRODUCTION]', 'npm run cloud -- tenant list'],
  about: 'Adds and lists tenants.',
  help: () => helpText(tenant.usage.join('\n       '), about, STORE_VARIABLES),
  run: async ({ args, env, print }) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { name: { type: 'string' }, environment: { type: 'string', default: 'POC' } },
    });
    const action = positionals[0];
    if (positionals.length !== 1 || (action !== 'add' && action !== 'list'))
      throw new UsageError('tenant takes one of add, list.');
    const { name, environment } = values;
    if (action === 'add' && (name === undefined || name.trim() === ''))
      throw new UsageError('tenant add needs --name NAME.');
    if (environment !== 'POC' && environment !== 'PRODUCTION')
      throw new UsageError('--environment must be POC or PRODUCTION.');
    const store = await prepareStore(readVariables(STORE_VARIABLES, env), systemClock);
    try {
      const answer =
        action === 'add'
          ? await addTenant(store.db, { name: (name ?? '').trim(), environment }, systemClock.now())
          : { tenants: await listTenants(store.db) };
      print(JSON.stringify(answer, null, 2));
    } finally {
      await store.close();
    }
    return 0;
  },
};
