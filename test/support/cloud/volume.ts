/** A store with as many results and delivery records as a test of query plans needs, written at once. */
import { sql } from 'kysely';
import type { Store } from '../../../cloud/store/open.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { live, read } from './loads.ts';
import { addTenants, AT } from './store.ts';

/** The tables of a result, in an order in which a row precedes those that refer to it, with their id columns. */
const COPIED: [table: string, ids: string[]][] = [
  ['source_event', ['source_event_id']],
  ['document', ['document_id']],
  ['document_assertion', ['document_assertion_id', 'document_id']],
  ['event_evidence', ['event_evidence_id', 'source_event_id', 'document_assertion_id']],
  ['disclosure_fact', ['disclosure_fact_id', 'document_id', 'source_event_id']],
  ['price_movement_trigger', ['trigger_id']],
  ['price_observation', ['price_observation_id']],
  ['price_observation_trigger', ['price_observation_id', 'price_movement_trigger_id']],
  ['explanation_route', ['price_movement_trigger_id', 'price_observation_id']],
  ['explanation_run', ['explanation_run_id']],
  ['explanation_run_event_evidence', ['explanation_run_id', 'event_evidence_id']],
  ['explanation_run_disclosure_fact', ['explanation_run_id', 'disclosure_fact_id']],
  ['explanation_run_document', ['explanation_run_id', 'document_id']],
  ['explanation_run_calculation', ['explanation_run_id']],
  ['explanation_result', ['explanation_result_id', 'explanation_run_id']],
];

/** The values that are neither copied nor suffixed, by column. */
const MADE: Record<string, string> = {
  explanation_route_id: `(select r.explanation_route_id from explanation_route r where r.price_movement_trigger_id = 'trg-base-' || n)`,
  explanation_as_of: `explanation_as_of + n * interval '1 second'`,
  publication_number: `nextval('publication_number')`,
};

/**
 * Publishes one load with five evidences to so many tenants, and copies it until there are `results`,
 * each delivered to every tenant. No statistics are gathered.
 */
export async function fillStore(
  store: Store,
  { tenants, results }: { tenants: number; results: number },
): Promise<void> {
  await addTenants(store, tenants);
  await publish(store, read(live({ key: 'base', documents: 4 })), AT);
  await store.transaction(async (trx) => {
    // A copied row refers to rows that are copied with it: no need to look each reference up.
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const [table, ids] of COPIED) {
      const { rows } = await sql<{ name: string }>`
        select column_name as name from information_schema.columns
        where table_name = ${table} and is_identity = 'NO'`.execute(trx);
      const columns = rows.map(({ name }) => name);
      const values = columns.map((name) => (ids.includes(name) ? `${name} || '-' || n` : (MADE[name] ?? name)));
      await sql
        .raw(
          `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table}, generate_series(2, ${results}) n`,
        )
        .execute(trx);
    }
    await sql`
      insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
      select t.tenant_id, n, 'NEW', 'res-base-' || n, ${AT}
      from tenant t, generate_series(2, ${results}::integer) n order by t.tenant_id, n`.execute(trx);
    await sql`update fan_out_count set fan_outs = ${results}`.execute(trx);
  });
}
