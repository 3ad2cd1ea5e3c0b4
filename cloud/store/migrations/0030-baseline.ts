/** The event store of sync protocol 2 and the ledgers beside it: the whole schema, by concept. */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import { boundary } from './baseline/boundary.ts';
import { lineage } from './baseline/lineage.ts';
import { operators } from './baseline/operators.ts';
import { pipeline } from './baseline/pipeline.ts';
import { results } from './baseline/results.ts';
import { runs } from './baseline/runs.ts';
import { tenants } from './baseline/tenants.ts';
import type { Migration } from './migrate.ts';

/** Days and instants are finite: PostgreSQL's `infinity` is no time for a person. One check per table, partitions included. */
const finiteTimes = [
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
];

export const baseline: Migration = {
  version: 30,
  name: 'baseline',
  statements: [
    ...lineage,
    ...runs,
    ...results,
    ...tenants,
    ...boundary,
    ...pipeline,
    ...operators,
    ...finiteTimes,
    CREATE_BUNDLE_ENTRIES,
  ],
};
