/**
 * The audit log as it is browsed (D19). Every received explanation leaves a row too, so what people did, and what was
 * done to accounts and their roles by whomever, is told apart by partial indexes (`console_action_of_people…`) and found
 * without a scan; what else the program did is walked from the newest row down.
 */
import { sql } from 'kysely';
import type { AuditAction } from '../../shared/wire/console.ts';
import { sqlite, type LedgerReader } from './ledger.ts';

export interface ActionFilter {
  /** Whether what the program did by itself is listed as well; what it did to accounts is in either case. */
  system: boolean;
  /** Whether entries about accounts and roles may be seen (D17). */
  accounts: boolean;
  /** Exact, or with `*` at its end for all that begin so. */
  action?: string;
  actorId?: string;
  targetType?: string;
  targetId?: string;
  /** From this instant on, and before that one. */
  from?: string;
  to?: string;
}

/** What is about accounts and roles: the accounts themselves, and the set-up that made some. */
const ABOUT_ACCOUNTS = ['member', 'ledger'];

function filtered(filter: ActionFilter) {
  let query = sqlite.selectFrom('console_action_log');
  // Written out, so that SQLite sees that the partial indexes hold.
  if (!filter.system) query = query.where(sql<boolean>`(actor_role IS NOT 'SYSTEM' OR target_type = 'member')`);
  if (!filter.accounts) query = query.where('target_type', 'not in', ABOUT_ACCOUNTS);
  if (filter.action !== undefined) {
    query = filter.action.endsWith('*')
      ? query
          .where('action', '>=', filter.action.slice(0, -1))
          .where('action', '<', `${filter.action.slice(0, -1)}\u{10ffff}`)
      : query.where('action', '=', filter.action);
  }
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
  if (filter.targetType !== undefined) query = query.where('target_type', '=', filter.targetType);
  if (filter.targetId !== undefined) query = query.where('target_id', '=', filter.targetId);
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('at', '<', filter.to);
  return query;
}

/** One page, newest first. */
export function listActions(
  reader: LedgerReader,
  filter: ActionFilter,
  { page, size }: { page: number; size: number },
): { rows: AuditAction[]; total: number } {
  const rows = reader.all(
    filtered(filter)
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(size)
      .offset((page - 1) * size),
  );
  const total = reader.first(filtered(filter).select(sql<number>`count(*)`.as('n')))?.n ?? 0;
  return { rows: rows.map(toAction), total };
}

/** The rows after one, oldest first, for reading them all in steps. */
export function actionsAfter(reader: LedgerReader, filter: ActionFilter, seq: number, limit: number): AuditAction[] {
  return reader.all(filtered(filter).selectAll().where('seq', '>', seq).orderBy('seq').limit(limit)).map(toAction);
}

function toAction(row: {
  seq: number;
  at: string;
  actor_id: string | null;
  actor: string;
  actor_role: AuditAction['actorRole'];
  action: string;
  target_type: string;
  target_id: string | null;
  detail: string;
  hash: string;
}): AuditAction {
  return {
    seq: row.seq,
    at: row.at,
    actorId: row.actor_id,
    actor: row.actor,
    actorRole: row.actor_role,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    hash: row.hash,
  };
}
