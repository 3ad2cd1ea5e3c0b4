/**
 * Claims: the reviewers who are looking at a review item. A session looks at one item at a time, and several people may
 * look at the same one. A claim informs the others and blocks no decision: it expires unless it is renewed, and ends
 * with its session (D13 settles which decision was first).
 */
import { CLAIM_MS, type ExplanationStatus, type ReviewClaim } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { endClaims } from '../accounts/claim-ends.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError } from '../explanations/transitions.ts';
import { sessionKey, type SessionLimits } from '../accounts/sessions.ts';

interface Claimant {
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  /** The token of the session that looks. */
  token: string;
  at: Date;
}

export interface Claiming extends Claimant {
  id: string;
  expectedVersion?: number;
}

/**
 * Sets or renews a session's claim on a waiting item; releases its claim on any other item.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function claimItem(tx: LedgerTransaction, claim: Claiming): void {
  const { id, token, at } = claim;
  endClaims(tx, at.toISOString());
  const { status, version } = itemNow(tx, id);
  if (status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('claim', status, version);
  refuseStale(claim, { status, version });
  const expires_at = new Date(at.getTime() + CLAIM_MS).toISOString();
  const held = claimOf(tx, claim);
  if (held === id) {
    tx.run(sqlite.updateTable('review_claim').set({ expires_at }).where('session', '=', sessionKey(token)));
    return;
  }
  releaseSession(tx, claim);
  tx.run(
    sqlite
      .insertInto('review_claim')
      .values({ session: sessionKey(token), explanation_id: id, claimed_at: at.toISOString(), expires_at }),
  );
  record(tx, claim, 'review.claim', id);
}

/**
 * Releases the session's own claim on an item in any state; another session's claim stays.
 *
 * @throws UnknownExplanationError, VersionMismatchError
 */
export function releaseItem(tx: LedgerTransaction, claim: Claiming): void {
  refuseStale(claim, itemNow(tx, claim.id));
  endClaims(tx, claim.at.toISOString());
  if (claimOf(tx, claim) === claim.id) releaseSession(tx, claim);
}

/** Releases the claim of a session, if any. */
function releaseSession(tx: LedgerTransaction, claimant: Claimant): void {
  const held = claimOf(tx, claimant);
  tx.run(sqlite.deleteFrom('review_claim').where('session', '=', sessionKey(claimant.token)));
  if (held !== undefined) record(tx, claimant, 'review.claim-released', held);
}

/** The item that a session looks at. An expired claim does not count. */
function claimOf(reader: LedgerReader, { token, at }: Claimant): string | undefined {
  return reader.first(
    sqlite
      .selectFrom('review_claim')
      .select('explanation_id')
      .where('session', '=', sessionKey(token))
      .where('expires_at', '>', at.toISOString()),
  )?.explanation_id;
}

function record(
  tx: LedgerTransaction,
  { actor, at }: Claimant,
  action: 'review.claim' | 'review.claim-released',
  targetId: string,
): void {
  recordAction(tx, { at: at.toISOString(), actor, action, targetType: 'explanation', targetId, detail: {} });
}

type ItemNow = { status: ExplanationStatus; version: number };

/** @throws UnknownExplanationError */
export function itemNow(tx: LedgerTransaction, id: string): ItemNow {
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  return now;
}

/** @throws VersionMismatchError */
export function refuseStale({ expectedVersion }: { expectedVersion?: number }, { status, version }: ItemNow): void {
  if (expectedVersion !== undefined && expectedVersion !== version) throw new VersionMismatchError(status, version);
}

/** The item has been decided: its claims end. */
export function dropClaims(tx: LedgerTransaction, id: string, at: string): void {
  endClaims(tx, at);
  tx.run(sqlite.deleteFrom('review_claim').where('explanation_id', '=', id));
}

/** The people who look at an item now, each once, in the order of their claims. */
export type Viewer = Omit<ReviewClaim, 'mine'> & { memberId: string };

/** The viewers of items that have any, by explanation. */
export function viewersOf(
  reader: LedgerReader,
  ids: readonly string[],
  at: Date,
  limits: SessionLimits,
): ReadonlyMap<string, readonly Viewer[]> {
  const since = (ms: number): string => new Date(at.getTime() - ms).toISOString();
  const rows = reader.all(
    sqlite
      .selectFrom('review_claim')
      .innerJoin('session', 'session.token_hash', 'review_claim.session')
      .innerJoin('member', 'member.id', 'session.member_id')
      .select((eb) => [
        'explanation_id',
        'member.id as memberId',
        'display_name as displayName',
        eb.fn.min<string>('claimed_at').as('claimedAt'),
        eb.fn.max<string>('expires_at').as('expiresAt'),
      ])
      .where('explanation_id', 'in', ids)
      .where('expires_at', '>', at.toISOString())
      .where('member.active', '=', 1)
      .where('session.created_at', '>', since(limits.absoluteMs))
      .where('session.last_seen_at', '>', since(limits.idleMs))
      .groupBy(['explanation_id', 'member.id'])
      .orderBy('claimedAt')
      .orderBy('memberId'),
  );
  const viewers = new Map<string, Viewer[]>();
  for (const { explanation_id, ...viewer } of rows)
    viewers.set(explanation_id, [...(viewers.get(explanation_id) ?? []), viewer]);
  return viewers;
}
