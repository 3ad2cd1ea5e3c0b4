/**
 * The standing of an explanation, from its journals alone: the state history and the screenings, which never change.
 * The row of `explanation` must agree (`intake verify`) and can be restored from them (`intake rebuild`), so no human
 * decision depends on that row. The audit log records people's decisions as well: where the two disagree, a text is
 * exposed only after a person's new review.
 */
import { sql } from 'kysely';
import type { Move } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { movesAfterFirst, provisionAfter, provisionAtFirst, type Provision } from './standing.ts';
import { isHuman } from './transition-table.ts';
import { isUndo } from './transitions.ts';
import { readAuthors } from '../audit/authors.ts';

export interface RememberedState extends Provision {
  status_since: string;
  policy_version: number | null;
  decided: number;
  edited_summary: string | null;
  comment: string | null;
  failed_checks: string;
}

/** The further facts of a move. */
export interface Remembered extends RememberedState {
  /** The number of moves, and the last version made beside them; 0 without one. */
  moves: number;
  versionBesideMoves: number;
  /** The digest of the vendor's text that was screened last; null where none is recorded. */
  text: Uint8Array | null;
  /** The text itself where it was exposed at once. */
  exposedUnread: string | null;
  /** The text came from v2, and was taken over without a check (D14). */
  isUnchecked: boolean;
  /** The last move by a person; null without one. */
  decision: { move: Move; at: string } | null;
}

const decisionOnRecord = prepared(
  (id: string) => sql<{ action: string; at: string }>`
  SELECT action, at FROM console_action_log
  WHERE target_id = ${id} AND actor_role IS NOT 'SYSTEM' AND action GLOB 'explanation.*' AND target_type = 'explanation'
  ORDER BY seq DESC LIMIT 1`,
);

/** Whether the audit log (D19) records a decision about an explanation. */
export function isDecidedOnRecord(reader: LedgerReader, id: string): boolean {
  return reader.first(decisionOnRecord(id)) !== undefined;
}

const heldBackBy = prepared(
  (id: string, decidedAt: string | null) => sql<{ known: number }>`
  SELECT EXISTS (SELECT 1 FROM screening WHERE explanation_id = ${id} AND CASE WHEN ${decidedAt} IS NULL
    THEN outcome <> 'AUTO_PUBLISHED'
    ELSE at >= ${decidedAt} AND NOT EXISTS (SELECT 1 FROM state_history AS h
      WHERE h.explanation_id = ${id} AND h.screening_id = screening.id) END) AS known`,
);

/** Whether any screening held a text of an explanation back: then only a person exposes it (D12). */
export function wasHeldBack(reader: LedgerReader, id: string): boolean {
  return reader.first(heldBackBy(id, null))?.known === 1;
}

/**
 * Whether the other records confirm a history that lets an explanation be exposed. The audit log (D19) names the same
 * last decision; without any decision it does not contradict the history. And no screening proves a lost move: one that
 * held a text back that no person has exposed, or one after the decision that the history lacks.
 */
export function isHistoryOnRecord(reader: LedgerReader, id: string, { decision }: Remembered): boolean {
  const told = reader.first(decisionOnRecord(id));
  if (told !== undefined && (told.action !== `explanation.${decision?.move}` || told.at !== decision?.at)) return false;
  return reader.first(heldBackBy(id, decision?.at ?? null))?.known !== 1;
}

const anythingOnRecord = prepared(
  (id: string) => sql<{ known: number }>`
  SELECT EXISTS (SELECT 1 FROM state_history WHERE explanation_id = ${id})
    OR EXISTS (SELECT 1 FROM console_action_log WHERE target_id = ${id} AND actor_role IS NOT 'SYSTEM') AS known`,
);

/** Whether history or audit log know an explanation, with or without a row. */
export function isOnRecord(reader: LedgerReader, id: string): boolean {
  return reader.first(anythingOnRecord(id))?.known === 1;
}

const movesOf = prepared((id: string) =>
  sqlite
    .selectFrom('state_history')
    .select(['id', 'move', 'from_status', 'to_status', 'at', 'reason', 'policy_version', 'published_summary'])
    .select(['text_sha256', 'screening_id', 'held_until', 'during_hold', 'position', 'approval_number', 'valid_until'])
    .where('explanation_id', '=', id)
    .orderBy('id'),
);

const failedChecks = sqlite.selectFrom('screening').select(
  sql<string>`(SELECT json_group_array(json_extract(value, '$.check'))
    FROM json_each(iif(json_valid(screening.checks), screening.checks, '[]'))
    WHERE json_extract(value, '$.verdict') <> 'PASS')`.as('failed'),
);
const failedChecksOf = prepared((id: number) => failedChecks.where('id', '=', id));
/** For a history that does not name the screening: the one at its instant. A v2 explanation has none. */
const failedChecksAt = prepared((id: string, at: string) =>
  failedChecks.where('explanation_id', '=', id).where('at', '=', at).orderBy('id', 'desc').limit(sql.lit(1)),
);

const versionBesideMoves = prepared((id: string) =>
  sqlite.selectFrom('version_beside_moves').select('version').where('explanation_id', '=', id),
);

/**
 * Undefined without a history of this id. `firstText` is the text of the first entry, for a history that does not hold
 * it yet.
 */
export function rememberedOf(reader: LedgerReader, id: string, firstText: string): Remembered | undefined {
  const moves = reader.all(movesOf(id));
  const [first] = moves;
  if (first === undefined) return undefined;
  const told: Remembered = {
    ...provisionAtFirst(first, firstText),
    status_since: first.at,
    policy_version: first.policy_version,
    decided: 0,
    edited_summary: null,
    comment: null,
    failed_checks: '[]',
    moves: moves.length,
    versionBesideMoves: reader.first(versionBesideMoves(id))?.version ?? 0,
    text: first.text_sha256,
    exposedUnread: first.to_status === 'AUTO_PUBLISHED' ? first.published_summary : null,
    isUnchecked: false,
    decision: null,
  };
  let screened = first;
  let entered = first.to_status === 'PENDING_REVIEW' ? first.at : null;
  for (const move of movesAfterFirst(moves)) {
    Object.assign(told, provisionAfter(told, move));
    if (move.move === 'text-changed') {
      screened = move;
      told.text = move.text_sha256;
      told.exposedUnread = move.to_status === 'AUTO_PUBLISHED' ? move.published_summary : null;
    }
    if (move.from_status !== move.to_status) {
      // An undo is no new wait.
      if (move.to_status === 'PENDING_REVIEW' && !isUndo(move)) entered = move.at;
      told.status_since = isUndo(move) ? (entered ?? move.at) : move.at;
    }
    // A person's edit stays beside the text where the program only ends its exposure.
    if (move.published_summary !== null && (isHuman(move.move) || move.to_status === 'AUTO_PUBLISHED'))
      told.edited_summary = move.move === 'approve-edited' || move.move === 'correct' ? move.published_summary : null;
    if (isHuman(move.move)) {
      told.decided = 1;
      told.decision = { move: move.move, at: move.at };
      if (move.move === 'approve' || move.move === 'approve-edited') told.comment = move.reason;
    } else told.policy_version = move.policy_version;
  }
  told.isUnchecked = screened.text_sha256 !== null && screened.screening_id === null;
  const failed = screened.text_sha256 === null ? failedChecksAt(id, screened.at) : screeningOf(screened);
  told.failed_checks = (failed === null ? undefined : reader.first(failed))?.failed ?? '[]';
  return told;
}

const screeningOf = ({ screening_id }: { screening_id: number | null }) =>
  screening_id === null ? null : failedChecksOf(screening_id);

const historyRows = prepared((id: string) =>
  sqlite
    .selectFrom('state_history')
    .selectAll()
    .where('explanation_id', '=', sql<string>`+${id}`)
    .orderBy('id'),
);

/** The state history of an explanation, oldest first, as a member sees it. */
export function historyOf(reader: LedgerReader, id: string, memberId: string | null = null) {
  return reader.all(historyRows(id)).map((row) => ({
    move: row.move,
    from: row.from_status,
    to: row.to_status,
    actor: row.actor,
    at: row.at,
    reason: row.reason,
    policyVersion: row.policy_version,
    heldUntil: row.held_until,
    duringHold: row.during_hold === 1,
    approvalNumber: row.approval_number,
    validUntil: row.valid_until,
    authors: readAuthors(row.authors).map(({ name }) => name),
    mine: row.actor_id !== null && row.actor_id === memberId,
  }));
}
