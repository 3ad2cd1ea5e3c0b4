/**
 * Cursors by counting, and what retention must remember.
 *
 * A tenant's cursor is the number of fan-outs so far, less those that passed it over: no fan-out has to
 * look every tenant's last record up. A tenant that joins has been passed over by all before it.
 *
 * Publications are numbered, so that "has received these" stays a few ranges when the records are gone.
 */
import type { Migration } from './migrate.ts';

const counting = [
  `create table fan_out_count (
     only_row boolean primary key default true check (only_row),
     fan_outs bigint not null check (fan_outs between 0 and 9007199254740991)
   )`,
  `alter table tenant add column cursor_lag bigint not null default 0`,
  `insert into fan_out_count (fan_outs)
   select greatest(coalesce((select max(cursor) from tenant_delivery), 0), coalesce((select max(retention_floor) from tenant), 0))`,
  `update tenant t set cursor_lag = (select fan_outs from fan_out_count)
     - greatest(t.retention_floor, coalesce((select max(d.cursor) from tenant_delivery d where d.tenant_id = t.tenant_id), 0))`,
  // Under the fan-out lock until it is committed: no fan-out lies between the count and the tenant.
  `create function tenant_joins() returns trigger language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(hashtextextended('tenant-delivery-fanout', 0));
       select fan_outs into strict new.cursor_lag from fan_out_count;
       return new;
     end $$`,
  `create trigger tenant_joins before insert on tenant for each row execute function tenant_joins()`,
];

const numbering = [
  `create sequence publication_number`,
  ...['explanation_result', 'movement_analysis'].flatMap((table) => [
    `alter table ${table} add column publication_number bigint unique`,
    `update ${table} set publication_number = nextval('publication_number') where publication_status <> 'DRAFT'`,
    `alter table ${table} add constraint ${table}_numbered_when_published
       check ((publication_status = 'DRAFT') = (publication_number is null))`,
  ]),
];

const retention = [`alter table tenant add column received_below_floor int8multirange not null default '{}'`];

export const cursorsAndRetention: Migration = {
  version: 2,
  name: 'cursors-and-retention',
  statements: [...counting, ...numbering, ...retention],
};
