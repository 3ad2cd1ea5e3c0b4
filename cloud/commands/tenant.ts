/** Adds, lists and removes tenants, and sets how much of their records is kept. */
import { parseArgs } from 'node:util';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { STORE_VARIABLES } from '../config/config.ts';
import { addTenant, listTenants, removeTenant } from '../pki/registry.ts';
import { applyRetention, listPositions } from '../publication/retention.ts';
import { holdsUnread } from '../../shared/wire/characters.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import { TENANT_LIMITS } from '../../shared/wire/operator/tenant-constants.ts';
import { commandActor, recordActivity } from '../accounts/activity-log.ts';
import type { Db, Store } from '../store/open.ts';
import type { ActivityType } from '../store/schema.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { UsageError, type Command } from './command.ts';

const about = [
  'Adds, lists and removes tenants, and removes old delivery records.',
  '',
  '  add        a new tenant receives what is published from then on; give it a certificate with',
  '             "certificate issue". Its name must not look like another one of its environment',
  '  list       with the last cursor, the retention floor and the cursor that the tenant has confirmed',
  '  remove     for good: from its next request on the tenant is refused (403 SYNC4031); its records stay',
  '             in the store, and its name may be given to a new tenant',
  '  retention  removes the records of one tenant up to a cursor; a pull from below it is refused',
  '             (410 SYNC4101). Tenants still receive withdrawals of what they got. For good',
  '',
  '  --name NAME          the name of the tenant; for remove it must fit the number',
  '  --environment WHICH  of a new tenant: POC (default) or PRODUCTION',
  '  --tenant ID          the tenant (see "tenant list")',
  '  --floor CURSOR       the last record to remove',
  '  --drop-unconfirmed   remove records, too, that the tenant has not confirmed: it can never have them',
  '  --above-head         after a restore from a backup: CURSOR is what the tenant had reached before; cursors',
  '                       go on above it, so that none is used twice. Load what was published since again.',
  '                       The last good pull must have gone on from CURSOR, or say --drop-unconfirmed; at most',
  '                       10000000 above the last record',
].join('\n');

const OPTIONS = {
  add: ['name', 'environment'],
  list: [],
  remove: ['tenant', 'name'],
  retention: ['tenant', 'floor', 'drop-unconfirmed', 'above-head'],
} as const;
type Action = keyof typeof OPTIONS;

export const tenant: Command = {
  usage: [
    'causeway-cloud tenant add --name NAME [--environment POC|PRODUCTION]',
    'causeway-cloud tenant list',
    'causeway-cloud tenant remove --tenant ID --name NAME',
    'causeway-cloud tenant retention --tenant ID --floor CURSOR [--drop-unconfirmed] [--above-head]',
  ],
  about: 'Adds, lists and removes tenants, and removes their old delivery records.',
  help: () => helpText(tenant.usage.join('\n       '), about, STORE_VARIABLES),
  run: async ({ args, env, print }) => {
    const work = readAction(args);
    const store = await prepareStore(readVariables(STORE_VARIABLES, env), systemClock);
    try {
      print(JSON.stringify(await work(store), null, 2));
    } finally {
      await store.close();
    }
    return 0;
  },
};

/** Reads the whole command line before the store is touched. @throws UsageError */
function readAction(args: string[]): (store: Store) => Promise<unknown> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      environment: { type: 'string' },
      tenant: { type: 'string' },
      floor: { type: 'string' },
      'drop-unconfirmed': { type: 'boolean' },
      'above-head': { type: 'boolean' },
    },
  });
  const action = positionals[0];
  if (positionals.length !== 1 || action === undefined || !isAction(action))
    throw new UsageError(`tenant takes one of ${Object.keys(OPTIONS).join(', ')}.`);
  const stray = Object.keys(values).find((name) => !(OPTIONS[action] as readonly string[]).includes(name));
  if (stray !== undefined) throw new UsageError(`tenant ${action} takes no --${stray}.`);
  const name = (values.name ?? '').normalize('NFC').trim();
  if (action !== 'list' && action !== 'retention' && name === '')
    throw new UsageError(`tenant ${action} needs --name NAME.`);
  const now = systemClock.now();
  switch (action) {
    case 'add': {
      requireTenantName('--name', name);
      const environment = environmentOf(values.environment ?? 'POC');
      return (store) =>
        store.transaction(async (trx) => {
          const made = await addTenant(trx, { name, environment }, now);
          await record(trx, 'TENANT_ADDED', made.tenantId, now);
          return made;
        });
    }
    case 'list':
      return listWithPositions;
    case 'remove': {
      const tenantId = readTenantId(`tenant ${action}`, values.tenant);
      return (store) =>
        store.transaction(async (trx) => {
          const removed = await removeTenant(trx, tenantId, name, now);
          await record(trx, 'TENANT_REMOVED', tenantId, now);
          return removed;
        });
    }
    case 'retention': {
      const tenantId = readTenantId(`tenant ${action}`, values.tenant);
      const floor = readWhole(values.floor ?? '');
      if (floor === null) throw new UsageError('tenant retention needs --floor CURSOR, a whole number.');
      const permissions = {
        dropUnconfirmed: values['drop-unconfirmed'] ?? false,
        aboveHead: values['above-head'] ?? false,
      };
      return async (store) => ({
        tenantId,
        ...(await applyRetention(store, tenantId, floor, permissions, (trx) =>
          record(trx, 'RETENTION_APPLIED', tenantId, now, `up to ${floor}`),
        )),
      });
    }
  }
}

function record(db: Db, type: ActivityType, tenantId: number, at: Date, reason?: string): Promise<void> {
  const about = { targetType: 'TENANT', targetId: String(tenantId), ...(reason === undefined ? {} : { reason }) };
  return recordActivity(db, { at, actor: commandActor(), type, ...about });
}

async function listWithPositions(store: Store): Promise<unknown> {
  const [tenants, positions] = [await listTenants(store.db), await listPositions(store.db, null)];
  return { tenants: tenants.map((one) => ({ ...one, ...positions.get(one.tenantId) })) };
}

function isAction(text: string): text is Action {
  return Object.hasOwn(OPTIONS, text);
}

/** The rules of the operator API for a new tenant's name. @throws UsageError */
export function requireTenantName(option: string, name: string): void {
  if (name.length > TENANT_LIMITS.name)
    throw new UsageError(`${option} must have at most ${TENANT_LIMITS.name} characters.`);
  if (isBlank(name)) throw new UsageError(`${option} must not be blank.`);
  if (holdsUnread(name)) throw new UsageError(`${option} must not contain invisible characters.`);
}

/** @throws UsageError */
export function environmentOf(text: string): 'POC' | 'PRODUCTION' {
  if (text !== 'POC' && text !== 'PRODUCTION') throw new UsageError('--environment must be POC or PRODUCTION.');
  return text;
}

/** @throws UsageError */
export function readTenantId(command: string, text: string | undefined): number {
  if (text === undefined) throw new UsageError(`${command} needs --tenant ID.`);
  const id = readWhole(text);
  if (id === null || id === 0) throw new UsageError('--tenant must be the whole number that "tenant list" shows.');
  return id;
}

/** A whole number from 0 that is exact in JavaScript (D3), else null. */
function readWhole(text: string): number | null {
  const value = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}
