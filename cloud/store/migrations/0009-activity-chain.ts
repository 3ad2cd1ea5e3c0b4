/**
 * The vendor's own audit log is chained: each row has a position without a hole and the hash of the row before it, both
 * set by the database, whoever writes. A row may come from a command or from a login that was refused, so the operator
 * is known by name and may be without an account; the address says from where. Accounts can be deactivated.
 */
import type { Migration } from './migrate.ts';

const hexOf = (column: string): string => `coalesce(encode(convert_to(${column}, 'UTF8'), 'hex'), '-')`;

/** What a hash is taken of, as lines; `textOf` in `cloud/accounts/activity-log.ts` writes the same. */
const lines = (row: string): string => `concat_ws(E'\\n',
  ${row}.position, to_char(${row}.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), coalesce(${row}.operator_id::text, '-'),
  ${['actor', 'source_address', 'activity_type', 'target_type', 'target_id', 'reason', 'previous_hash']
    .map((column) => hexOf(`${row}.${column}`))
    .join(', ')})`;

export const activityChain: Migration = {
  version: 9,
  name: 'activity-chain',
  statements: [
    `alter table operator_account add column active boolean not null default true`,
    `alter table admin_activity_log disable trigger admin_activity_log_append_only`,
    `alter table admin_activity_log alter column operator_id drop not null, alter column reason drop not null,
       add column actor text, add column source_address text, add column position bigint unique,
       add column previous_hash text, add column hash text`,
    `create function chain_activity() returns trigger language plpgsql as $$
     begin
       -- One writer at a time: the row before is committed, or is this transaction's own.
       perform pg_advisory_xact_lock(hashtext('admin-activity-log'));
       select a.position + 1, a.hash into new.position, new.previous_hash
         from admin_activity_log a where a.position is not null order by a.position desc limit 1;
       new.position := coalesce(new.position, 1);
       new.hash := encode(sha256(convert_to(${lines('new')}, 'UTF8')), 'hex');
       return new;
     end $$`,
    `create trigger chain_activity before insert or update on admin_activity_log for each row execute function chain_activity()`,
    `do $$ declare one bigint; begin
       for one in select admin_activity_log_id from admin_activity_log order by admin_activity_log_id loop
         update admin_activity_log a set actor = (select username from operator_account o where o.operator_id = a.operator_id)
           where admin_activity_log_id = one;
       end loop;
     end $$`,
    `drop trigger chain_activity on admin_activity_log`,
    `create trigger chain_activity before insert on admin_activity_log for each row execute function chain_activity()`,
    `alter table admin_activity_log alter column actor set not null, alter column position set not null, alter column hash set not null`,
    `alter table admin_activity_log enable trigger admin_activity_log_append_only`,
  ],
};
