/**
 * Holds the whole state history, with the screenings that it names, against the audit log (D199): each move and its row
 * say the same, and each move goes on from the one before it. Both were written
 * together, so both are read once, side by side, in the order of their writing. What a rebuild has found to differ it
 * puts on record; from there on the moves and rows that follow are held against each other.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { commandActor, recordAction } from '../audit/audit.ts';
import { readAuthors } from '../audit/authors.ts';
import { madeAgain, OF_SERVING } from '../audit/rows-about.ts';
import { objectIn, pairFault, type WholeMove } from '../audit/logged-moves.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import type { ConsoleActionLogTable, StateHistoryTable } from '../storage/tables.ts';
import type { RecordedCheck } from '../../screening/recorded.ts';
import type { Screened } from './screenings.ts';
import { textDigest, textId } from './history-mismatch.ts';
import { isHuman, isOfTable } from './transition-table.ts';

type Move = WholeMove &
  Pick<StateHistoryTable, 'explanation_id' | 'authors' | 'screening_id'> & {
    id: number;
    /** The state in which the move before it has ended; null where there is none. */
    before: string | null;
    /** 1: a row before it says the very same: the program makes no move twice. */
    again: number;
    /** 1: it holds the digest of a text that was screened. */
    digested: number;
    /** That digest; of an approval, the one of the last text before it. */
    text: Uint8Array | null;
    /** 1: it ends a hold that no move before it has left at its time. */
    unheld: number;
    /** Null: there is no such screening. */
    outcome: Screened['outcome'] | null;
    screened: string | null;
    screened_at: string | null;
    screened_under: number | null;
    matcher_version: string | null;
    checks: string | null;
  };
type Row = Pick<ConsoleActionLogTable, 'seq' | 'action' | 'at' | 'actor' | 'actor_id' | 'detail'> & {
  target_id: string;
};

const STEP = 500;
const movesAfter = (after: number) => sql<Move>`
  SELECT told.id, told.explanation_id, told.move, told.at, told.actor_id, told.actor, told.from_status, told.to_status,
    told.reason, told.policy_version, told.published_summary, told.held_until, told.during_hold, told.position,
    told.approval_number, told.valid_until, told.authors, told.screening_id, told.text_sha256 IS NOT NULL AS digested,
    CASE told.move WHEN 'approve' THEN (SELECT text_sha256 FROM state_history WHERE explanation_id = told.explanation_id
      AND id < told.id AND text_sha256 IS NOT NULL ORDER BY id DESC LIMIT 1) ELSE told.text_sha256 END AS text,
    told.during_hold = 1 AND coalesce((SELECT held_until FROM state_history
      WHERE explanation_id = told.explanation_id AND id < told.id ORDER BY id DESC LIMIT 1), '')
      <= iif(told.move IN ('text-changed', 'invalidate'), '', told.at) AS unheld,
    (SELECT to_status FROM state_history WHERE explanation_id = told.explanation_id AND id < told.id
      ORDER BY id DESC LIMIT 1) AS before,
    told.move = 'text-changed' AND EXISTS (SELECT 1 FROM state_history AS one
      WHERE one.explanation_id = told.explanation_id AND one.id < told.id AND one.move = told.move AND one.at = told.at
        AND one.from_status = told.from_status AND one.to_status = told.to_status AND one.position = told.position) AS again,
    screening.outcome, screening.explanation_id AS screened, screening.at AS screened_at,
    screening.policy_version AS screened_under, screening.matcher_version, screening.checks
  FROM state_history AS told LEFT JOIN screening ON screening.id = told.screening_id
  WHERE told.id > ${after} ORDER BY told.id LIMIT ${sql.lit(STEP)}`;
const rowsAfter = (after: number) => sql<Row>`
  SELECT seq, action, at, actor, actor_id, target_id, detail FROM console_action_log
  WHERE seq > ${after} AND target_type = 'explanation' AND target_id IS NOT NULL AND action GLOB 'explanation.*'
  ORDER BY seq LIMIT ${sql.lit(STEP)}`;

/** The row with which a rebuild has put the history of an explanation on record. */
interface OnRecord {
  seq: number;
  /** The moves that the history had, and the digest of them. */
  moves: number;
  sha256: string;
}

const mended = sql<{ seq: number; id: string; detail: string }>`
  SELECT seq, target_id AS id, detail FROM console_action_log INDEXED BY console_action_of_serving
  WHERE ${OF_SERVING} AND action = 'ledger.rebuild' AND target_type = 'explanation' ORDER BY seq`;

function mendedHistories(reader: LedgerReader): Map<string, OnRecord> {
  return new Map(
    reader.all(mended).map(({ seq, id, detail }) => {
      const { moves, sha256 } = objectIn(detail) ?? {};
      return [id, { seq, moves: Number(moves), sha256: String(sha256) }];
    }),
  );
}

const receivedAgain = sql<{ id: string; at: string }>`
  SELECT explanation_id AS id, max(at) AS at FROM state_history WHERE move = 'receive'
  GROUP BY explanation_id HAVING count(*) > 1`;

/** Four eyes: second approvals without the row of the first one, of the same text and since the last move of a person. */
const approvedOnce = sql<{ id: string; row: number }>`
  SELECT target_id AS id, seq AS row FROM console_action_log AS second INDEXED BY console_action_of_people_by_action
  WHERE action = 'explanation.approve-edited' AND actor_role IS NOT 'SYSTEM' AND detail ->> '$.firstApprovedById' IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM console_action_log AS first INDEXED BY console_action_of_people_by_target
      WHERE first.target_id = second.target_id AND first.actor_role IS NOT 'SYSTEM' AND first.seq < second.seq
        AND first.action = 'review.edit-waits' AND first.actor_id = second.detail ->> '$.firstApprovedById'
        AND first.detail ->> '$.edited_summary' = second.detail ->> '$.published_summary'
        AND NOT EXISTS (SELECT 1 FROM console_action_log AS move INDEXED BY console_action_of_people_by_target
          WHERE move.target_id = second.target_id AND move.actor_role IS NOT 'SYSTEM' AND move.action GLOB 'explanation.*'
            AND move.seq > first.seq AND move.seq < second.seq))`;

/** Edits that one person let out under a policy that asks for two: it was altered for a moment. */
const approvedAlone = sql<{ id: string; row: number }>`
  SELECT target_id AS id, seq AS row FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action IN ('explanation.approve-edited', 'explanation.correct') AND actor_role IS NOT 'SYSTEM'
    AND detail ->> '$.firstApprovedById' IS NULL AND detail ->> '$.policyVersion' IN (SELECT version FROM policy_version
      WHERE iif(json_valid(snapshot), snapshot ->> '$.criteria.fourEyes', 0))`;

export interface HistoryFindings {
  /** What does not fit, by the id of its explanation, as a clause. */
  faults: Map<string, string>;
  /** The explanations whose history a rebuild has put on record as it was. */
  mended: string[];
}

/** @param walked told the number of the last move */
export function followHistory(reader: LedgerReader, walked: (move: number) => void = () => undefined): HistoryFindings {
  const onRecord = mendedHistories(reader);
  const isMadeAgain = madeAgain(reader);
  const pairing = new Pairing(onRecord, isMadeAgain);
  let [move, row] = [0, 0];
  for (let isMore = true; isMore;) {
    const moves = reader.all(movesAfter(move));
    const rows = reader.all(rowsAfter(row));
    for (const each of moves) pairing.takeMove(each);
    for (const each of rows) pairing.takeRow(each);
    move = moves.at(-1)?.id ?? move;
    row = rows.at(-1)?.seq ?? row;
    walked(move);
    isMore = moves.length === STEP || rows.length === STEP;
  }
  const faults = pairing.end();
  for (const { id, at } of reader.all(receivedAgain))
    if (!onRecord.has(id)) faults.set(id, `the history of ${id} receives it again at ${at}`);
  for (const [found, how] of [
    [approvedOnce, 'after a first approval that no row tells of'],
    [approvedAlone, 'by one person, and its policy asks for two'],
  ] as const)
    for (const { id, row } of reader.all(found))
      if (row > (onRecord.get(id)?.seq ?? 0) && !isMadeAgain(row) && !faults.has(id))
        faults.set(id, `row ${row} of the audit log approves an edit of ${id} ${how}`);
  for (const [id, { seq, moves, sha256 }] of onRecord)
    if (digestOf(reader, id, moves).sha256 !== sha256)
      faults.set(id, `the history of ${id} is not as row ${seq} of the audit log has put it on record`);
  return { faults, mended: [...onRecord.keys()] };
}

/** Pairs the moves of each explanation with its rows, each in its order. */
class Pairing {
  readonly #faults = new Map<string, string>();
  readonly #waiting = new Map<string, { moves: Move[]; rows: Row[] }>();
  readonly #onRecord: ReadonlyMap<string, OnRecord>;
  /** The moves of a history on record that are still to come. */
  readonly #passed = new Map<string, number>();

  readonly #madeAgain: (row: number) => boolean;

  constructor(onRecord: ReadonlyMap<string, OnRecord>, isMadeAgain: (row: number) => boolean) {
    this.#onRecord = onRecord;
    this.#madeAgain = isMadeAgain;
    for (const [id, { moves }] of onRecord) this.#passed.set(id, moves);
  }

  takeMove(move: Move): void {
    const id = move.explanation_id;
    const before = this.#passed.get(id) ?? 0;
    if (before > 0) this.#passed.set(id, before - 1);
    else if (!this.#faults.has(id)) {
      const fault = screeningFault(move);
      if (fault === null) this.#pair(id, move, this.#waiting.get(id)?.rows.shift());
      else this.#faults.set(id, fault);
    }
  }

  takeRow(row: Row): void {
    const id = row.target_id;
    const isPast = row.seq < (this.#onRecord.get(id)?.seq ?? 0);
    if (!isPast && !this.#faults.has(id)) this.#pair(id, this.#waiting.get(id)?.moves.shift(), row);
  }

  end(): Map<string, string> {
    for (const [id, { moves, rows }] of this.#waiting) this.#judge(id, moves[0], rows[0]);
    return this.#faults;
  }

  #pair(id: string, move: Move | undefined, row: Row | undefined): void {
    if (move !== undefined && row !== undefined) this.#judge(id, move, row);
    const waiting = this.#waiting.get(id) ?? { moves: [], rows: [] };
    if (row === undefined && move !== undefined) waiting.moves.push(move);
    if (move === undefined && row !== undefined) waiting.rows.push(row);
    if (waiting.moves.length + waiting.rows.length === 0 || this.#faults.has(id)) this.#waiting.delete(id);
    else this.#waiting.set(id, waiting);
  }

  #judge(id: string, move: Move | undefined, row: Row | undefined): void {
    const fault =
      pairFault(id, move === undefined ? undefined : withAuthors(move), row) ??
      (move === undefined || row === undefined ? null : stepFault(move, row, this.#madeAgain(row.seq)));
    if (fault !== null) this.#faults.set(id, fault);
  }
}

/**
 * Whether a move goes on from the one before it, by the table of moves, as a clause: a row of the log that somebody
 * appends once more, or takes from a ledger that was given up, bears a seal and leads on from another state.
 *
 * @param isMadeAgain by a restore, which makes no moves of a set-aside or a rebuild again
 */
function stepFault(move: Move, { seq, detail }: Row, isMadeAgain: boolean): string | null {
  const { explanation_id: id, move: name, at, from_status: from, to_status: to, before } = move;
  if (!isOfTable(name, from, to)) return `the ${name} of ${id} at ${at} is no move from ${from} to ${to}`;
  if (move.again === 1) return `the ${name} of ${id} at ${at} is there once more (row ${seq} of the audit log)`;
  const mayLack = isMadeAgain && isHuman(name);
  if (!mayLack && isOtherText(move, detail))
    return `the ${name} of ${id} at ${at} is not of the text that had come (row ${seq} of the audit log)`;
  if (!mayLack && move.unheld === 1)
    return `the ${name} of ${id} at ${at} ends a hold that no move before it tells (row ${seq} of the audit log)`;
  if (name === 'receive' || from === before || mayLack) return null;
  // What no bundle brought may have lost its history.
  if (name === 'invalidate' && before === null) return null;
  return `the ${name} of ${id} at ${at} goes on from ${from}, and the move before it has ended in ${before} (row ${seq} of the audit log)`;
}

/** The row of a text that came names it by its digest, and what is let out unedited is the one that was screened last. */
function isOtherText({ published_summary: out, text }: Move, detail: string): boolean {
  const [, told] = /"textId":"([^"]+)"/.exec(detail) ?? [];
  const isTold = told === undefined || (text !== null && textId(text) === told);
  return !isTold || (out !== null && text !== null && !textDigest(out).equals(text));
}

/** Authors in no form of this program are told by no row. */
function withAuthors(move: Move) {
  try {
    return { ...move, authors: readAuthors(move.authors).map(({ id, name }) => ({ id, name })) };
  } catch {
    return { ...move, authors: [{ id: '', name: move.authors ?? '' }] };
  }
}

/**
 * Whether a move names a screening that judged it so, as a clause. The row of the log tells of its instant, its policy
 * and what came of it; its findings tell the rest.
 */
function screeningFault(move: Move): string | null {
  const { explanation_id: id, at, policy_version: version, to_status: to, outcome } = move;
  const isScreening = move.move === 'receive' || move.move === 'text-changed';
  if (move.digested === 1 && !isScreening) return `the ${move.move} of ${id} at ${at} screened no text`;
  if (move.screening_id === null) return null;
  if (move.screened !== id || move.screened_at !== at || move.screened_under !== version)
    return `the history of ${id} names a screening of its text at ${at} that is not there`;
  // A person's decision, or a record that is not whole, lets a text wait whatever the screening found.
  const isOfMove = to === outcome || to === 'PENDING_REVIEW';
  return isOfMove && isOfFindings(move)
    ? null
    : `the outcome of the screening of ${id} at ${at} is not what its findings and the audit log tell`;
}

type Finding = Pick<RecordedCheck, 'verdict' | 'policyVersion' | 'matcherVersion'>;

function isOfFindings({ outcome, checks, screened_under: version, matcher_version: matcher }: Move): boolean {
  const found = findingsIn(checks ?? '');
  if (found?.every((each) => each.policyVersion === version && each.matcherVersion === matcher) !== true) return false;
  const verdicts = found.map(({ verdict }) => verdict);
  switch (outcome) {
    case 'AUTO_PUBLISHED':
      return verdicts.every((verdict) => verdict === 'PASS');
    case 'BLOCKED':
      return verdicts.length === 0 || verdicts.includes('BLOCK');
    default:
      return outcome === 'PENDING_REVIEW';
  }
}

function findingsIn(json: string): Finding[] | null {
  try {
    const found: unknown = JSON.parse(json);
    return Array.isArray(found) ? (found as Finding[]) : null;
  } catch {
    return null;
  }
}

const firstMoves = prepared(
  (id: string, most: number) => sql<{ move: string; approval: string | null }>`
  SELECT json_array(told.move, told.from_status, told.to_status, told.actor_id, told.actor, told.at, told.reason,
    told.policy_version, told.published_summary, hex(told.text_sha256), told.held_until, told.during_hold,
    told.authors, told.position, screening.explanation_id, screening.at, screening.outcome, screening.policy_version,
    screening.matcher_version, screening.checks) AS move,
    nullif(json_array(told.approval_number, told.valid_until), '[null,null]') AS approval
  FROM state_history AS told LEFT JOIN screening ON screening.id = told.screening_id
  WHERE told.explanation_id = +${id} ORDER BY told.id LIMIT ${most}`,
);

const ALL = -1;

/** The first moves of an explanation, but for their numbers: a restore gives others. */
function digestOf(reader: LedgerReader, id: string, most: number): { moves: number; sha256: string } {
  // A history without approvals has the digest that a rebuild before them has put on record.
  const moves = reader.all(firstMoves(id, most)).map(({ move, approval }) => move + (approval ?? ''));
  return { moves: moves.length, sha256: hash('sha256', JSON.stringify(moves)) };
}

/** Puts the history of an explanation on record as it is, with what did not fit. */
export function putHistoryOnRecord(tx: LedgerTransaction, id: string, at: string, fault: string): void {
  recordAction(tx, {
    at,
    actor: commandActor(),
    action: 'ledger.rebuild',
    targetType: 'explanation',
    targetId: id,
    detail: { fault, ...digestOf(tx, id, ALL) },
  });
}
