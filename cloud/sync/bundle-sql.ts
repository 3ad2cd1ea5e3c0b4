/**
 * The statements behind a pull (sync protocol 4): one gives the certificate's tenant and the end of its records, which
 * is enough for most pulls, and one gives the whole bundle as JSON text from one snapshot.
 *
 * The second walks from record to record (`chain`), and reads the kept text of one entry at each step, or assembles the
 * entry where none is kept (D69), until the limit or a full bundle is reached: so the store never holds more than one
 * entry beyond the sent ones. Nothing is ever scanned or hashed, and no number of records makes a pull slower.
 *
 * Indexes: `tenant_certificate_pkey` and `tenant_pkey`; `tenant_delivery_NN_pkey` of the tenant's own partition (the
 * others are left out before the statement runs); `entry_text_pkey`; those of `entry-sql.ts`.
 *
 * Written out: a pull is answered by one prepared text; measured by `bench`.
 */
import { INVALIDATION_TEXT, SUBJECT_TEXT, TEXT_FORM } from '../entries/entry-sql.ts';

/** The tenant's highest cursor: all fan-outs but those that skipped it (`publication/fan-out.ts`). */
const HEAD = '(select fan_outs from fan_out_count) - t.cursor_lag';

/** $1 fingerprint, $2 now. No row: the certificate is unknown. */
export const STANDING = {
  name: 'sync_standing',
  text: `
select c.tenant_id, t.retention_floor, ${HEAD} as head,
  case
    when c.revoked_at is not null or t.removed_at is not null then 'REVOKED'
    when $2::timestamptz < c.not_before or $2::timestamptz > c.not_after then 'EXPIRED'
    else 'VALID'
  end as standing
from tenant_certificate c join tenant t on t.tenant_id = c.tenant_id
where c.fingerprint = $1::text`,
};

const CLUSTER = '(select system_identifier from pg_control_system())';

/** The line of databases that a primary and its standbys are of: cluster and timeline, which a fail-over begins anew. */
export const ORIGIN = {
  ofPrimary: `${CLUSTER} || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`,
  ofStandby: `${CLUSTER} || '/' || (select upper(lpad(to_hex(timeline_id), 8, '0')) from pg_control_checkpoint())`,
};

/**
 * The same with $3 after, and what a replica must hold for the bundle after it (D190). Null where no bundle follows, and
 * where the database has become a standby.
 */
export const STANDING_FOR_REPLICA = {
  name: 'sync_standing_for_replica',
  text: `
select s.*, m.*
from (${STANDING.text}) s
left join lateral (
  select ${ORIGIN.ofPrimary} as origin, pg_current_snapshot()::text as snapshot
  where s.standing = 'VALID' and $3::bigint < s.head and not pg_is_in_recovery()
) m on true`,
};

const withCalculations = (of: string): string =>
  `case when $4::boolean then coalesce(${of}.calculations, '') else '' end`;

/** The text of record `d`, of which `kept` is there or not; no row when something that it refers to is not there. */
const ENTRY = `
  select '{"cursor":' || d.cursor || kept.body || ${withCalculations('kept')} || ']}' as body where kept.body is not null
  union all
  select '{"cursor":' || d.cursor || n.body || ${withCalculations('n')} || ']}'
  from (select d.explanation_result_id as result_id, d.movement_analysis_id as analysis_id where kept.body is null) x
  cross join lateral (${SUBJECT_TEXT}) n
  union all
  select ${INVALIDATION_TEXT} where d.delivery_type = 'INVALIDATION'`;

export interface BundleRow {
  retention_floor: number;
  head: number;
  picked_count: number;
  cursor_to: number | null;
  entry_count: number;
  entries: string | null;
  unkept_results: string[] | null;
  unkept_analyses: string[] | null;
}

/**
 * $1 tenant, $2 after, $3 limit, $4 whether calculations are delivered, $5 bytes of entries at which a
 * bundle is full. `unkept_…`: NEW entries of which no text is kept. Retention may have moved its floor meanwhile: below it nothing is picked.
 */
export const BUNDLE = { name: 'sync_bundle', text: bundleOf('') };

/**
 * The same at a replica (D190): $6 origin and $7 snapshot of the primary, $8 the head that it has told. No row unless this
 * is a standby of that very primary, has applied all that the snapshot had seen, and has no record that it had not.
 */
export const REPLICA_BUNDLE = {
  name: 'sync_replica_bundle',
  text: bundleOf(`
    and pg_is_in_recovery()
    and ${ORIGIN.ofStandby} = $6::text
    and pg_snapshot_xmin(pg_current_snapshot()) >= pg_snapshot_xmax($7::pg_snapshot)
    and ${HEAD} = $8::bigint`),
};

/** @param held what must hold beside, of tenant `t` */
function bundleOf(held: string): string {
  return `
with recursive who as materialized (
  select t.retention_floor, ${HEAD} as head from tenant t where t.tenant_id = $1::bigint${held}
),
chain as (
  select $2::bigint as cursor, 0 as place, 0::bigint as bytes, null::text as body, null::text as unkept_result, null::text as unkept_analysis
  from who where $2::bigint >= retention_floor
  union all
  select d.cursor, c.place + 1, c.bytes + octet_length(e.body), e.body,
    case when kept.body is null then d.explanation_result_id end, case when kept.body is null then d.movement_analysis_id end
  from chain c
  cross join lateral (
    select * from tenant_delivery where tenant_id = $1::bigint and cursor > c.cursor order by cursor limit 1
  ) d
  left join lateral (
    select body, calculations from entry_text
    where subject = coalesce(d.explanation_result_id, d.movement_analysis_id) and is_v2 = (d.movement_analysis_id is not null)
      and form = '${TEXT_FORM}' offset 0
  ) kept on true
  left join lateral (${ENTRY}) e on true
  where c.place < $3::integer and c.bytes < $5::bigint
)
select w.retention_floor, w.head, bundled.*
from who w
cross join (
  select count(*) filter (where place > 0) as picked_count, max(cursor) filter (where place > 0) as cursor_to,
    count(body) as entry_count, string_agg(body, ',' order by place) as entries,
    array_agg(unkept_result) filter (where unkept_result is not null) as unkept_results,
    array_agg(unkept_analysis) filter (where unkept_analysis is not null) as unkept_analyses
  from chain
) bundled`;
}
