/**
 * The vendor's audit log: logins and refusals, operators, tenants, certificates, retention, withdrawals. Rows are only
 * added, and the database chains them: each row's hash covers its fields and the hash of the row before it.
 *
 * The chain is checked over the text that PostgreSQL writes of each field.
 */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { AuditLog } from '../../shared/service/checkpoints/schedule.ts';
import { commandName } from '../../shared/service/command-actor.ts';
import { sourceAddress } from '../../shared/service/http/source-address.ts';
import type { Db } from '../store/open.ts';
import type { ActivityType } from '../store/schema.ts';
import type { Principal } from './accounts.ts';
import { known } from './request.ts';

/** The actor: an operator, the name of a failed login, or a command on the vendor's host. */
export interface ActivityActor {
  operatorId: number | null;
  name: string;
  sourceAddress: string | null;
}

export interface Activity {
  at: Date;
  actor: ActivityActor;
  type: ActivityType;
  targetType: string;
  targetId: string;
  reason?: string;
}

export async function recordActivity(
  db: Db,
  { at, actor, type, targetType, targetId, reason }: Activity,
): Promise<void> {
  await db
    .insertInto('admin_activity_log')
    .values({
      occurred_at: at,
      operator_id: actor.operatorId,
      actor: actor.name,
      source_address: actor.sourceAddress,
      activity_type: type,
      target_type: targetType,
      target_id: targetId,
      reason: reason ?? null,
    })
    .execute();
}

/** The operator of a request, on a route that needs a session. */
export function operatorOf(request: FastifyRequest, principal: Principal | null): ActivityActor {
  const { operatorId, username } = known(principal);
  return { operatorId, name: username, sourceAddress: sourceAddress(request) };
}

/** The account of the operating system runs a command. */
export function commandActor(): ActivityActor {
  return { operatorId: null, name: commandName(), sourceAddress: null };
}

/** Records the act of a command. @param about its subject and further facts */
export function recordCommand(
  db: Db,
  type: ActivityType,
  about: { targetType: string; targetId: string; reason?: string },
  at: Date,
): Promise<void> {
  return recordActivity(db, { at, actor: commandActor(), type, ...about });
}

/** The log in the form that its checkpoints need. */
export function activityLogOf(db: Db): AuditLog {
  const rowsAt = async (positions: readonly number[]): Promise<Map<number, string>> => {
    const { rows } = await sql<{ position: number; hash: string }>`
      select position, hash from admin_activity_log where position = any(${positions}::bigint[])`.execute(db);
    return new Map(rows.map(({ position, hash }) => [position, hash]));
  };
  const last = async (): Promise<number> => {
    const { rows } = await sql<{ last: number | null }>`
      select max(position) as last from admin_activity_log`.execute(db);
    return rows[0]?.last ?? 0;
  };
  return {
    name: 'admin_activity_log',
    end: async () => {
      const rows = await last();
      const found = await rowsAt([1, rows]);
      const [first, hash] = [found.get(1), found.get(rows)];
      return first === undefined || hash === undefined ? null : { rows, hash, first };
    },
    view: async (positions) => {
      const { rows } = await sql<{ row: number; at: Date }>`
        select position as row, occurred_at as at from admin_activity_log
        where activity_type = 'STORE_RESTORED' order by position`.execute(db);
      const restores = rows.map(({ row, at }) => ({ row, at: at.toISOString() }));
      return { rows: await last(), hashes: await rowsAt(positions), restores };
    },
  };
}

/** The first row that does not fit the chain, with the fault. */
/** The operator who withdrew an analysis last; null: not on record, as after a republication. */
export async function withdrawnBy(db: Db, id: string): Promise<string | null> {
  const entry = await db
    .selectFrom('admin_activity_log')
    .select('actor')
    .where('activity_type', '=', 'ANALYSIS_INVALIDATED')
    .where('target_id', '=', id)
    .orderBy('admin_activity_log_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return entry?.actor ?? null;
}

export interface BrokenActivity {
  position: number;
  problem: string;
}

/** Rows that are read at once. */
const BATCH = 1_000;

/**
 * Recomputes the chain. @returns the number of rows that fit, the hash of the last of them, and the first that does not
 */
export async function verifyActivities(
  db: Db,
): Promise<{ rows: number; lastHash: string | null; broken: BrokenActivity | null }> {
  let rows = 0;
  let lastHash: string | null = null;
  for (;;) {
    const batch = await readBatch(db, rows);
    for (const row of batch) {
      const position = rows + 1;
      const broken = (problem: string) => ({ rows, lastHash, broken: { position, problem } });
      if (Number(row.position) !== position) return broken(`The row is missing; the next one is ${row.position}.`);
      if (row.previous_hash !== lastHash) return broken('The row names another row before it.');
      if (row.hash !== createHash('sha256').update(textOf(row)).digest('hex'))
        return broken('The fields of the row do not fit its hash.');
      rows = position;
      lastHash = row.hash;
    }
    if (batch.length < BATCH) return { rows, lastHash, broken: null };
  }
}

interface ChainedRow {
  position: string;
  occurred: string;
  operator: string | null;
  actor: string;
  source_address: string | null;
  activity_type: string;
  target_type: string;
  target_id: string;
  reason: string | null;
  previous_hash: string | null;
  hash: string;
}

async function readBatch(db: Db, after: number): Promise<ChainedRow[]> {
  const { rows } = await sql<ChainedRow>`
    select position::text, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as occurred,
      operator_id::text as operator, actor, source_address, activity_type, target_type, target_id, reason, previous_hash, hash
    from admin_activity_log a where position > ${after} order by a.position limit ${BATCH}`.execute(db);
  return rows;
}

/** The input of a row's hash: one field a line, texts in hexadecimal, `-` for null. */
function textOf(row: ChainedRow): string {
  const texts = [
    row.actor,
    row.source_address,
    row.activity_type,
    row.target_type,
    row.target_id,
    row.reason,
    row.previous_hash,
  ];
  const hex = texts.map((text) => (text === null ? '-' : Buffer.from(text).toString('hex')));
  return [row.position, row.occurred, row.operator ?? '-', ...hex].join('\n');
}
