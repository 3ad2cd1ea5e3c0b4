/**
 * Tenants in the operator's view (operator API 2, D23). The pull log alone gives the state of a tenant's sync channel;
 * nothing here activates, suspends or keys a tenant.
 */
import { sql, type RawBuilder } from 'kysely';
import type { ConnectionStatus, NewTenant } from '../../shared/wire/operator/tenant-constants.ts';
import type { Tenant } from '../../shared/wire/operator/tenants.ts';
import { committed, neverConnected } from '../publication/receipts.ts';
import { readNamesakes } from '../publication/alike-names.ts';
import { addTenant } from '../pki/registry.ts';
import type { Db } from '../store/open.ts';
import { anyHolds } from './holds.ts';

export interface TenantFilter {
  page: number;
  size: number;
  status: ConnectionStatus | null;
  /** Part of the tenant's name, or of its initial admin's name or address. */
  q: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** D23: a good pull may be twice the polling period and this much old, in seconds. */
const ALLOWANCE_SECONDS = 60;

interface TenantRow {
  tenant_id: number;
  name: string;
  environment: Tenant['environment'];
  admin_name: string | null;
  admin_email: string | null;
  memo: string | null;
  created_at: Date;
  status: ConnectionStatus;
  is_waiting: boolean;
  certificate_issued_at: Date | null;
  last_event_sync_at: Date | null;
  last_outcome: string | null;
  last_error_message: string | null;
  delivered: number;
  invalidations: number;
  waiting_count: number;
  waiting_since: Date | null;
  told: { applied?: number; rejected: number; held: number } | null;
  told_at: Date | null;
  pending: number;
  rejected_entries: NonNullable<Tenant['applied']>['entries'] | null;
}

/** D23, by tenant `t` and its state of pulls `p` at an instant. */
function connectionStatus(at: Date): RawBuilder<ConnectionStatus> {
  return sql`case
    when ${neverConnected} then 'NOT_CONNECTED'
    when p.last_outcome <> 'COMMON200' then 'ERROR'
    when p.last_good_pull_at < ${at}::timestamptz - make_interval(secs => 2 * t.polling_seconds + ${sql.lit(ALLOWANCE_SECONDS)}) then 'SYNC_DELAYED'
    else 'NORMAL' end`;
}

/**
 * The last record of tenant `s` that is a day old, by halving: cursors have no holes above the floor and come
 * in the order of time, so that neither an index by time nor a walk over a busy day is needed.
 */
function lastOldCursor(since: Date): RawBuilder<number> {
  return sql`(
    with recursive search (low, high) as (
      select s.retention_floor, greatest(s.retention_floor, coalesce((select max(d.cursor) from tenant_delivery d where d.tenant_id = s.tenant_id), 0))
      union all
      select case when m.is_old then m.cursor else w.low end, case when m.is_old then w.high else m.cursor - 1 end
      from search w
      cross join lateral (
        select c.cursor, coalesce((select d.created_at <= ${since}::timestamptz from tenant_delivery d where d.tenant_id = s.tenant_id and d.cursor = c.cursor), true) as is_old
        from (select (w.low + w.high + 1) / 2 as cursor) c
      ) m
      where w.low < w.high
    )
    select low from search where low >= high
  )`;
}

/**
 * One page: the tenant with the longest waiting record first, then the newest tenant. Those that never connected come
 * last: nothing waits for them that anybody could see.
 */
export async function listTenants(
  db: Db,
  filter: TenantFilter,
  at: Date,
): Promise<{ items: Tenant[]; total: number; notConnected: number }> {
  const conditions: RawBuilder<unknown>[] = [sql`t.removed_at is null`];
  const status = connectionStatus(at);
  if (filter.status !== null) conditions.push(sql`${status} = ${filter.status}`);
  if (filter.q !== null) {
    conditions.push(anyHolds(['t.name', 't.admin_name', 't.admin_email'], filter.q));
  }
  const named = sql.join(conditions, sql` and `);
  const total = await sql<{ total: number; not_connected: number }>`
    select count(*) as total, count(*) filter (where ${neverConnected}) as not_connected from tenant t left join tenant_pull_state p on p.tenant_id = t.tenant_id
    where ${named}`.execute(db);
  const { rows } = await sql<TenantRow>`
    with shown as (
      select t.tenant_id, t.name, t.environment, t.admin_name, t.admin_email, t.memo, t.created_at, t.retention_floor,
        ${status} as status, coalesce(p.waiting_until > ${at}::timestamptz, false) as is_waiting, p.last_event_sync_at, p.last_outcome, p.last_error_message,
        ${committed} as committed, w.created_at as waiting_since, p.told, p.last_good_pull_at as told_at, p.last_good_after
      from tenant t left join tenant_pull_state p on p.tenant_id = t.tenant_id
      left join lateral (
        select d.created_at from tenant_delivery d where d.tenant_id = t.tenant_id and d.cursor > ${committed} order by d.cursor limit 1
      ) w on true
      where ${named}
      order by ${neverConnected}, w.created_at nulls last, t.created_at desc, t.tenant_id desc
      limit ${filter.size}::integer offset ${(filter.page - 1) * filter.size}::bigint
    )
    select s.*, (
        select max(c.issued_at) from tenant_certificate c
        where c.tenant_id = s.tenant_id and c.revoked_at is null and c.not_after > ${at}::timestamptz
      ) as certificate_issued_at, s.last_good_after - (s.told->>'applied')::bigint as pending, e.rejected_entries, n.delivered, n.invalidations,
      greatest(0, coalesce((select max(d.cursor) from tenant_delivery d where d.tenant_id = s.tenant_id), 0) - s.committed) as waiting_count
    from shown s
    cross join lateral (
      select count(*) filter (where d.delivery_type = 'NEW') as delivered, count(*) filter (where d.delivery_type = 'INVALIDATION') as invalidations
      from tenant_delivery d
      where d.tenant_id = s.tenant_id and d.cursor > ${lastOldCursor(new Date(at.getTime() - DAY_MS))}
    ) n
    cross join lateral (${rejectedEntries}) e
    order by s.status = 'NOT_CONNECTED', s.waiting_since nulls last, s.created_at desc, s.tenant_id desc`.execute(db);
  const namesakes = rows.length === 0 ? new Set<number>() : await readNamesakes(db);
  return {
    items: rows.map((row) => toTenant(row, namesakes)),
    total: total.rows[0]?.total ?? 0,
    notConnected: total.rows[0]?.not_connected ?? 0,
  };
}

/** The entries that tenant `s` tells as rejected (D230), each with its record. */
const rejectedEntries = sql`
  select jsonb_agg(jsonb_build_object('cursor', x.cursor, 'code', x.code, 'record', case when i.ticker is not null then jsonb_build_object(
    'isWithdrawal', d.delivery_type = 'INVALIDATION', 'id', coalesce(r.explanation_result_id, m.movement_analysis_id),
    'ticker', i.ticker, 'instrumentName', i.entity_name) end) order by x.cursor desc) as rejected_entries
  from jsonb_to_recordset(s.told->'entries') as x (cursor bigint, code text)
  left join tenant_delivery d on d.tenant_id = s.tenant_id and d.cursor = x.cursor
  left join explanation_result r on r.explanation_result_id = coalesce(d.explanation_result_id, d.target_explanation_result_id)
  left join movement_analysis m on m.movement_analysis_id = coalesce(d.movement_analysis_id, d.target_movement_analysis_id)
  left join instrument_name i on i.instrument_name_id = coalesce(r.instrument_name_id, m.instrument_name_id)`;

/** Creates a tenant, which receives publications from now on. @throws TenantNameTakenError */
export async function createTenant(db: Db, input: NewTenant, at: Date): Promise<Tenant> {
  const made = await addTenant(db, input, at);
  return {
    ...made,
    hasNamesake: (await readNamesakes(db)).has(made.tenantId),
    adminName: input.adminName,
    adminEmail: input.adminEmail,
    memo: input.memo,
    connectionStatus: 'NOT_CONNECTED',
    isWaiting: false,
    certificateIssuedAt: null,
    lastEventSyncAt: null,
    createdAt: made.createdAt.toISOString(),
    lastSyncResult: null,
    lastErrorMessage: null,
    deliveredLast24h: 0,
    invalidationsLast24h: 0,
    waitingCount: 0,
    waitingSince: null,
    applied: null,
  };
}

function toTenant(row: TenantRow, namesakes: ReadonlySet<number>): Tenant {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    hasNamesake: namesakes.has(row.tenant_id),
    environment: row.environment,
    adminName: row.admin_name,
    adminEmail: row.admin_email,
    memo: row.memo,
    connectionStatus: row.status,
    isWaiting: row.status === 'NORMAL' && row.is_waiting,
    certificateIssuedAt: row.certificate_issued_at?.toISOString() ?? null,
    lastEventSyncAt: row.last_event_sync_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    lastSyncResult: row.last_outcome,
    lastErrorMessage: row.last_error_message,
    deliveredLast24h: row.delivered,
    invalidationsLast24h: row.invalidations,
    waitingCount: row.waiting_count,
    waitingSince: row.waiting_since?.toISOString() ?? null,
    applied: appliedOf(row),
  };
}

function appliedOf({ told, told_at: at, pending, rejected_entries: entries }: TenantRow): Tenant['applied'] {
  if (told?.applied === undefined || at === null) return null;
  return { at: at.toISOString(), pending, rejected: told.rejected, held: told.held, entries: entries ?? [] };
}
