/**
 * Four eyes need two people. Two accounts count as suspect when one person registered both within a day, or one
 * registered the other. When they act as first and second person on one item, a row beside the act records it for the
 * audit.
 */
import { sql } from 'kysely';
import { recordAction, type Action, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The condition on the role is the one of the audit log's index. */
const registration = prepared(
  (memberId: string) => sql<{ at: string; byId: string | null; by: string }>`
  SELECT at, actor_id AS byId, actor AS by FROM console_action_log
  WHERE target_id = ${memberId} AND action = 'member.register' AND target_type = 'member'
    AND (actor_role IS NOT 'SYSTEM' OR target_type = 'member')
  ORDER BY seq DESC LIMIT 1`,
);

function sameRegistrar(reader: LedgerReader, first: string, second: string): { id: string; name: string } | null {
  const one = reader.first(registration(first));
  const other = reader.first(registration(second));
  if (other?.byId === first) return { id: first, name: other.by };
  if (one?.byId === second) return { id: second, name: one.by };
  if (one === undefined || other === undefined || one.byId === null || one.byId !== other.byId) return null;
  const isWithinDay = Math.abs(Date.parse(one.at) - Date.parse(other.at)) <= DAY_MS;
  return isWithinDay ? { id: one.byId, name: one.by } : null;
}

/**
 * Records that one person has registered both accounts, or one of them the other; takes target, actor and time of the
 * act.
 */
export function recordSameRegistrar(
  tx: LedgerTransaction,
  act: Pick<Action, 'at' | 'targetType' | 'targetId'> & { actor: Actor; action: 'review' | 'policy' },
  first: { id: string; name: string },
): void {
  const { actor, action, at, targetType, targetId } = act;
  if (actor.kind !== 'MEMBER') return;
  const registrar = sameRegistrar(tx, first.id, actor.id);
  if (registrar === null) return;
  recordAction(tx, {
    at,
    actor,
    action: `${action}.same-registrar`,
    targetType,
    targetId,
    detail: {
      firstPerson: first.name,
      firstPersonId: first.id,
      registeredBy: registrar.name,
      registeredById: registrar.id,
    },
  });
}
