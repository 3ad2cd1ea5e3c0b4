/** Stores for tests: real ones of both kinds, migrated, with tenants in them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { type Store, openEmbedded, openPostgres } from '../../../cloud/store/open.ts';
import { migrate } from '../../../cloud/store/migrations/migrate.ts';
import { MIGRATIONS } from '../../../cloud/store/migrations/index.ts';
import { addTenant } from '../../../cloud/pki/registry.ts';
import { isDeep } from '../depth.ts';
import { sharedPostgres } from '../shared-postgres.ts';
import { copyTemplate } from './embedded-template.ts';

export const AT = new Date('2026-11-20T07:00:00.000Z');

/** A kind of store under test. `open` gives an empty migrated one; a PostgreSQL one may be opened again by its URL. */
export interface StoreKind {
  open(): Promise<{ store: Store; url: string | null }>;
  stop(): Promise<void>;
}

export async function embeddedKind(): Promise<StoreKind> {
  return {
    open: async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'causeway-store-'));
      const inside = path.join(folder, 'store');
      await copyTemplate(inside);
      const store = await openEmbedded(inside);
      const close = async (): Promise<void> => {
        await store.close();
        rmSync(folder, { recursive: true, force: true });
      };
      return { store: { ...store, close }, url: null };
    },
    stop: async () => undefined,
  };
}

let template: Promise<string> | undefined;

/** A migrated database of this process, which each store of the kind is a copy of. @returns its URL */
async function makeTemplate(): Promise<string> {
  const url = await (await sharedPostgres()).createDatabase();
  const first = await openPostgres(url, 1);
  await migrate(first, MIGRATIONS, AT);
  await first.close();
  return url;
}

export async function postgresKind(): Promise<StoreKind> {
  const server = await sharedPostgres();
  template ??= makeTemplate();
  const migrated = await template;
  return {
    open: async () => {
      const url = await server.createDatabase(migrated);
      return { store: await openPostgres(url), url };
    },
    stop: () => server.stop(),
  };
}

export const BOTH_KINDS = [
  ['PGlite', embeddedKind],
  ['PostgreSQL', postgresKind],
] as const;

/** PostgreSQL; in `npm run test:deep` PGlite too, which a few files always try (`BOTH_KINDS`). */
export const STORE_KINDS = isDeep ? BOTH_KINDS : BOTH_KINDS.slice(1);

/** Adds tenants named `<prefix>1`, `<prefix>2`, …; @returns their ids */
export async function addTenants(store: Store, count: number, prefix = 'tenant-'): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    ids.push((await addTenant(store.db, { name: `${prefix}${number}`, environment: 'POC' }, AT)).tenantId);
  }
  return ids;
}

export interface DeliveryRow {
  tenant_id: number;
  cursor: number;
  delivery_type: 'NEW' | 'INVALIDATION';
  explanation_result_id: string | null;
  movement_analysis_id: string | null;
  target_explanation_result_id: string | null;
  target_movement_analysis_id: string | null;
  reason: string | null;
}

/** All delivery records, by tenant and cursor. */
export async function deliveries(store: Store): Promise<DeliveryRow[]> {
  return store.db
    .selectFrom('tenant_delivery')
    .select([
      'tenant_id',
      'cursor',
      'delivery_type',
      'explanation_result_id',
      'movement_analysis_id',
      'target_explanation_result_id',
      'target_movement_analysis_id',
      'reason',
    ])
    .orderBy('tenant_id')
    .orderBy('cursor')
    .execute();
}

/** In an order in which no row refers to a removed one. */
const EMPTIED = [
  'workflow_execution',
  'message_queue',
  'intraday_extraction',
  'minute_judgment_ground',
  'minute_daily_judgment',
  'minute_collection',
  'minute_session',
  'holdings_loaded',
  'holdings_load',
  'holdings_expected',
  'holdings_snapshot',
  'nav_collection',
  'source_collection',
  'reconciliation_issue',
  'planner_slot',
  'task_attempt',
  'expected_task',
  'pipeline_run',
  'tenant_pull_history',
  'tenant_pull_state',
  'tenant_delivery',
  'tenant_certificate',
  'tenant',
  'movement_analysis_status_history',
  'movement_analysis',
  'explanation_result',
  'explanation_run_event_evidence',
  'explanation_run_disclosure_fact',
  'explanation_run_document',
  'explanation_run_calculation',
  'explanation_run',
  'explanation_route',
  'price_observation_trigger',
  'price_observation',
  'price_movement_trigger',
  'minute_price_trigger',
  'unwithdrawn_explanation_result',
  'unwithdrawn_movement_analysis',
  'event_evidence',
  'disclosure_fact',
  'document_assertion',
  'document',
  'source_event',
  'event_thread',
  'release_bundle',
  'instrument_name',
  'instrument',
  'entity',
];

/**
 * Empties the store but for operators and their log, and counts tenants from 1 again. Deletes, because
 * truncating makes new files for every table and index.
 */
export async function reset(store: Store): Promise<void> {
  // One statement, because the round trip takes longer than emptying a small table. A pull log write in progress waits,
  // and finds its tenant removed.
  const statements = [
    'lock table tenant_pull_state in exclusive mode',
    ...EMPTIED.map((table) => `delete from ${table}`),
    'alter table tenant alter column tenant_id restart',
    'update fan_out_count set fan_outs = 0',
  ];
  await store.transaction((trx) => sql.raw(`do $$ begin ${statements.join('; ')}; end $$`).execute(trx));
}
