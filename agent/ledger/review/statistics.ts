/**
 * Review statistics, counted from the history and the audit log alone, without tables of their own. One day is read at
 * a time, by the indexes of its moment (`state_history_decided`, `state_history_provided`), and related rows by the
 * index of the explanation: no cost grows with the ledger.
 *
 * The statistics name no person: they measure the work, not people.
 */
import { sql } from 'kysely';
import type { Decision, Move } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

/** From the one instant on, and before the other. */
export interface Within {
  from: string;
  before: string;
}

/** The moves by which a person took back a decision or an exposed text, and when. */
export interface ReversingMove {
  move: 'stop' | 'move-to-review' | 'approve' | 'approve-edited' | 'unblock';
  at: string;
}

export interface DecisionMade {
  explanationId: string;
  decision: Decision;
  at: string;
  policyVersion: number | null;
  /** From the move that brought the item into review; null where it is unknown. */
  waitedMs: number | null;
  /** From the decider's last claim that was not released; null without one. */
  handledMs: number | null;
  reversal: ReversingMove | null;
}

interface DecisionRow {
  number: number;
  id: string;
  move: Decision;
  at: string;
  policyVersion: number | null;
  entered: string | null;
  taken: string | null;
  laterMove: Move | null;
  laterActor: string | null;
  laterAt: string | null;
}

/**
 * A correction leaves a text exposed, so it is no revocation. An expired claim was not released. INDEXED BY: the audit
 * log has an index by actor, too, which would walk every action of a person.
 */
const decisionsWithin = prepared(
  ({ from, before }: Within) => sql<DecisionRow>`
  SELECT decision.id AS number, decision.explanation_id AS id, decision.move, decision.at,
    decision.policy_version AS policyVersion,
    (SELECT entered.at FROM state_history AS entered
      WHERE entered.explanation_id = decision.explanation_id AND entered.id < decision.id
        AND entered.to_status = 'PENDING_REVIEW' AND entered.from_status IS NOT 'PENDING_REVIEW'
        AND NOT (entered.move = 'move-to-review' AND entered.during_hold = 1)
      ORDER BY entered.id DESC LIMIT 1) AS entered,
    (SELECT CASE WHEN held.action = 'review.claim' THEN held.at END
      FROM console_action_log AS held INDEXED BY console_action_of_people_by_target
      WHERE held.target_id = decision.explanation_id AND held.actor_role IS NOT 'SYSTEM'
        AND held.actor_id = decision.actor_id AND held.action IN ('review.claim', 'review.claim-released')
        AND held.detail ->> '$.ended' IS NOT 'EXPIRED'
        AND held.at <= decision.at
      ORDER BY held.seq DESC LIMIT 1) AS taken,
    later.move AS laterMove, later.actor_id AS laterActor, later.at AS laterAt
  FROM state_history AS decision INDEXED BY state_history_decided
  LEFT JOIN state_history AS later ON later.id = (SELECT min(id) FROM state_history AS next
    WHERE next.explanation_id = decision.explanation_id AND next.id > decision.id AND next.move <> 'correct')
  WHERE decision.at >= ${from} AND decision.at < ${before}
    AND decision.move IN ('approve', 'approve-edited', 'reject', 'block')
    AND NOT (later.during_hold IS 1 AND later.move = 'move-to-review' AND later.actor_id IS decision.actor_id)`,
);

/**
 * People's decisions, in no order. A decision that its author undid before its exposure was a slip, and is left out.
 */
export function decisionsMade(reader: LedgerReader, within: Within): DecisionMade[] {
  return reader.all(decisionsWithin(within)).map((row) => ({
    explanationId: row.id,
    decision: row.move,
    at: row.at,
    policyVersion: row.policyVersion,
    waitedMs: span(row.entered, row.at),
    // A claim from an earlier round does not count in this one.
    handledMs: row.taken !== null && row.entered !== null && row.taken >= row.entered ? span(row.taken, row.at) : null,
    reversal: reversalOf(reader, row),
  }));
}

/** Null where a clock was set back meanwhile: the duration is unknown. */
function span(from: string | null, to: string): number | null {
  const ms = from === null ? Number.NaN : Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms : null;
}

function reversalOf(reader: LedgerReader, row: DecisionRow): ReversingMove | null {
  switch (row.move) {
    case 'approve':
    case 'approve-edited':
      return stoppedBy(row);
    case 'reject':
    case 'block':
      return row.laterMove === null ? null : (reader.first(approvedLater(row)) ?? null);
  }
}

type Later = Pick<DecisionRow, 'laterMove' | 'laterActor' | 'laterAt'>;

function stoppedBy({ laterMove: move, laterActor, laterAt: at }: Later): ReversingMove | null {
  if ((move !== 'stop' && move !== 'move-to-review') || laterActor === null || at === null) return null;
  return { move, at };
}

/**
 * The next decision after a refusal, where it exposes the same text after all. Only the vendor's change brings a
 * refused item back (D12, D37), and a changed text makes it another decision.
 */
const approvedLater = prepared(
  ({ id, number }: { id: string; number: number }) => sql<ReversingMove>`
  SELECT approval.move, approval.at FROM state_history AS approval
  WHERE approval.id = (SELECT min(id) FROM state_history
      WHERE explanation_id = ${id} AND id > ${number} AND move IN ('approve', 'approve-edited', 'reject', 'block'))
    AND approval.move IN ('approve', 'approve-edited')
    AND (SELECT text_sha256 FROM state_history
        WHERE explanation_id = ${id} AND id < ${number} AND text_sha256 IS NOT NULL ORDER BY id DESC LIMIT 1)
      = (SELECT text_sha256 FROM state_history
        WHERE explanation_id = ${id} AND id < approval.id AND text_sha256 IS NOT NULL ORDER BY id DESC LIMIT 1)`,
);

const countAutoPublished = prepared(
  ({ from, before }: Within) => sql<{ policyVersion: number | null; n: number }>`
  SELECT policy_version AS policyVersion, count(*) AS n FROM state_history INDEXED BY state_history_provided
  WHERE at >= ${from} AND at < ${before} AND to_status = 'AUTO_PUBLISHED' AND move IN ('receive', 'text-changed')
  GROUP BY policy_version`,
);

/** The number of texts that were exposed without a review, by policy version; null for v2, which no policy checks. */
export function autoPublishedCounts(
  reader: LedgerReader,
  within: Within,
): { policyVersion: number | null; n: number }[] {
  return reader.all(countAutoPublished(within));
}

const autoPublishedAndStopped = prepared(
  ({ from, before }: Within) => sql<Later & { id: string; at: string; policyVersion: number | null }>`
  SELECT published.explanation_id AS id, published.at, published.policy_version AS policyVersion,
    later.move AS laterMove, later.actor_id AS laterActor, later.at AS laterAt
  FROM state_history AS published INDEXED BY state_history_provided
  JOIN state_history AS later ON later.id = (SELECT min(id) FROM state_history AS next
    WHERE next.explanation_id = published.explanation_id AND next.id > published.id AND next.move <> 'correct')
  WHERE published.at >= ${from} AND published.at < ${before}
    AND published.to_status = 'AUTO_PUBLISHED' AND published.move IN ('receive', 'text-changed')
    AND later.move IN ('stop', 'move-to-review')`,
);

/** An act of the program that a person has reversed. */
export interface ReversedAct {
  explanationId: string;
  at: string;
  policyVersion: number | null;
  reversal: ReversingMove;
}

/** The texts that were exposed without a review and that a person later stopped or sent to review. */
export function reversedProvisions(reader: LedgerReader, within: Within): ReversedAct[] {
  return reader.all(autoPublishedAndStopped(within)).flatMap(({ id: explanationId, at, policyVersion, ...later }) => {
    const reversal = stoppedBy(later);
    return reversal === null ? [] : [{ explanationId, at, policyVersion, reversal }];
  });
}

const countBlocked = prepared(
  ({ from, before }: Within) => sql<{ policyVersion: number | null; n: number }>`
  SELECT policy_version AS policyVersion, count(*) AS n FROM state_history INDEXED BY state_history_blocked
  WHERE at >= ${from} AND at < ${before} AND to_status = 'BLOCKED' AND move IN ('receive', 'text-changed')
    AND screening_id IS NOT NULL
  GROUP BY policy_version`,
);

/** The number of texts that the screening blocked, by policy version. */
export function blockedCounts(reader: LedgerReader, within: Within): { policyVersion: number | null; n: number }[] {
  return reader.all(countBlocked(within));
}

const blockedAndUnblocked = prepared(
  ({ from, before }: Within) => sql<{ id: string; at: string; policyVersion: number | null; unblockedAt: string }>`
  SELECT blocked.explanation_id AS id, blocked.at, blocked.policy_version AS policyVersion, later.at AS unblockedAt
  FROM state_history AS blocked INDEXED BY state_history_blocked
  JOIN state_history AS later ON later.id = (SELECT min(id) FROM state_history AS next
    WHERE next.explanation_id = blocked.explanation_id AND next.id > blocked.id)
  WHERE blocked.at >= ${from} AND blocked.at < ${before}
    AND blocked.to_status = 'BLOCKED' AND blocked.move IN ('receive', 'text-changed')
    AND blocked.screening_id IS NOT NULL AND later.move = 'unblock'`,
);

/** The texts that the screening blocked and that a person sent to review nevertheless (D209). */
export function reversedBlocks(reader: LedgerReader, within: Within): ReversedAct[] {
  return reader.all(blockedAndUnblocked(within)).map(({ id, at, policyVersion, unblockedAt }) => ({
    explanationId: id,
    at,
    policyVersion,
    reversal: { move: 'unblock', at: unblockedAt },
  }));
}
