/**
 * The statement with which every pull begins (sync protocol 4): the tenant of a certificate, its standing, and the end
 * of its records, which is enough for most pulls. Pulls that come at once are asked about together (D178). The records
 * themselves come from `entries/bundle-entries.ts`.
 *
 * Indexes: `tenant_certificate_pkey` and `tenant_pkey`.
 */
import { HEAD } from '../entries/bundle-entries.ts';

const CLUSTER = '(select system_identifier from pg_control_system())';

/** The line of databases that a primary and its standbys are of: cluster and timeline, which a fail-over begins anew. */
export const ORIGIN = {
  ofPrimary: `${CLUSTER} || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`,
  ofStandby: `${CLUSTER} || '/' || (select upper(lpad(to_hex(timeline_id), 8, '0')) from pg_control_checkpoint())`,
};

/** No row: the certificate is unknown. */
const standing = (fingerprint: string, now: string): string => `
select c.tenant_id, t.retention_floor, ${HEAD} as head,
  case
    when c.revoked_at is not null or t.removed_at is not null then 'REVOKED'
    when ${now} < c.not_before or ${now} > c.not_after then 'EXPIRED'
    else 'VALID'
  end as standing
from tenant_certificate c join tenant t on t.tenant_id = c.tenant_id
where c.fingerprint = ${fingerprint}`;

/** $1 fingerprints, $2 the times at which they are judged. `place`: counted from 1. */
export const CERTIFICATE_STATUSES = {
  name: 'sync_standings',
  text: `
select asked.place, s.*
from unnest($1::text[], $2::timestamptz[]) with ordinality as asked (fingerprint, at, place)
cross join lateral (${standing('asked.fingerprint', 'asked.at')} offset 0) s`,
};

/**
 * Of waiting pulls, with their certificates $1 and cursors $2 at $3, the places of those that have to be answered: their
 * head is another, or their certificate is no longer valid (D223).
 */
export const AWAKE = {
  name: 'sync_awake',
  text: `
select asked.place
from unnest($1::text[], $2::bigint[]) with ordinality as asked (fingerprint, after, place)
left join lateral (${standing('asked.fingerprint', '$3::timestamptz')} offset 0) s on true
where s.standing is distinct from 'VALID' or s.head is distinct from asked.after`,
};

/**
 * Of one certificate, $1 at $2, with $3 after, and what a replica must hold for the bundle after it (D177). Null where no bundle follows, and
 * where the database has become a standby.
 */
export const STATUS_FOR_REPLICA = {
  name: 'sync_standing_for_replica',
  text: `
select s.*, m.*
from (${standing('$1::text', '$2::timestamptz')}) s
left join lateral (
  select ${ORIGIN.ofPrimary} as origin, pg_current_snapshot()::text as snapshot
  where s.standing = 'VALID' and $3::bigint < s.head and not pg_is_in_recovery()
) m on true`,
};

/** The moment of the primary that a replica must hold. */
export interface Moment {
  origin: string;
  snapshot: string;
}

/**
 * A condition at a replica, with the moment's origin and snapshot: it is a standby of that very primary, and has applied
 * all that the snapshot had seen.
 */
export const holdsMoment = (
  origin: string,
  snapshot: string,
): string => `pg_is_in_recovery() and ${ORIGIN.ofStandby} = ${origin}
    and pg_snapshot_xmin(pg_current_snapshot()) >= pg_snapshot_xmax(${snapshot}::pg_snapshot)`;
