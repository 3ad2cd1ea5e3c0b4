/**
 * `console_action_log` (D19): every write and who made it. Append-only by triggers of the database,
 * numbered without holes, and chained: each row's hash covers its fields and the hash of the row before.
 */
import { hash } from 'node:crypto';
import type { Role } from '../../shared/policy/roles.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';
import type { ConsoleActionLogTable } from './tables.ts';

/** Who did something: a member, the program itself, or nobody known (a refused login). */
export type Actor =
  | { kind: 'MEMBER'; id: string; displayName: string; role: Role }
  | { kind: 'SYSTEM' }
  | { kind: 'UNKNOWN'; username: string };

export interface Action {
  at: string;
  actor: Actor;
  /** What was done, for example `explanation.approve`. */
  action: string;
  targetType: string;
  targetId: string | null;
  /** Facts of the action, small. Never a password, a key or a token. */
  detail: Record<string, unknown>;
}

/** The hash before the first row. */
const GENESIS = '0'.repeat(64);

const insertAction = statement<[row: ConsoleActionLogTable]>(`
  INSERT INTO console_action_log
    (seq, at, actor_id, actor, actor_role, action, target_type, target_id, detail, prev_hash, hash)
  VALUES (@seq, @at, @actor_id, @actor, @actor_role, @action, @target_type, @target_id, @detail, @prev_hash, @hash)`);

const newestAction = statement<[], { seq: number; hash: string }>(
  'SELECT seq, hash FROM console_action_log ORDER BY seq DESC LIMIT 1',
);

/** The number of the newest row; 0 before the first. */
export function newestActionSeq(reader: LedgerReader): number {
  return reader.first(newestAction())?.seq ?? 0;
}

/** Appends one row to the chain. */
export function recordAction(tx: LedgerTransaction, action: Action): void {
  const last = tx.first(newestAction());
  const row = {
    seq: (last?.seq ?? 0) + 1,
    at: action.at,
    actor_id: action.actor.kind === 'MEMBER' ? action.actor.id : null,
    actor: actorName(action.actor),
    actor_role: actorRole(action.actor),
    action: action.action,
    target_type: action.targetType,
    target_id: action.targetId,
    detail: JSON.stringify(action.detail),
    prev_hash: last?.hash ?? GENESIS,
  };
  tx.run(insertAction({ ...row, hash: hashOf(row) }));
}

/** The name under which an actor stands in history and log. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'MEMBER':
      return actor.displayName;
    case 'SYSTEM':
      return 'SYSTEM';
    case 'UNKNOWN':
      return actor.username;
  }
}

function actorRole(actor: Actor): Role | 'SYSTEM' | null {
  switch (actor.kind) {
    case 'MEMBER':
      return actor.role;
    case 'SYSTEM':
      return 'SYSTEM';
    case 'UNKNOWN':
      return null;
  }
}

export type ChainVerdict = { ok: true; rows: number } | { ok: false; firstBroken: number; why: string };

/** Follows the chain from its first row and names the first one that is broken, if any. */
export function verifyChain(reader: LedgerReader): ChainVerdict {
  let previous = GENESIS;
  let rows = 0;
  for (;;) {
    const batch = reader.all(
      sqlite.selectFrom('console_action_log').selectAll().where('seq', '>', rows).orderBy('seq').limit(1_000),
    );
    if (batch.length === 0) return { ok: true, rows };
    for (const row of batch) {
      if (row.seq !== rows + 1) return { ok: false, firstBroken: rows + 1, why: 'the row is missing' };
      if (row.prev_hash !== previous)
        return { ok: false, firstBroken: row.seq, why: 'it does not follow the row before it' };
      if (hashOf(row) !== row.hash)
        return { ok: false, firstBroken: row.seq, why: 'its content does not fit its hash' };
      previous = row.hash;
      rows = row.seq;
    }
  }
}

function hashOf(row: Omit<ConsoleActionLogTable, 'hash'>): string {
  const fields = [
    row.seq,
    row.at,
    row.actor_id,
    row.actor,
    row.actor_role,
    row.action,
    row.target_type,
    row.target_id,
    row.detail,
    row.prev_hash,
  ];
  return hash('sha256', JSON.stringify(fields));
}
