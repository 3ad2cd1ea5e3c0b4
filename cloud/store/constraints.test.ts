/**
 * Constraints that the database itself enforces (sync protocol 2 and 3): SQL tries to break each of them. References and
 * primary keys are found in the catalogue and broken one by one; each check and each other unique index has attempts of
 * its own, and one without an attempt fails the test.
 */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import { createOperator } from '../accounts/accounts.ts';
import { live, read, result, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Store } from './open.ts';

/** Statements that break a check or a partial unique index, by its name. Each must be refused for that very reason. */
const ATTEMPTS: Record<string, string[]> = {
  retention_default_days_check: [`update retention_default set days = 29`],
  retention_default_only_row_check: [`insert into retention_default (only_row) values (false)`],
  admin_activity_log_position_key: [`update admin_activity_log set position = 1`],
  source_event_source_class_check: [`update source_event set source_class = 'RUMOUR'`],
  document_document_type_check: [`update document set document_type = 'BLOG'`],
  minute_price_trigger_signal_check: [`update minute_price_trigger set signal = 'MAYBE'`],
  explanation_route_check: [
    `insert into explanation_route default values`,
    `insert into explanation_route (price_movement_trigger_id, minute_price_trigger_id) values ('trg-spare', 'trg-minute')`,
  ],
  instrument_name_told_once: [
    `insert into instrument_name (instrument_id, ticker, entity_name, market_code)
     select instrument_id, ticker, entity_name, market_code from instrument_name limit 1`,
  ],
  explanation_run_mode_check: [`update explanation_run set mode = 'SOMETIMES'`],
  explanation_run_status_check: [`update explanation_run set status = 'LOST'`],
  explanation_run_event_evidence_stage_code_check: [`update explanation_run_event_evidence set stage_code = 'ANSWER'`],
  explanation_run_document_item_ids_check: [`update explanation_run_document set item_ids = '{}'`],
  explanation_run_calculation_item_ids_check: [`update explanation_run_calculation set item_ids = '"a"'`],
  explanation_run_calculation_arguments_check: [`update explanation_run_calculation set arguments = '[]'`],
  explanation_run_calculation_output_check: [`update explanation_run_calculation set output = '1'`],
  explanation_result_confidence_level_check: [`update explanation_result set confidence_level = 'SURE'`],
  explanation_result_publication_status_check: [
    `update explanation_result set publication_status = 'SHOWN' where explanation_result_id = 'res-a'`,
  ],
  explanation_result_draft_reason_check: [
    `update explanation_result set draft_reason = 'tired' where publication_status = 'DRAFT'`,
  ],
  // A DRAFT has a reason and nothing else has.
  explanation_result_check: [
    `update explanation_result set draft_reason = null where publication_status = 'DRAFT'`,
    `update explanation_result set draft_reason = 'surface_absent' where explanation_result_id = 'res-a'`,
  ],
  // Only a DRAFT was never published.
  explanation_result_check1: [
    `update explanation_result set published_at = now() where publication_status = 'DRAFT'`,
    `update explanation_result set published_at = null where explanation_result_id = 'res-a'`,
  ],
  explanation_result_check2: [
    `update explanation_result set withdrawn_at = now() where explanation_result_id = 'res-a'`,
    `update explanation_result set withdrawn_at = null where publication_status = 'WITHDRAWN'`,
  ],
  explanation_result_check3: [
    `update explanation_result set withdrawal_reason = 'x' where explanation_result_id = 'res-a'`,
    `update explanation_result set withdrawal_reason = null where publication_status = 'WITHDRAWN'`,
  ],
  explanation_result_numbered_when_published: [
    `update explanation_result set publication_number = null where explanation_result_id = 'res-a'`,
    `update explanation_result set publication_number = 99 where publication_status = 'DRAFT'`,
  ],
  // At most one PUBLISHED per instrument, trade date and explanation_as_of.
  explanation_result_one_published_per_grain: [
    `update explanation_result set explanation_as_of = (select explanation_as_of from explanation_result where explanation_result_id = 'res-a')
     where explanation_result_id = 'res-minute'`,
  ],
  explanation_result_one_published_per_route: [
    `update explanation_result set explanation_route_id = (select explanation_route_id from explanation_result where explanation_result_id = 'res-a')
     where explanation_result_id = 'res-minute'`,
  ],
  movement_analysis_exposure_status_check: [`update movement_analysis set exposure_status = 'PENDING_REVIEW'`],
  movement_analysis_publication_status_check: [
    `update movement_analysis set publication_status = 'SHOWN' where movement_analysis_id = 'ana-v2'`,
  ],
  movement_analysis_check: [
    `update movement_analysis set withdrawn_at = now() where movement_analysis_id = 'ana-v2'`,
    `update movement_analysis set withdrawn_at = null where publication_status = 'WITHDRAWN'`,
  ],
  movement_analysis_check1: [
    `update movement_analysis set withdrawal_reason = 'x' where movement_analysis_id = 'ana-v2'`,
    `update movement_analysis set withdrawal_reason = null where publication_status = 'WITHDRAWN'`,
  ],
  movement_analysis_numbered_when_published: [`update movement_analysis set publication_number = null`],
  tenant_tenant_id_check: [
    `insert into tenant (tenant_id, name, environment, created_at) values (0, 'zero', 'POC', now())`,
    `insert into tenant (tenant_id, name, environment, created_at) values (9007199254740992, 'huge', 'POC', now())`,
  ],
  tenant_name_check: [`update tenant set name = '  '`],
  tenant_environment_check: [`update tenant set environment = 'TEST'`],
  tenant_polling_seconds_check: [`update tenant set polling_seconds = 0`],
  tenant_retention_floor_check: [`update tenant set retention_floor = -1`],
  tenant_name_in_environment: [`insert into tenant (name, environment, created_at) values ('tenant-1', 'POC', now())`],
  tenant_certificate_fingerprint_check: [`update tenant_certificate set fingerprint = upper(fingerprint)`],
  tenant_delivery_cursor_check: [
    `update tenant_delivery set cursor = 0 where tenant_id = 1 and cursor = 1`,
    `update tenant_delivery set cursor = 9007199254740992 where tenant_id = 1 and cursor = 1`,
  ],
  tenant_delivery_shape: [
    `update tenant_delivery set delivery_type = 'CORRECTION' where tenant_id = 1 and cursor = 1`,
    `update tenant_delivery set reason = 'x' where delivery_type = 'NEW'`,
    `update tenant_delivery set reason = ' ' where delivery_type = 'INVALIDATION'`,
    `update tenant_delivery set explanation_result_id = null where explanation_result_id is not null`,
    `update tenant_delivery set movement_analysis_id = 'ana-v2' where explanation_result_id is not null`,
    `update tenant_delivery set target_movement_analysis_id = 'ana-v2' where delivery_type = 'INVALIDATION'`,
  ],
  ...Object.fromEntries(
    [
      ['explanation_result_id', "'NEW', 'res-a', null, null, null, null"],
      ['movement_analysis_id', "'NEW', null, 'ana-v2', null, null, null"],
      ['target_explanation_result_id', "'INVALIDATION', null, null, 'res-gone', null, 'x'"],
      ['target_movement_analysis_id', "'INVALIDATION', null, null, null, 'ana-gone', 'x'"],
    ].map(([column, values]) => [
      `tenant_delivery_once_per_${column}`,
      [`insert into tenant_delivery values (1, 77, ${values}, now())`],
    ]),
  ),
  release_bundle_version_key: [`insert into release_bundle (version) select version from release_bundle`],
  explanation_route_price_movement_trigger_id_key: [
    `insert into explanation_route (price_movement_trigger_id) values ('trg-a')`,
  ],
  explanation_route_minute_price_trigger_id_key: [
    `insert into explanation_route (minute_price_trigger_id) values ('trg-minute')`,
  ],
  explanation_result_publication_number_key: [
    `update explanation_result set publication_number = (select publication_number from explanation_result where explanation_result_id = 'res-a')
     where explanation_result_id = 'res-minute'`,
  ],
  movement_analysis_publication_number_key: [
    `update movement_analysis set publication_number = (select publication_number from movement_analysis where movement_analysis_id = 'ana-gone')
     where movement_analysis_id = 'ana-v2'`,
  ],
  operator_account_username_key: [
    `insert into operator_account (username, display_name, password_hash, created_at) values ('o', 'O', 'h', now())`,
  ],
  pipeline_run_run_key_key: [
    `insert into pipeline_run (run_key, lane, status, created_at, updated_at) select run_key, lane, status, created_at, updated_at from pipeline_run`,
  ],
  expected_task_pipeline_run_id_task_key_key: [
    `insert into expected_task (pipeline_run_id, task_key, stage, plan_status, required) select pipeline_run_id, task_key, stage, plan_status, required from expected_task`,
  ],
  planner_slot_slot_key_key: [
    `insert into planner_slot (slot_key, planned_for) select slot_key, planned_for from planner_slot`,
  ],
  price_observation_trigger_check: [
    `insert into price_observation_trigger values ('observed', null, null)`,
    `insert into price_observation_trigger values ('observed', 'trg-spare', 'trg-minute')`,
  ],
  price_observation_trigger_batch: [`insert into price_observation_trigger values ('observed', 'trg-spare', null)`],
  price_observation_trigger_minute: [`insert into price_observation_trigger values ('observed', null, 'trg-minute')`],
  minute_session_check: [
    `update minute_session set closes_at = opens_at`,
    `update minute_session set closes_at = opens_at + interval '25 hours'`,
  ],
  fan_out_count_only_row_check: [`insert into fan_out_count values (false, 0)`],
  fan_out_count_fan_outs_check: [`update fan_out_count set fan_outs = -1`],
};

/** One row of each table of the pipeline's ledger. */
const PIPELINE = [
  `insert into pipeline_run (run_key, lane, status, created_at, updated_at) values ('market/2026-11-20/close', 'market', 'RUNNING', now(), now())`,
  `insert into expected_task (pipeline_run_id, task_key, stage, plan_status, required) values (1, 'k', 'raw', 'DUE', true)`,
  `insert into task_attempt (expected_task_id, status) values (1, 'RUNNING')`,
  `insert into planner_slot (slot_key, planned_for) values ('market/2026-11-20/open', now())`,
  `insert into reconciliation_issue (planner_slot_id, pipeline_run_id, issue_type, opened_at) values (1, 1, 'PLANNER_MISSING', now())`,
  `insert into source_collection (source, status, collected_at) values ('NEWS', 'SUCCEEDED', now())`,
  `insert into nav_collection (expected_task_id, collected_at) values (1, now())`,
  `insert into holdings_snapshot values ('2026-11-20', now())`,
  `insert into holdings_expected values ('2026-11-20', 'etf')`,
  `insert into holdings_load (reference_date, status, started_at) values ('2026-11-20', 'RUNNING', now())`,
  `insert into holdings_loaded values ('2026-11-20', 'etf', 1, now(), null)`,
  `insert into price_observation select 'observed', instrument_id, trade_date, fired_at from price_movement_trigger limit 1`,
  `insert into price_observation_trigger values ('observed', 'trg-spare', null), ('observed', null, 'trg-minute')`,
  `insert into minute_session values ('s', '2026-11-20', 'KRX', now(), now() + interval '1 minute')`,
  `insert into minute_collection (session_id, minute_at) values ('s', now())`,
  `insert into minute_daily_judgment values ('s', 'COMPLETE', now(), null, null, null)`,
  `insert into minute_judgment_ground (session_id, instrument_id, minute_at, judgment, judged_at) values ('s', 'etf', now(), 'FIRE', now())`,
  `insert into intraday_extraction (extracted_at) values (now())`,
  `insert into workflow_execution values ('x', 'RUNNING', null)`,
  `insert into unwithdrawn_explanation_result values ('x')`,
  `insert into unwithdrawn_movement_analysis values ('x')`,
  `insert into message_queue values ('q', 0, 0, 0, null, null, null)`,
];

/** A value to which no row has been given, by the type of its column. */
const NOWHERE: Record<string, string> = { text: `'nowhere'`, bigint: '987654321', date: `'1999-12-31'` };

interface Constraint {
  name: string;
  table: string;
  kind: 'c' | 'f' | 'p' | 'u' | 'partial';
  columns: string[];
}

/** Everything of the whole tables that the database checks; what partitions inherit is not listed again. */
async function constraintsOf(store: Store): Promise<Constraint[]> {
  const { rows } = await sql<Constraint>`
    select c.conname as name, r.relname as table, c.contype::text as kind,
      array(select a.attname::text from unnest(c.conkey) k join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k) as columns
    from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_namespace n on n.oid = r.relnamespace
    where n.nspname = 'public' and not r.relispartition and c.contype in ('c', 'f', 'p', 'u') and r.relname <> 'schema_migration'
    union all
    select i.relname, r.relname, 'partial', '{}'
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class r on r.oid = x.indrelid join pg_namespace n on n.oid = r.relnamespace
    where n.nspname = 'public' and not r.relispartition and x.indisunique and x.indpred is not null
    order by 1`.execute(store.db);
  return rows;
}

/** The refusal names the constraint; of a partition's index or key, the table with its number and the columns. */
function isAbout(error: unknown, { name, table }: Constraint): boolean {
  const about = (error as { constraint?: unknown }).constraint;
  if (about === name) return true;
  return table === 'tenant_delivery' && typeof about === 'string' && /^tenant_delivery_\d\d_/.test(about);
}

describe.each(STORE_KINDS)('constraints of the database, on %s', (_name, makeKind) => {
  let store: Store;
  let all: Constraint[];

  provideStore(makeKind, (opened) => (store = opened.store));
  beforeAll(async () => {
    await addTenants(store, 2);
    const minute = live({ key: 'minute' });
    for (const load of [
      live({ key: 'a' }),
      live({ key: 'draft', route: 'a' }),
      live({ key: 'gone' }),
      { ...minute, trigger: { ...minute.trigger, kind: 'MINUTE' as const } },
      live({ key: 'bare' }, { result: { ...result({ key: 'bare' }), surface: null } }),
      v2({ key: 'v2' }),
      v2({ key: 'gone' }),
    ])
      await publish(store, read(load), AT);
    for (const target of [{ explanationResultId: 'res-gone' }, { movementAnalysisId: 'ana-gone' }])
      await store.transaction((trx) => withdraw(trx, target, 'x', AT));
    await createOperator(store.db, { username: 'o', displayName: 'O', password: 'p' }, AT);
    for (const statement of [
      `insert into tenant_certificate values ('${'ab'.repeat(32)}', 1, '01', 's', now(), now(), now(), null)`,
      `insert into tenant_pull_state (tenant_id, pulls, entries, last_pull_at, last_outcome) values (1, 1, 1, now(), 'COMMON200')`,
      `insert into tenant_pull_history (tenant_id, slot, pulled_at, entry_count, outcome) values (1, 0, now(), 1, 'COMMON200')`,
      `insert into operator_session values ('h', 1, now(), now(), now())`,
      `insert into admin_activity_log (occurred_at, operator_id, actor, activity_type, target_type, target_id, reason)
       values (now(), 1, 'o', 'ANALYSIS_INVALIDATED', 'EXPLANATION_RESULT', 'res-gone', 'x'),
         (now(), 1, 'o', 'OPERATOR_LOGGED_IN', 'OPERATOR', 'o', null)`,
      // The log takes no change: to break its other constraints it has to be off for a moment.
      `alter table admin_activity_log disable trigger admin_activity_log_append_only`,
      `insert into price_movement_trigger select 'trg-spare', instrument_id, trade_date, fired_at, 0 from price_movement_trigger limit 1`,
      ...PIPELINE,
    ])
      await sql.raw(statement).execute(store.db);
    all = await constraintsOf(store);
  });

  /** Runs a statement and takes it back; the error that it ended with, or null. */
  const attempt = async (statement: string): Promise<unknown> => {
    const undone = new Error('undone');
    const error = await store
      .transaction(async (trx) => {
        await sql.raw(statement).execute(trx);
        throw undone;
      })
      .catch((caught: unknown) => caught);
    return error === undone ? null : error;
  };
  const refused = async (constraint: Constraint, statement: string): Promise<void> => {
    const error = await attempt(statement);
    expect([
      constraint.name,
      statement,
      error === null ? 'was allowed' : isAbout(error, constraint) || (error as Error).message,
    ]).toEqual([constraint.name, statement, true]);
  };

  test('every check, every unique key and every partial unique index, each by its own statements', async () => {
    const named = all.filter(({ kind: of, name }) => of !== 'f' && of !== 'p' && !name.endsWith('_finite'));
    expect(Object.keys(ATTEMPTS).toSorted()).toEqual(named.map(({ name }) => name).toSorted());
    for (const constraint of named)
      for (const statement of ATTEMPTS[constraint.name] ?? []) await refused(constraint, statement);
  });

  test('every day and instant, by an infinite one', async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attgenerated = '' and a.attnum > 0 and not a.attisdropped
        -- A trigger sets this one, whatever is written.
        and a.attname <> 'gap_date'
        and a.atttypid in ('date'::regtype, 'timestamptz'::regtype)`.execute(store.db);
    expect(rows.length).toBeGreaterThan(50);
    for (const { table, column } of rows) {
      const refusals: unknown[] = [];
      for (const value of ['infinity', '-infinity']) {
        // A row that has the value first: elsewhere another check may want it to be absent.
        const change = `update ${table} set ${column} = '${value}'`;
        const error = (await attempt(`${change} where ${column} is not null`)) ?? (await attempt(change));
        refusals.push((error as { constraint?: string } | null)?.constraint);
      }
      // A check of their order may come first; that of the table covers the column all the same.
      expect([table, column, refusals]).toEqual([table, column, [expect.any(String), expect.any(String)]]);
      const { rows: checks } = await sql<{ text: string }>`
        select pg_get_constraintdef(oid) as text from pg_constraint
        where conname = ${`${table}_finite`} and conrelid = ${table}::regclass`.execute(store.db);
      expect(checks[0]?.text).toContain(`isfinite(${column})`);
    }
  });

  test('every primary key, by the same row again', async () => {
    const keys = all.filter(({ kind: of }) => of === 'p');
    expect(keys.length).toBeGreaterThan(25);
    for (const constraint of keys) {
      const { rows } = await sql<{ columns: string }>`
        select string_agg(column_name, ', ') as columns from information_schema.columns
        where table_name = ${constraint.table} and is_generated = 'NEVER'`.execute(store.db);
      const columns = rows[0]?.columns;
      const again = `insert into ${constraint.table} (${columns}) overriding system value select ${columns} from ${constraint.table} limit 1`;
      await refused(constraint, again);
    }
  });

  test('every reference, by a row that refers to nothing', async () => {
    const references = all.filter(({ kind: of }) => of === 'f');
    expect(references.length).toBeGreaterThan(25);
    for (const constraint of references) {
      const [column] = constraint.columns;
      const { rows } = await sql<{ type: string }>`
        select data_type as type from information_schema.columns where table_name = ${constraint.table} and column_name = ${column}`.execute(
        store.db,
      );
      const nowhere = NOWHERE[rows[0]?.type ?? ''] ?? 'of a type that the test does not know';
      const one = `(select ctid from ${constraint.table} where ${column} is not null limit 1)`;
      await refused(
        constraint,
        `update ${constraint.table} set ${column} = ${nowhere} where ${column} is not null and ctid = ${one}`,
      );
    }
  });

  test('a change of the audit log', async () => {
    await sql`alter table admin_activity_log enable trigger admin_activity_log_append_only`.execute(store.db);
    for (const statement of [
      `update admin_activity_log set reason = 'y'`,
      `delete from admin_activity_log`,
      `truncate admin_activity_log`,
    ])
      expect(((await attempt(statement)) as Error).message).toContain('only takes new rows');
  });

  test('tenant_delivery is partitioned by tenant: each record is in one partition, and each partition has the whole key', async () => {
    const { rows } = await sql<{ strategy: string; columns: string; partitions: number }>`
      select p.partstrat::text as strategy, pg_get_partkeydef(p.partrelid) as columns,
        (select count(*) from pg_inherits i where i.inhparent = p.partrelid) as partitions
      from pg_partitioned_table p where p.partrelid = 'tenant_delivery'::regclass`.execute(store.db);
    expect(rows).toEqual([{ strategy: 'h', columns: 'HASH (tenant_id)', partitions: 16 }]);
    const spread = await sql<{ tenant: number; places: number }>`
      select tenant_id as tenant, count(distinct tableoid) as places from tenant_delivery group by tenant_id`.execute(
      store.db,
    );
    expect(spread.rows.map(({ places }) => places)).toEqual([1, 1]);
  });
});
