/**
 * Internal notes on an explanation, and the one timeline of its events: moves, notes, claims, edits that wait, second
 * opinions. A note is added and never changed; it moves nothing and is never served.
 */
import { sql } from 'kysely';
import {
  OPINION_ENDS,
  type ExplanationStatus,
  type Move,
  type Opinion,
  type ReviewNote,
  type TimelineAction,
  type TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { readAuthors } from '../audit/authors.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { UnknownExplanationError, VersionMismatchError } from '../explanations/transitions.ts';

export interface NewNote {
  /** The id of the explanation, in any state. */
  id: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: string;
  text: string;
  expectedVersion?: number;
}

/**
 * Adds a note. The explanation keeps its version, so a decision in progress elsewhere still fits.
 *
 * @throws UnknownExplanationError, VersionMismatchError
 */
export function addNote(tx: LedgerTransaction, { id, actor, at, text, expectedVersion }: NewNote): ReviewNote {
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  if (expectedVersion !== undefined && expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  const row = { explanation_id: id, author_id: actor.id, author: actor.displayName, at, text };
  const noteId = tx.insert(sqlite.insertInto('review_note').values(row));
  const detail = { noteId, text };
  recordAction(tx, { at, actor, action: 'review.note', targetType: 'explanation', targetId: id, detail });
  return { id: noteId, at, actor: actor.displayName, text };
}

/** The recorded actions that a timeline lists. */
const TOLD_ACTIONS: Readonly<Record<string, TimelineAction | 'HANDED_OVER'>> = {
  'review.claim': 'CLAIMED',
  'review.claim-released': 'RELEASED',
  'review.edit-waits': 'EDIT_WAITS',
  'review.edit-voided': 'EDIT_VOIDED',
  'review.handed-over': 'HANDED_OVER',
  'review.taken': 'TAKEN',
  'sample.fine': 'SAMPLE_FINE',
  'sample.missed': 'SAMPLE_MISSED',
  'review.dismiss-hit': 'HIT_DISMISSED',
  'review.blind-agreed': 'BLIND_AGREED',
  'review.blind-differed': 'BLIND_DIFFERED',
  'review.same-registrar': 'SAME_REGISTRAR',
};
const ACTIONS = sql.join(Object.keys(TOLD_ACTIONS).map((action) => sql.lit(action)));

/** Reads each part by its index of the explanation. The condition on the role is the one of the audit log's index. */
const entriesOf = (id: string) => sql`
  SELECT at, 0 AS source, id AS number, actor, move AS what, from_status, to_status, reason AS text, policy_version,
    held_until, during_hold, NULL AS opinion, authors, approval_number, valid_until
  FROM state_history WHERE explanation_id = ${id}
  UNION ALL SELECT at, 1, id, author, NULL, NULL, NULL, text, NULL, NULL, 0, NULL, NULL, NULL, NULL
  FROM review_note WHERE explanation_id = ${id}
  UNION ALL SELECT at, 2, seq, actor, action, NULL, NULL, detail ->> '$.handedTo', NULL, NULL, 0, NULL, detail -> '$.authors', NULL, NULL
  FROM console_action_log WHERE target_id = ${id} AND actor_role IS NOT 'SYSTEM' AND action IN (${ACTIONS})
  UNION ALL SELECT asked_at, 3, 2 * id, asked_by, 'OPINION_ASKED', NULL, NULL, question, NULL, NULL, 0, NULL, NULL, NULL, NULL
  FROM second_opinion WHERE explanation_id = ${id}
  UNION ALL SELECT ended_at, 3, 2 * id + 1, ended_by, CASE outcome WHEN 'WITHDRAWN' THEN 'OPINION_WITHDRAWN'
      WHEN 'OVERTAKEN' THEN iif(ended_by_id IS asked_by_id, 'OPINION_PASSED_OVER', 'OPINION_OVERTAKEN') END,
    NULL, NULL, answer, NULL, NULL, 0, opinion, NULL, NULL, NULL
  FROM second_opinion WHERE explanation_id = ${id} AND outcome <> 'OPEN'`;

interface EntryRow {
  at: string;
  /** A state history, a note, an action on record, a second opinion. */
  source: 0 | 1 | 2 | 3;
  actor: string;
  what: string | null;
  from_status: ExplanationStatus | null;
  to_status: ExplanationStatus | null;
  text: string | null;
  policy_version: number | null;
  held_until: string | null;
  during_hold: number;
  opinion: Opinion | null;
  authors: string | null;
  approval_number: string | null;
  valid_until: string | null;
}

const pageOfEntries = prepared(
  (id: string, most: number, skipped: number) => sql<EntryRow>`
  SELECT * FROM (${entriesOf(id)}) ORDER BY at DESC, source DESC, number DESC LIMIT ${most} OFFSET ${skipped}`,
);
const countOfEntries = prepared((id: string) => sql<{ n: number }>`SELECT count(*) AS n FROM (${entriesOf(id)})`);

/** The timeline of an explanation, newest first. @throws UnknownExplanationError */
export function timelineOf(
  reader: LedgerReader,
  id: string,
  { page, size }: { page: number; size: number },
): { entries: TimelineEntry[]; total: number } {
  const known = reader.first(sqlite.selectFrom('explanation').select('id').where('id', '=', id));
  if (known === undefined) throw new UnknownExplanationError(id);
  const rows = reader.all(pageOfEntries(id, size, (page - 1) * size));
  return { entries: rows.map(toEntry), total: reader.first(countOfEntries(id))?.n ?? 0 };
}

function toEntry({ at, source, actor, what, from_status, to_status, text, opinion, ...row }: EntryRow): TimelineEntry {
  // The audit log gives the names alone.
  const authors =
    source === 2 ? (JSON.parse(row.authors ?? '[]') as string[]) : readAuthors(row.authors).map(({ name }) => name);
  if (what === 'OPINION_ASKED') return { kind: what, at, actor, text: text ?? '' };
  if (opinion !== null) return { kind: 'OPINION_GIVEN', at, actor, opinion, text: text ?? '' };
  const end = OPINION_ENDS.find((one) => one === what);
  if (end !== undefined) return { kind: end, at, actor };
  if (source === 1) return { kind: 'NOTE', at, actor, text: text ?? '' };
  if (source === 0 && to_status !== null) {
    const hold = { heldUntil: row.held_until, duringHold: row.during_hold === 1 };
    const approval = { approvalNumber: row.approval_number, validUntil: row.valid_until };
    const told = { actor, at, reason: text, policyVersion: row.policy_version, ...hold, ...approval, authors };
    return { kind: 'MOVE', move: what as Move, from: from_status, to: to_status, ...told };
  }
  const kind = TOLD_ACTIONS[what ?? ''];
  if (kind === undefined) throw new TypeError(`the timeline has no entry for the action ${what}`);
  if (kind === 'HANDED_OVER') return { kind, at, actor, to: text };
  return { kind, at, actor, authors };
}
