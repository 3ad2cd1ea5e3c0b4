/**
 * Ends claims that their reviewer did not release: the claim expires, or the session ends. Each leaves the same row as
 * a release, with the cause. An expired claim is recorded by the next claim, decision, session start or session end;
 * the row holds the time of expiry.
 */
import type { Role } from '../../../shared/policy/roles.ts';
import { recordAction } from '../audit/audit.ts';
import type { LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

interface OpenClaim {
  session: string;
  explanation_id: string;
  expires_at: string;
  created_at: string;
  last_seen_at: string;
  memberId: string;
  displayName: string;
  role: Role;
}

/** Ends expired claims, and the claims of the sessions that end now. */
export function endClaims(
  tx: LedgerTransaction,
  at: string,
  isEnding: (session: OpenClaim) => boolean = () => false,
): void {
  const claims: OpenClaim[] = tx.all(
    sqlite
      .selectFrom('review_claim')
      .innerJoin('session', 'session.token_hash', 'review_claim.session')
      .innerJoin('member', 'member.id', 'session.member_id')
      .select(['session', 'explanation_id', 'expires_at', 'session.created_at', 'last_seen_at'])
      .select(['member.id as memberId', 'display_name as displayName', 'role'])
      .orderBy('expires_at'),
  );
  for (const claim of claims) {
    const isOver = claim.expires_at <= at;
    if (!isOver && !isEnding(claim)) continue;
    tx.run(sqlite.deleteFrom('review_claim').where('session', '=', claim.session));
    recordAction(tx, {
      at,
      actor: { kind: 'MEMBER', id: claim.memberId, displayName: claim.displayName, role: claim.role },
      action: 'review.claim-released',
      targetType: 'explanation',
      targetId: claim.explanation_id,
      detail: isOver ? { ended: 'EXPIRED', endedAt: claim.expires_at } : { ended: 'SESSION_ENDED' },
    });
  }
}
