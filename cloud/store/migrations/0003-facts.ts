/** What the facts need of the pipeline's ledger: planning gaps by their day, the indexes of the chain, what was seen elsewhere. */

/** White space as JavaScript's `\s` has it: the key of a slot is read the same on both sides. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/**
 * Every open gap carries the day that it belongs to (operator API 2, runs rule 4; D46), so that
 * the last such day is found in an index whatever lies behind it. A slot's key never changes.
 */
const gaps = [
  `create function slot_date(slot_key text) returns date language plpgsql immutable strict as $$
     declare day text := substring(slot_key from '^[^/${SPACE}]+/([0-9]{4}-[0-9]{2}-[0-9]{2})/[^${SPACE}]+$');
     begin
       return make_date(substr(day, 1, 4)::integer, substr(day, 6, 2)::integer, substr(day, 9, 2)::integer);
     exception when datetime_field_overflow then
       return null;
     end $$`,
  `alter table reconciliation_issue add column gap_date date`,
  `create function date_gap() returns trigger language plpgsql as $$
     begin
       select coalesce(slot_date(s.slot_key), (new.opened_at at time zone 'Asia/Seoul')::date) into new.gap_date
       from planner_slot s where s.planner_slot_id = new.planner_slot_id;
       return new;
     end $$`,
  `create trigger date_gap before insert or update on reconciliation_issue for each row execute function date_gap()`,
  `create index reconciliation_issue_gap on reconciliation_issue (gap_date desc)
     where resolved_at is null and issue_type = 'PLANNER_MISSING'`,
];

const ways = [
  `create index explanation_result_by_run on explanation_result (explanation_run_id)`,
  `create index movement_analysis_by_run on movement_analysis (explanation_run_id)`,
  `create index explanation_result_published_by_day on explanation_result (trade_date) where publication_status = 'PUBLISHED'`,
  `create index movement_analysis_published_by_day on movement_analysis (trade_date) where publication_status = 'PUBLISHED'`,
  `create index expected_task_assertions_load on expected_task (pipeline_run_id) where task_key = 'assertions-load'`,
];

/** What the adapters of the kind `database` read (D26). */
const planes = [
  `create table workflow_execution (
     execution_id text primary key,
     status text not null,
     stopped_at timestamptz
   )`,
  // Without a dead-letter queue its columns are null.
  `create table message_queue (
     queue_name text primary key,
     visible bigint not null,
     in_flight bigint not null,
     delayed bigint not null,
     dead_visible bigint,
     dead_in_flight bigint,
     dead_delayed bigint
   )`,
];

/** Who was told of which subject, by the columns of the delivery records. */
const SUBJECTS = [
  ['explanation_result', 'explanation_result_id'],
  ['movement_analysis', 'movement_analysis_id'],
] as const;

/** NEW records of the subject `x` that no INVALIDATION of the same tenant followed. A removed tenant is told nothing. */
const unrecalledRecords = (id: string): string => `
  select from tenant_delivery n where n.${id} = x.${id}
    and not exists (select from tenant_delivery v where v.target_${id} = n.${id} and v.tenant_id = n.tenant_id)
    and not exists (select from tenant t where t.tenant_id = n.tenant_id and t.removed_at is not null)`;

/**
 * What holds between publication and delivery is written down as records are issued, because nobody can count all
 * records of all years for one look: how many there are, what has ever been delivered, and what was recalled from
 * everybody who had it. Retention takes a tenant's records from below: a NEW never outlives its INVALIDATION, so
 * both marks stay true. What is not marked is looked at record by record.
 */
const boundary = [
  `create table delivery_count (
     kind text primary key,
     records bigint not null
   )`,
  `insert into delivery_count values ('ISSUED', (select count(*) from tenant_delivery)), ('REMOVED', 0)`,
  ...SUBJECTS.flatMap(([table, id]) => [
    `alter table ${table} add column delivered boolean not null default false`,
    // A table of its own: marking the row that a withdrawal has just changed would lock its route, against a publisher.
    `create table recalled_${table} (${id} text primary key)`,
    `update ${table} x set delivered = true where exists (select from tenant_delivery d where d.${id} = x.${id})`,
    `insert into recalled_${table} select x.${id} from ${table} x
     where exists (select from tenant_delivery v where v.target_${id} = x.${id}) and not exists (${unrecalledRecords(id)})`,
    `create index ${table}_undelivered on ${table} (${id}) where publication_status = 'PUBLISHED' and not delivered`,
    `create index ${table}_unrecalled on ${table} (${id}) where publication_status <> 'PUBLISHED' and delivered`,
  ]),
  `create function deliveries_issued() returns trigger language plpgsql as $$
     begin
       ${SUBJECTS.map(
         ([table, id]) => `
       update ${table} x set delivered = true
       from (select distinct ${id} as id from fresh where ${id} is not null) f
       where x.${id} = f.id and not x.delivered;
       delete from recalled_${table} where ${id} in (select f.${id} from fresh f where f.${id} is not null);
       insert into recalled_${table}
       select x.${id} from (select distinct f.target_${id} as ${id} from fresh f where f.target_${id} is not null) x
       where not exists (${unrecalledRecords(id)})
       on conflict do nothing;`,
       ).join('')}
       update delivery_count set records = records + (select count(*) from fresh) where kind = 'ISSUED';
       return null;
     end $$`,
  `create trigger deliveries_issued after insert on tenant_delivery referencing new table as fresh
     for each statement execute function deliveries_issued()`,
  `create function deliveries_removed() returns trigger language plpgsql as $$
     begin
       update delivery_count set records = records + (select count(*) from gone) where kind = 'REMOVED';
       return null;
     end $$`,
  `create trigger deliveries_removed after delete on tenant_delivery referencing old table as gone
     for each statement execute function deliveries_removed()`,
];

export const forFacts: readonly string[] = [...gaps, ...ways, ...planes, ...boundary];
