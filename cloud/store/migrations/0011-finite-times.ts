/** Days and instants are finite: PostgreSQL's `infinity` is no time that anybody could be told. */
import type { Migration } from './migrate.ts';

export const finiteTimes: Migration = {
  version: 11,
  name: 'finite-times',
  statements: [
    // One check per table over all of its columns; partitions have that of their table.
    `do $$ declare one record; begin
       for one in
         select c.relname as name, string_agg(format('isfinite(%I)', a.attname), ' and ' order by a.attnum) as finite
         from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and a.attnum > 0 and not a.attisdropped and a.atttypid in ('date'::regtype, 'timestamptz'::regtype)
         group by c.relname order by c.relname
       loop
         execute format('alter table %I add constraint %I check (%s)', one.name, one.name || '_finite', one.finite);
       end loop;
     end $$`,
  ],
};
