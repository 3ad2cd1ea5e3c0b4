/**
 * Sessions of the console (D9), kept in the ledger: logout, deactivation and a change of role take effect at the next
 * request, because every request reads this table.
 */
import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { endClaims } from './claim-ends.ts';
import { MEMBER_COLUMNS, toMember, type Member } from './members.ts';
import { sessionSeal, type Changes } from '../made/changes.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

export interface SessionLimits {
  /** Idle time in milliseconds after which a session ends. */
  idleMs: number;
  /** Age in milliseconds at which a session ends, even in use. */
  absoluteMs: number;
}

/** A reader that has the host's record key. */
export type SealingReader = LedgerReader & { readonly changes: Pick<Changes, 'isSealed'> };

export interface LiveSession {
  member: Member;
  /** When it ends without a further request. */
  expiresAt: string;
  /** When the last request was recorded. */
  lastSeenAt: string;
}

/** The part of a token that the ledger keeps. */
export function sessionKey(token: string): string {
  return hash('sha256', token);
}

/**
 * Opens a session and returns its token, the only copy. Removes expired sessions.
 *
 * @param signOutUrl where it ends at the provider of single sign-on as well
 */
export function openSession(
  tx: LedgerTransaction,
  memberId: string,
  at: Date,
  limits: SessionLimits,
  signOutUrl: string | null = null,
): string {
  const iso = at.toISOString();
  const openedBy = new Date(at.getTime() - limits.absoluteMs).toISOString();
  const seenBy = new Date(at.getTime() - limits.idleMs).toISOString();
  endClaims(tx, iso, ({ created_at, last_seen_at }) => created_at < openedBy || last_seen_at < seenBy);
  tx.run(
    sqlite
      .deleteFrom('session')
      .where((eb) => eb.or([eb('created_at', '<', openedBy), eb('last_seen_at', '<', seenBy)])),
  );
  const token = randomBytes(32).toString('base64url');
  const row = { token_hash: sessionKey(token), member_id: memberId, created_at: iso };
  const proof = tx.changes.seal(sessionSeal(row));
  tx.run(sqlite.insertInto('session').values({ ...row, last_seen_at: iso, sign_out_url: signOutUrl, proof }));
  return token;
}

/** Every request asks this, so it is one statement. */
const sessionOf = prepared((tokenHash: string) =>
  sqlite
    .selectFrom('session')
    .innerJoin('member', 'member.id', 'session.member_id')
    .select(['session.created_at as opened_at', 'last_seen_at', 'proof', ...MEMBER_COLUMNS])
    .where('token_hash', '=', sql<string>`+${tokenHash}`),
);

/**
 * The session of a token, if it is alive, its member is active and this host has begun it: a row written by hand is none
 * where there is a record key (D199).
 */
export function liveSession(
  reader: SealingReader,
  token: string,
  at: Date,
  limits: SessionLimits,
): LiveSession | undefined {
  const token_hash = sessionKey(token);
  const row = reader.first(sessionOf(token_hash));
  if (row === undefined) return undefined;
  const expires = Math.min(
    new Date(row.opened_at).getTime() + limits.absoluteMs,
    new Date(row.last_seen_at).getTime() + limits.idleMs,
  );
  if (expires <= at.getTime()) return undefined;
  const member = toMember(row);
  if (!member.active) return undefined;
  const seal = sessionSeal({ token_hash, member_id: row.id, created_at: row.opened_at });
  if (!reader.changes.isSealed(seal, row.proof)) return undefined;
  return { member, expiresAt: new Date(expires).toISOString(), lastSeenAt: row.last_seen_at };
}

/** Whether the console was in use since that instant; long writers then leave the write lock free. */
export function hasActiveSession(reader: LedgerReader, since: Date): boolean {
  const newest = reader.first(sqlite.selectFrom('session').select(({ fn }) => fn.max('last_seen_at').as('at')));
  return newest !== undefined && newest.at !== null && newest.at >= since.toISOString();
}

/** Records a request, which restarts the idle time. */
export function touchSession(tx: LedgerTransaction, token: string, at: string): void {
  tx.run(sqlite.updateTable('session').set({ last_seen_at: at }).where('token_hash', '=', sessionKey(token)));
}

/** Ends every session of a member but one; returns their number. */
export function closeOtherSessions(
  tx: LedgerTransaction,
  { memberId, token, at }: { memberId: string; token: string; at: string },
): number {
  const own = sessionKey(token);
  endClaims(tx, at, (claim) => claim.memberId === memberId && claim.session !== own);
  return tx.run(sqlite.deleteFrom('session').where('member_id', '=', memberId).where('token_hash', '!=', own));
}

/** The address that ends a session at the provider as well; null without single sign-on. */
export function signOutUrlOf(reader: LedgerReader, token: string): string | null {
  const row = reader.first(
    sqlite.selectFrom('session').select('sign_out_url').where('token_hash', '=', sessionKey(token)),
  );
  return row?.sign_out_url ?? null;
}

/** Ends every session of a member. */
export function closeSessionsOf(tx: LedgerTransaction, memberId: string, at: string): void {
  endClaims(tx, at, (claim) => claim.memberId === memberId);
  tx.run(sqlite.deleteFrom('session').where('member_id', '=', memberId));
}

/**
 * In a restored ledger: those of the backup may have been ended since, and their passwords changed. Claims end with
 * them, without rows: nobody has released anything.
 */
export function forgetSessions(tx: LedgerTransaction): void {
  tx.run(sqlite.deleteFrom('session'));
}

export function closeSession(tx: LedgerTransaction, token: string, at: string): void {
  const session = sessionKey(token);
  endClaims(tx, at, (claim) => claim.session === session);
  tx.run(sqlite.deleteFrom('session').where('token_hash', '=', session));
}

/** The number of sessions that have not expired. */
export function liveSessionCount(reader: LedgerReader, now: Date, limits: SessionLimits): number {
  const since = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  const found = reader.first(
    sqlite
      .selectFrom('session')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('created_at', '>=', since(limits.absoluteMs))
      .where('last_seen_at', '>=', since(limits.idleMs)),
  );
  return found?.n ?? 0;
}
