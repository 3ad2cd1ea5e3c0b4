/**
 * `console_action_log` (D19): every write with its author. Append-only by triggers of the database, numbered without
 * holes, and chained: each row's hash covers its fields and the hash of the row before.
 */
import { sql } from 'kysely';
import type { Role } from '../../../shared/policy/roles.ts';
import { commandName } from '../../../shared/service/command-actor.ts';
import type { ChainFault } from '../../../shared/wire/console/console.ts';
import { remembered, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import { fitsHash, hashOf } from './row-hash.ts';

/**
 * The actor: a member, the program itself, or a person without an account (a refused login, a command on the host). The
 * address is that of the request.
 */
export type Actor =
  | { kind: 'MEMBER'; id: string; displayName: string; role: Role; sourceAddress?: string }
  | { kind: 'SYSTEM' }
  | { kind: 'UNKNOWN'; username: string; sourceAddress?: string };

export interface Action {
  at: string;
  actor: Actor;
  /** The act, for example `explanation.approve`. */
  action: string;
  targetType: string;
  targetId: string | null;
  /** Facts of the action, small. Never a password, a key or a token. */
  detail: Record<string, unknown>;
}

/** The hash before the first row. */
const GENESIS = '0'.repeat(64);

/** A row of the log, by its number and hash. */
export interface ChainPlace {
  seq: number;
  hash: string;
}

/** Before the first row. */
export const CHAIN_BEGIN: ChainPlace = { seq: 0, hash: GENESIS };

const insertAction = insertion<ConsoleActionLogTable>('console_action_log', [
  'seq',
  'at',
  'actor_id',
  'actor',
  'actor_role',
  'action',
  'target_type',
  'target_id',
  'detail',
  'prev_hash',
  'hash',
  'source_address',
  'made',
]);

const newest = () => sqlite.selectFrom('console_action_log').orderBy('seq', 'desc').limit(sql.lit(1));
const newestAction = prepared(() => newest().select(['seq', 'hash']));

/** Number and hash of the newest row; for an empty log 0 and the hash before the first row. */
export function chainEnd(reader: LedgerReader): ChainPlace {
  return reader.first(newestAction()) ?? CHAIN_BEGIN;
}

const newestExceptRestores = prepared(() => newest().select(['seq', 'hash']).where('action', '<>', 'ledger.restore'));

/** The same without trailing rows that only record a restore: their loss loses nothing. */
export function endExceptRestores(reader: LedgerReader): ChainPlace {
  return reader.first(newestExceptRestores()) ?? CHAIN_BEGIN;
}

const hashAt = prepared((seq: number) => sqlite.selectFrom('console_action_log').select('hash').where('seq', '=', seq));

/** Whether a chain with this end is the beginning of this one, or all of it: every earlier row is the same then. */
export function goesOnFrom(reader: LedgerReader, { seq, hash: end }: ChainPlace): boolean {
  return seq === 0 || rowHash(reader, seq) === end;
}

/** The hash of a row; empty where the row is absent. */
export function rowHash(reader: LedgerReader, seq: number): string {
  return reader.first(hashAt(seq))?.hash ?? '';
}

const countedAfter = prepared(
  (seq: number) => sql<{ action: string; count: number }>`
  SELECT action, count(*) AS count FROM console_action_log WHERE seq > ${seq} AND actor_role IS NOT 'SYSTEM'
    AND action NOT LIKE 'auth.%' AND action NOT LIKE 'review.claim%' AND action <> 'ledger.restore'
  GROUP BY action ORDER BY action`,
);

/** The number of each action of people after a row: decisions, drafts, settings; not logins and reads. */
export function actionsAfter(reader: LedgerReader, seq: number): Record<string, number> {
  return Object.fromEntries(reader.all(countedAfter(seq)).map(({ action, count }) => [action, count]));
}

const byMembers = prepared(
  () => sql<{ count: number }>`
  SELECT count(*) AS count FROM console_action_log WHERE (actor_id IS NOT NULL OR action LIKE 'channel.%')
    AND action NOT LIKE 'auth.%' AND action NOT LIKE 'review.claim%' AND action <> 'access.refused'`,
);

/** The number of changes by members, and of channels by commands. Reads the whole log. */
export function memberActions(reader: LedgerReader): number {
  return reader.first(byMembers())?.count ?? 0;
}

/** Whether an action is no decision: a login, a logout, a read, a refusal. */
export const isNoDecision = ({ action }: Pick<ConsoleActionLogTable, 'action'>): boolean =>
  /^(?:auth\.|review\.claim|access\.refused$)/.test(action);

/** Whether a row counts among `memberActions`. */
export function isMemberAction(row: Pick<ConsoleActionLogTable, 'actor_id' | 'action'>): boolean {
  return (row.actor_id !== null || row.action.startsWith('channel.')) && !isNoDecision(row);
}

const actsSince = prepared((seq: number) =>
  sqlite.selectFrom('console_action_log').select(['action', 'detail']).where('seq', '>', seq).orderBy('seq'),
);

/** The recorded actions after a row. */
export function actsAfter(reader: LedgerReader, seq: number): { action: string; detail: string }[] {
  return reader.all(actsSince(seq));
}

const newestAt = prepared(() => newest().select('at'));

/** When the newest row was written; null in an empty log. */
export function lastActionAt(reader: LedgerReader): string | null {
  return reader.first(newestAt())?.at ?? null;
}

const CHAIN_END = 'end of the audit log';

/** Appends one row to the chain, with what has changed since the row before it (D199); returns its number. */
export function recordAction(tx: LedgerTransaction, action: Action): number {
  const row = rowOf(action);
  // The end of a claim stands beside an act, whose own row follows.
  const made = makesNothing(action) ? tx.changes.tell(row, []) : tx.changes.take(row);
  return appendRow(tx, { ...row, made });
}

/** A rebuild brings back what other rows have told, sectors too: as a row's own it would vouch for what was forged before. */
const makesNothing = ({ action }: Pick<Action, 'action'>): boolean =>
  action.startsWith('review.claim') || action === 'ledger.rebuild';

/** The row of an action, without what it made. */
export function rowOf(action: Action): Omit<ConsoleActionLogTable, 'seq' | 'prev_hash' | 'hash' | 'made'> {
  return {
    at: action.at,
    actor_id: action.actor.kind === 'MEMBER' ? action.actor.id : null,
    actor: actorName(action.actor),
    actor_role: actorRole(action.actor),
    action: action.action,
    target_type: action.targetType,
    target_id: action.targetId,
    detail: JSON.stringify(action.detail),
    source_address: action.actor.kind === 'SYSTEM' ? null : (action.actor.sourceAddress ?? null),
  };
}

/** Appends a row of another chain; its number and hashes are new. */
export function appendRow(tx: LedgerTransaction, told: ActionRow): number {
  const { seq, hash: previous } = remembered(tx, CHAIN_END, () => chainEnd(tx));
  const row = { ...told, seq: seq + 1, prev_hash: previous };
  const end = hashOf(row);
  tx.run(insertAction({ ...row, hash: end }));
  tx.memo?.set(CHAIN_END, { seq: row.seq, hash: end });
  return row.seq;
}

type ActionRow = Omit<ConsoleActionLogTable, 'seq' | 'prev_hash' | 'hash'>;

const rowsAt = prepared(
  (instants: string) => sql<ActionRow>`
  SELECT at, action, actor_id, actor, actor_role, target_type, target_id, detail, source_address, made
  FROM console_action_log WHERE at IN (SELECT value FROM json_each(${instants}))`,
);

/** Those of the rows that the log has: at their places, or, by reading all of it, at others, where a restore has put them. */
export function loggedAmong(reader: LedgerReader, rows: readonly ConsoleActionLogTable[]): ConsoleActionLogTable[] {
  const said = ({
    at,
    action,
    actor_id,
    actor,
    actor_role,
    target_type,
    target_id,
    detail,
    ...later
  }: ActionRow): string =>
    JSON.stringify([
      ...[at, action, actor_id, actor, actor_role, target_type, target_id, detail],
      ...[later.source_address, later.made],
    ]);
  const elsewhere = rows.filter(({ seq, hash }) => rowHash(reader, seq) !== hash);
  const instants = JSON.stringify(elsewhere.map(({ at }) => at));
  const there = new Set(elsewhere.length === 0 ? [] : reader.all(rowsAt(instants)).map(said));
  return rows.filter((row) => !elsewhere.includes(row) || there.has(said(row)));
}

/** A command on the ledger's host; the account of the operating system that ran it. */
export const commandActor = (): Actor => ({ kind: 'UNKNOWN', username: commandName() });

/** The name of an actor in history and log. */
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

export type ChainVerdict = { ok: true; rows: number } | { ok: false; firstBroken: number; fault: ChainFault };

/** The fault, as the end of a sentence about its row. */
const FAULT_WORDS: Readonly<Record<ChainFault, string>> = {
  MISSING: 'the row is missing',
  NOT_FOLLOWING: 'it does not follow the row before it',
  CHANGED: 'its content does not fit its hash',
};

/** A fault of the chain, as a sentence. */
export function brokenChain({ firstBroken, fault }: Extract<ChainVerdict, { ok: false }>): string {
  return `The audit log is broken at row ${firstBroken}: ${FAULT_WORDS[fault]}.`;
}

/** Rows that one step follows: some milliseconds. */
const CHAIN_STEP = 500;

/**
 * Follows the chain after a place and names the first broken row, if any; other work fits between its steps, which give
 * the number of the last row.
 */
export function* followChain(reader: LedgerReader, from = CHAIN_BEGIN): Generator<number, ChainVerdict> {
  let previous = from.hash;
  let rows = from.seq;
  for (;;) {
    const batch = reader.all(chainFrom(rows));
    if (batch.length === 0) return { ok: true, rows };
    for (const row of batch) {
      if (row.seq !== rows + 1) return { ok: false, firstBroken: rows + 1, fault: 'MISSING' };
      if (row.prev_hash !== previous) return { ok: false, firstBroken: row.seq, fault: 'NOT_FOLLOWING' };
      if (!fitsHash(row)) return { ok: false, firstBroken: row.seq, fault: 'CHANGED' };
      previous = row.hash;
      rows = row.seq;
    }
    yield rows;
  }
}

const chainFrom = prepared(
  (after: number) => sql<ConsoleActionLogTable>`
  SELECT * FROM console_action_log WHERE seq > ${after} ORDER BY seq LIMIT ${sql.lit(CHAIN_STEP)}`,
);

/** The same in one call; `told` gets the rows so far. */
export function verifyChain(
  reader: LedgerReader,
  told: (rows: number) => void = () => undefined,
  from: ChainPlace = CHAIN_BEGIN,
): ChainVerdict {
  const steps = followChain(reader, from);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    told(step.value);
  }
}
