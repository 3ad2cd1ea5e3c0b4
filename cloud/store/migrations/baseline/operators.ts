/**
 * The operators and their audit log. The database chains the log for every writer: each row has a position without a
 * hole and the hash of the row before it.
 */

const hexOf = (column: string): string => `coalesce(encode(convert_to(${column}, 'UTF8'), 'hex'), '-')`;

/** The input of a hash, as lines; `textOf` in `cloud/accounts/activity-log.ts` writes the same. */
const lines = (row: string): string => `concat_ws(E'\\n',
  ${row}.position, to_char(${row}.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), coalesce(${row}.operator_id::text, '-'),
  ${['actor', 'source_address', 'activity_type', 'target_type', 'target_id', 'reason', 'previous_hash']
    .map((column) => hexOf(`${row}.${column}`))
    .join(', ')})`;

export const operators = [
  `create table operator_account (
     operator_id bigint generated always as identity primary key,
     username text not null unique,
     display_name text not null,
     password_hash text not null,
     created_at timestamptz not null,
     last_login_at timestamptz,
     active boolean not null default true,
     -- Set by somebody else: the operator sets another one before anything else.
     temporary_password boolean not null default false,
     -- The secret of the authenticator app, and the step of the last code that was taken (D145).
     second_factor text,
     second_factor_step bigint not null default 0
   )`,
  `create table operator_session (
     token_hash text primary key,
     operator_id bigint not null references operator_account,
     created_at timestamptz not null,
     last_seen_at timestamptz not null,
     expires_at timestamptz not null
   )`,
  `create index operator_session_by_expiry on operator_session (expires_at)`,
  // A row may come from a command or from a login that was refused: the actor is a name, with or without an account.
  `create table admin_activity_log (
     admin_activity_log_id bigint generated always as identity primary key,
     occurred_at timestamptz not null,
     operator_id bigint references operator_account,
     activity_type text not null,
     target_type text not null,
     target_id text not null,
     reason text,
     actor text not null,
     source_address text,
     position bigint not null unique,
     previous_hash text,
     hash text not null
   )`,
  `create function refuse_change() returns trigger language plpgsql as $$
     begin raise exception '% only takes new rows', tg_table_name; end $$`,
  `create trigger admin_activity_log_append_only before update or delete or truncate on admin_activity_log
     for each statement execute function refuse_change()`,
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
  `create trigger chain_activity before insert on admin_activity_log for each row execute function chain_activity()`,
];
