/**
 * Receipts of many records at once (D128, D133): counted for a list of analyses, by tenant behind a failed task, and
 * the withdrawals that some tenant has not received. `recipients.ts` lists one record tenant by tenant.
 */
import { sql, type RawBuilder } from 'kysely';
import { WITHDRAWALS_SHOWN, type Analysis, type Withdrawals } from '../../shared/wire/operator/operator.ts';
import { readNamesakes } from './alike-names.ts';
import type { Db } from '../store/open.ts';
import { textArray } from '../store/text-array.ts';

export type ReceiptCounts = NonNullable<Analysis['receipts']>;

/** Ids of results and analyses; the two share no id. */
export interface Issued {
  /** Ids for which the publication counts. */
  published: readonly string[];
  /** Ids for which the withdrawal counts. */
  withdrawn: readonly string[];
}

/**
 * The cursor up to which tenant `t` has everything: its committed cursor by its state of pulls `p`, or the end of the
 * records that retention removed.
 */
export const committed = sql`greatest(coalesce(p.last_good_after, 0), t.retention_floor)`;

/**
 * A tenant of which no pull is known, by its state of pulls `p`: the one meaning of "never connected" (D225). A tenant whose
 * pulls have all failed has connected, and waits.
 */
export const neverConnected = sql<boolean>`p.last_pull_at is null`;

/** A record `d` of tenant `t` that has waited for longer than twice the tenant's polling period. */
const isLate = (at: Date): RawBuilder<boolean> =>
  sql`d.created_at < ${at}::timestamptz - make_interval(secs => 2 * t.polling_seconds)`;

/** Their records by id; cursor and instant are null for records that retention has removed. */
function recordsOf({ published, withdrawn }: Issued): RawBuilder<unknown> {
  const [news, targets] = [textArray(published), textArray(withdrawn)];
  const of = (column: string, ids: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`select ${sql.ref(column)} as id, tenant_id, cursor, created_at from tenant_delivery where ${sql.ref(column)} = any(${ids})`;
  return sql`
    ${of('explanation_result_id', news)} union all ${of('movement_analysis_id', news)}
    union all ${of('target_explanation_result_id', targets)} union all ${of('target_movement_analysis_id', targets)}
    union all
    select x.id, t.tenant_id, null, null from (
      select explanation_result_id as id, publication_number from explanation_result where explanation_result_id = any(${news})
      union all
      select movement_analysis_id, publication_number from movement_analysis where movement_analysis_id = any(${news})
    ) x join tenant t on t.received_below_floor <> '{}' and t.received_below_floor @> x.publication_number`;
}

/** The receipts of each id with a record. */
export async function countReceipts(db: Db, issued: Issued, at: Date): Promise<Map<string, ReceiptCounts>> {
  if (issued.published.length + issued.withdrawn.length === 0) return new Map();
  const { rows } = await sql<{ id: string; total: number; received: number; never: number; overdue: number }>`
    select j.id, count(*) as total, count(*) filter (where j.has_it) as received,
      count(*) filter (where not j.has_it and j.is_new) as never, count(*) filter (where not j.has_it and not j.is_new and j.is_late) as overdue
    from (
      select d.id, coalesce(p.last_good_after >= coalesce(d.cursor, t.retention_floor), false) as has_it,
        ${neverConnected} as is_new, coalesce(${isLate(at)}, true) as is_late
      from (${recordsOf(issued)}) d
      join tenant t on t.tenant_id = d.tenant_id and t.removed_at is null
      left join tenant_pull_state p on p.tenant_id = d.tenant_id
    ) j group by j.id`.execute(db);
  return new Map(
    rows.map(({ id, total, received, never, overdue }) => [id, { total, received, neverConnected: never, overdue }]),
  );
}

export interface WaitingTenant {
  tenantId: number;
  name: string;
  hasNamesake: boolean;
  /** The number of waiting records. */
  waiting: number;
  /** Null where retention has removed the waiting record. */
  waitingSince: string | null;
}

/** The tenants that have connected and not received some of these records, the longest wait first. */
export async function listWaitingTenants(
  db: Db,
  issued: Issued,
  most: number,
): Promise<{ items: WaitingTenant[]; total: number; neverConnected: number }> {
  if (issued.published.length + issued.withdrawn.length === 0) return { items: [], total: 0, neverConnected: 0 };
  const { rows } = await sql<TenantRow>`
    select t.tenant_id, t.name, count(*) as waiting, min(d.created_at) as waiting_since, ${counted}
    from (${recordsOf(issued)}) d
    join tenant t on t.tenant_id = d.tenant_id and t.removed_at is null
    left join tenant_pull_state p on p.tenant_id = d.tenant_id
    where coalesce(p.last_good_after < coalesce(d.cursor, t.retention_floor), true)
    group by t.tenant_id, t.name, p.last_pull_at
    order by ${neverConnected}, waiting_since nulls first, t.name, t.tenant_id limit ${most}::integer`.execute(db);
  return waitingOf(rows, await readNamesakes(db), (row) => ({
    waitingSince: row.waiting_since?.toISOString() ?? null,
  }));
}

/** Of a list by tenant and `p.last_pull_at`, in which those that never connected come last. */
const counted = sql`not ${neverConnected} as has_connected, count(*) filter (where not ${neverConnected}) over () as total,
  count(*) filter (where ${neverConnected}) over () as never`;

interface TenantRow {
  tenant_id: number;
  name: string;
  waiting: number;
  waiting_since: Date | null;
  has_connected: boolean;
  total: number;
  never: number;
}

function waitingOf<Row extends TenantRow, Rest>(
  rows: readonly Row[],
  namesakes: ReadonlySet<number>,
  restOf: (row: Row) => Rest,
) {
  const items = rows
    .filter(({ has_connected: hasConnected }) => hasConnected)
    .map((row) => ({
      tenantId: row.tenant_id,
      name: row.name,
      hasNamesake: namesakes.has(row.tenant_id),
      waiting: row.waiting,
      ...restOf(row),
    }));
  return { items, total: rows[0]?.total ?? 0, neverConnected: rows[0]?.never ?? 0 };
}

/**
 * The withdrawals behind some tenant's committed cursor, found by `tenant_delivery_withdrawals`. A withdrawal is late
 * only where the tenant has the text: a publication that waits too is exposed nowhere, and both arrive together.
 */
const unreceived = (at: Date): RawBuilder<unknown> => sql`
  select t.tenant_id, t.name, d.created_at, d.target_explanation_result_id, d.target_movement_analysis_id,
    p.last_pull_at, ${isLate(at)} and p.last_good_pull_at is not null and not exists (
      select from tenant_delivery n where n.tenant_id = t.tenant_id and n.cursor > ${committed}
        and (n.explanation_result_id = d.target_explanation_result_id or n.movement_analysis_id = d.target_movement_analysis_id)
    ) as is_late
  from tenant t left join tenant_pull_state p on p.tenant_id = t.tenant_id
  cross join lateral (
    select x.created_at, x.target_explanation_result_id, x.target_movement_analysis_id from tenant_delivery x
    where x.tenant_id = t.tenant_id and x.delivery_type = 'INVALIDATION' and x.cursor > ${committed} offset 0
  ) d where t.removed_at is null`;

export async function readWithdrawals(db: Db, at: Date): Promise<Withdrawals> {
  const tenants = await sql<TenantRow & { waiting_since: Date; overdue: number }>`
    select p.tenant_id, p.name, count(*) as waiting, count(*) filter (where p.is_late) as overdue, min(p.created_at) as waiting_since, ${counted}
    from (${unreceived(at)}) p group by p.tenant_id, p.name, p.last_pull_at
    order by ${neverConnected}, waiting_since, p.name, p.tenant_id limit ${WITHDRAWALS_SHOWN}::integer`.execute(db);
  const analyses = await sql<WithdrawalRow>`
    with listed as (
      select p.target_explanation_result_id as result_id, p.target_movement_analysis_id as analysis_id, min(p.created_at) as issued_at,
        count(*) filter (where not ${neverConnected}) as waiting, count(*) filter (where p.is_late) as overdue,
        count(*) filter (where ${neverConnected}) as never, count(*) over () as total
      from (${unreceived(at)}) p group by 1, 2 having bool_or(not ${neverConnected})
      order by min(p.created_at), 1, 2 limit ${WITHDRAWALS_SHOWN}::integer
    )
    select coalesce(l.result_id, l.analysis_id) as id, n.ticker, n.entity_name as name, l.issued_at, l.waiting, l.overdue, l.never, l.total
    from listed l
    left join explanation_result r on r.explanation_result_id = l.result_id
    left join movement_analysis m on m.movement_analysis_id = l.analysis_id
    join instrument_name n on n.instrument_name_id = coalesce(r.instrument_name_id, m.instrument_name_id)
    order by l.issued_at, coalesce(l.result_id, l.analysis_id) collate "C"`.execute(db);
  const { rows: ever } = await sql<{ is: boolean }>`
    select exists (select from tenant_delivery where delivery_type = 'INVALIDATION') as is`.execute(db);
  const namesakes = await readNamesakes(db);
  return {
    asOf: at.toISOString(),
    everIssued: ever[0]?.is ?? false,
    analyses: {
      items: analyses.rows.map(({ id, ticker, name, issued_at, waiting, overdue, never }) => ({
        id,
        ticker,
        instrumentName: name,
        issuedAt: issued_at.toISOString(),
        waiting,
        overdue,
        neverConnected: never,
      })),
      total: analyses.rows[0]?.total ?? 0,
    },
    tenants: waitingOf(tenants.rows, namesakes, ({ overdue, waiting_since }) => ({
      overdue,
      waitingSince: waiting_since.toISOString(),
    })),
  };
}

interface WithdrawalRow {
  id: string;
  ticker: string;
  name: string;
  issued_at: Date;
  waiting: number;
  overdue: number;
  never: number;
  total: number;
}
