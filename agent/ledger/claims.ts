/**
 * Who is looking at a review item. A claim tells the others and hinders nobody: it runs out by itself
 * unless it is renewed, and a decision does not ask for one (D13 settles who was first).
 */
import { CLAIM_MS, type ExplanationStatus, type ReviewClaim } from '../../shared/wire/console.ts';
import { recordAction, type Actor } from './audit.ts';
import { sqlite, type LedgerReader, type LedgerTransaction } from './ledger.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError } from './moves.ts';

export interface Claiming {
  id: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: Date;
  expectedVersion?: number;
}

/**
 * Takes a free item that waits, or renews one's own claim; the claim of another stays as it is.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function claimItem(tx: LedgerTransaction, claim: Claiming): void {
  const { id, actor } = claim;
  const at = claim.at.toISOString();
  const { status, version } = itemNow(tx, id);
  if (status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('claim', status, version);
  refuseStale(claim, { status, version });
  const held = liveClaims(tx, [id], claim.at).get(id);
  if (held !== undefined && held.memberId !== actor.id) return;
  const expires_at = new Date(claim.at.getTime() + CLAIM_MS).toISOString();
  if (held !== undefined) {
    tx.run(sqlite.updateTable('review_claim').set({ expires_at }).where('explanation_id', '=', id));
    return;
  }
  const row = { explanation_id: id, member_id: actor.id, claimed_at: at, expires_at };
  tx.run(
    sqlite
      .insertInto('review_claim')
      .values(row)
      .onConflict((conflict) => conflict.column('explanation_id').doUpdateSet(row)),
  );
  recordAction(tx, { at, actor, action: 'review.claim', targetType: 'explanation', targetId: id, detail: {} });
}

/**
 * Lets one's own claim go, whatever has become of the item; another's stays.
 *
 * @throws UnknownExplanationError, VersionMismatchError
 */
export function releaseItem(tx: LedgerTransaction, claim: Claiming): void {
  const { id, actor, at } = claim;
  refuseStale(claim, itemNow(tx, id));
  const own = sqlite.deleteFrom('review_claim').where('explanation_id', '=', id).where('member_id', '=', actor.id);
  // One that has run out already is no claim any more.
  const wasLive = liveClaims(tx, [id], at).get(id)?.memberId === actor.id;
  tx.run(own);
  if (!wasLive) return;
  const action = 'review.claim-released';
  recordAction(tx, { at: at.toISOString(), actor, action, targetType: 'explanation', targetId: id, detail: {} });
}

type ItemNow = { status: ExplanationStatus; version: number };

function itemNow(tx: LedgerTransaction, id: string): ItemNow {
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  return now;
}

function refuseStale({ expectedVersion }: Claiming, { status, version }: ItemNow): void {
  if (expectedVersion !== undefined && expectedVersion !== version) throw new VersionMismatchError(status, version);
}

/** Nobody is looking any more: the item has been decided. */
export function dropClaim(tx: LedgerTransaction, id: string): void {
  tx.run(sqlite.deleteFrom('review_claim').where('explanation_id', '=', id));
}

/** The claims that stand now, by explanation. */
export function liveClaims(
  reader: LedgerReader,
  ids: readonly string[],
  at: Date,
): ReadonlyMap<string, Omit<ReviewClaim, 'mine'>> {
  const rows = reader.all(
    sqlite
      .selectFrom('review_claim')
      .innerJoin('member', 'member.id', 'review_claim.member_id')
      .select(['explanation_id', 'member_id', 'display_name', 'claimed_at', 'expires_at'])
      .where('explanation_id', 'in', ids)
      .where('expires_at', '>', at.toISOString()),
  );
  return new Map(
    rows.map((row) => [
      row.explanation_id,
      {
        memberId: row.member_id,
        displayName: row.display_name,
        claimedAt: row.claimed_at,
        expiresAt: row.expires_at,
      },
    ]),
  );
}
