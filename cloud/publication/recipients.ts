/**
 * The progress of a publication or withdrawal, tenant by tenant. The vendor issues a record; it is received once the
 * tenant's committed cursor, as its last good pull named it, has passed it (sync protocol 2). What the tenant's Intake did
 * with it later is told through the relay, or unknown (D230).
 */
import { sql, type RawBuilder } from 'kysely';
import type { RejectionCode } from '../../shared/wire/applied.ts';
import type { Recipients } from '../../shared/wire/operator/operator.ts';
import { readNamesakes } from './alike-names.ts';
import type { Db } from '../store/open.ts';
import { columns, issuedTo, type Subject } from './fan-out.ts';
import { neverConnected } from './receipts.ts';

interface RecipientRow {
  tenant_id: number;
  name: string;
  issued_at: Date | null;
  state: Recipients['tenants'][number]['state'];
  is_overdue: boolean;
  received_at: Date | null;
  applied: NonNullable<Recipients['tenants'][number]['applied']>['state'] | null;
  applied_at: Date | null;
  code: RejectionCode | null;
  due_at: Date | null;
  total: number;
  received: number;
  never: number;
  overdue: number;
}

/** The records of one kind of a subject; instant and number are null for those that retention has removed. */
function records(subject: Subject, kind: 'NEW' | 'INVALIDATION'): RawBuilder<unknown> {
  const { resultId, analysisId } = columns(subject);
  if (kind === 'INVALIDATION')
    return resultId === null
      ? sql`select tenant_id, cursor, created_at, received_at, applied_at from tenant_delivery where target_movement_analysis_id = ${analysisId}`
      : sql`select tenant_id, cursor, created_at, received_at, applied_at from tenant_delivery where target_explanation_result_id = ${resultId}`;
  const record =
    resultId === null ? sql`d.movement_analysis_id = ${analysisId}` : sql`d.explanation_result_id = ${resultId}`;
  return sql`
    select i.tenant_id, d.cursor, d.created_at, d.received_at, d.applied_at from (${issuedTo(subject)}) i
    left join tenant_delivery d on d.tenant_id = i.tenant_id and ${record}`;
}

/**
 * The existing tenants to which records were issued: waiting ones first, then those that have received it, the slowest
 * first, and last those that never connected.
 *
 * @param shown the most that are named; the counts include all
 */
export async function listRecipients(
  db: Db,
  subject: Subject,
  kind: 'NEW' | 'INVALIDATION',
  { at, shown }: { at: Date; shown: number },
): Promise<Recipients> {
  const { rows } = await sql<RecipientRow>`
    with judged as (
      select t.tenant_id, t.name, r.cursor, r.created_at as issued_at, r.received_at, r.applied_at, p.pulls, p.told,
        (select e->>'code' from jsonb_array_elements(p.told->'entries') e where (e->>'cursor')::bigint = r.cursor) as code,
        case
          when p.last_good_after >= coalesce(r.cursor, t.retention_floor) then 'RECEIVED'
          when ${neverConnected} then 'NEVER_CONNECTED'
          else 'WAITING' end as state,
        r.created_at + make_interval(secs => 2 * t.polling_seconds) as due_at,
        coalesce(r.created_at < ${at}::timestamptz - make_interval(secs => 2 * t.polling_seconds), true) as is_late
      from (${records(subject, kind)}) r
      join tenant t on t.tenant_id = r.tenant_id
      left join tenant_pull_state p on p.tenant_id = r.tenant_id
      where t.removed_at is null
    ),
    told as (
      select *, case
          when state <> 'RECEIVED' or cursor is null then null
          when code is not null then 'REJECTED'
          when (told->>'applied')::bigint < cursor then 'PENDING'
          when told->>'applied' is not null or applied_at is not null then 'APPLIED' end as applied
      from judged
    ),
    shown as (
      select *, row_number() over (
          order by state = 'NEVER_CONNECTED', state = 'RECEIVED', array_position(array['REJECTED', 'PENDING', 'APPLIED'], applied),
            coalesce(applied_at, received_at) desc nulls last, name, tenant_id
        ) as place, state = 'WAITING' and is_late as is_overdue, count(*) over () as total,
        count(*) filter (where state = 'RECEIVED') over () as received,
        count(*) filter (where state = 'NEVER_CONNECTED') over () as never,
        count(*) filter (where state = 'WAITING' and is_late) over () as overdue
      from told
      order by place limit ${shown}::integer
    )
    select s.tenant_id, s.name, s.issued_at, s.state, s.is_overdue, s.total, s.received, s.never, s.overdue, s.applied, s.code,
      case when s.state = 'RECEIVED' then coalesce(s.received_at, h.received_at) end as received_at,
      case when s.applied = 'APPLIED' then s.applied_at end as applied_at,
      case when s.state = 'WAITING' then s.due_at end as due_at
    from shown s
    left join lateral (
      -- The ring of pulls tells when only where it reaches back to a time before.
      select min(pulled_at) filter (where after_cursor >= s.cursor) as received_at
      from tenant_pull_history
      where s.state = 'RECEIVED' and tenant_id = s.tenant_id and outcome = 'COMMON200'
      having s.pulls <= count(*) or bool_or(after_cursor < s.cursor)
    ) h on true
    order by s.place`.execute(db);
  const [first] = rows;
  const namesakes = first === undefined ? new Set() : await readNamesakes(db);
  return {
    total: first?.total ?? 0,
    received: first?.received ?? 0,
    neverConnected: first?.never ?? 0,
    overdue: first?.overdue ?? 0,
    tenants: rows.map((row) => ({
      tenantId: row.tenant_id,
      name: row.name,
      hasNamesake: namesakes.has(row.tenant_id),
      state: row.state,
      isOverdue: row.is_overdue,
      issuedAt: row.issued_at?.toISOString() ?? null,
      dueAt: row.due_at?.toISOString() ?? null,
      receivedAt: row.received_at?.toISOString() ?? null,
      applied:
        row.applied === null ? null : { state: row.applied, at: row.applied_at?.toISOString() ?? null, code: row.code },
    })),
  };
}
