/**
 * What is not published any more and was not taken back from everybody who had it, instead of what was: the
 * second grows with every year, and the facts' `boundary` looked each of it up (operator API 2).
 *
 * A row is there at least for as long as it matters: the look itself goes by the delivery records.
 */
import type { Migration } from './migrate.ts';

const SUBJECTS = [
  ['explanation_result', 'explanation_result_id'],
  ['movement_analysis', 'movement_analysis_id'],
] as const;

/** NEW records of the subject `x` that no INVALIDATION of the same tenant followed. A removed tenant is told nothing. */
const unrecalledRecords = (id: string): string => `
  select from tenant_delivery n where n.${id} = x.${id}
    and not exists (select from tenant_delivery v where v.target_${id} = n.${id} and v.tenant_id = n.tenant_id)
    and not exists (select from tenant t where t.tenant_id = n.tenant_id and t.removed_at is not null)`;

const tables = SUBJECTS.flatMap(([table, id]) => [
  `create table unrecalled_${table} (${id} text primary key)`,
  `insert into unrecalled_${table} select x.${id} from ${table} x
   where x.publication_status <> 'PUBLISHED' and x.delivered and exists (${unrecalledRecords(id)})`,
  `drop table recalled_${table}`,
  `drop index ${table}_unrecalled`,
  `create function leaves_publication_${table}() returns trigger language plpgsql as $$
     begin
       insert into unrecalled_${table} values (new.${id}) on conflict do nothing;
       return null;
     end $$`,
  `create trigger leaves_publication after update of publication_status on ${table} for each row
     when (old.publication_status = 'PUBLISHED' and new.publication_status <> 'PUBLISHED' and new.delivered)
     execute function leaves_publication_${table}()`,
]);

const issued = `create or replace function deliveries_issued() returns trigger language plpgsql as $$
  begin
    ${SUBJECTS.map(
      ([table, id]) => `
    update ${table} x set delivered = true
    from (select distinct ${id} as id from fresh where ${id} is not null) f
    where x.${id} = f.id and not x.delivered;
    insert into unrecalled_${table}
    select x.${id} from (select distinct ${id} as id from fresh where ${id} is not null) f join ${table} x on x.${id} = f.id
    where x.publication_status <> 'PUBLISHED'
    on conflict do nothing;
    delete from unrecalled_${table} x
    where x.${id} in (select f.target_${id} from fresh f where f.target_${id} is not null) and not exists (${unrecalledRecords(id)});`,
    ).join('')}
    update delivery_count set records = records + (select count(*) from fresh) where kind = 'ISSUED';
    return null;
  end $$`;

export const unrecalled: Migration = {
  version: 6,
  name: 'unrecalled',
  statements: [...tables, issued],
};
