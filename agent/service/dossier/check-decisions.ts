/** Texts and decisions: each text follows from an entry or a person's edit, each move is in the audit log, each screening can be repeated. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readAuthors, type Author } from '../../ledger/audit/authors.ts';
import { isMove } from '../../ledger/audit/rows-about.ts';
import { objectIn, toldByHistory, toldByRow } from '../../ledger/audit/told-moves.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { DossierAudit, DossierExplanation, HistoryRow } from '../../ledger/dossier/contents.ts';
import { MATCHER_VERSION } from '../../screening/matcher.ts';
import { policySnapshotSchema } from '../../screening/policy.ts';
import { createScreener, type Screener } from '../../screening/screen.ts';
import { checkResultSchema } from '../../../shared/wire/console/screening.ts';
import type { ReadEntries, ReadOne } from './check-received.ts';
import type { Opened } from './opened.ts';

type Row = DossierAudit['rows'][number]['row'];

/** A text that an edit of a person lets out. */
const isEdit = ({ move }: HistoryRow): boolean => move === 'approve-edited' || move === 'correct';

/** @throws UnfitDossierError */
export function* checkHistory({ record, audit }: Opened, entries: ReadEntries): Generator<string> {
  let moves = 0;
  for (const explanation of record.explanations) {
    checkTexts(explanation, entries.get(explanation.id) ?? []);
    checkMoves(explanation, movesOf(explanation.id, audit));
    moves += explanation.history.length;
  }
  let unhashed = 0;
  for (const { version, snapshot, changes, author, created_at } of record.policies) {
    const row = audit.rows.find(
      ({ row: one }) => one.action === 'policy.publish' && one.target_id === String(version),
    )?.row;
    const detail: Record<string, unknown> = row === undefined ? {} : detailOf(row);
    const sha256 = detail['snapshotSha256'];
    if (sha256 === undefined) unhashed += 1;
    const isSame =
      row?.actor === author &&
      row.at === created_at &&
      isDeepStrictEqual(detail['changes'], parsed(changes, 'record.json')) &&
      (sha256 === undefined || sha256 === hash('sha256', snapshot));
    if (!isSame)
      throw new UnfitDossierError(`The audit log does not tell of policy version ${version} as record.json does.`);
  }
  yield `Each text that was let out is an entry's or a person's edit, and ${moves} moves are in the audit log as in the history.`;
  if (isMended(audit.rows))
    yield 'Not checked: whether moves are missing between others: the ledger was restored from a backup or rebuilt, and moves of the program may be lost.';
  if (unhashed > 0)
    yield `Not checked: words, disclaimer and expiry of ${unhashed} policy versions: their rows, of an earlier program, hold no SHA-256.`;
}

/**
 * The rows of the moves of an explanation. Each begins in the state in which the one before it has ended, but where
 * a restore has brought only people's moves back (D139), or a damaged row was moved before its rebuild.
 */
export function movesOf(id: string, { rows }: DossierAudit): Row[] {
  const moves = rows.map(({ row }) => row).filter((row) => row.target_id === id && isMove(row));
  if (isMended(rows)) return moves;
  let state: unknown = null;
  for (const row of moves) {
    const { from, to } = detailOf(row);
    if ((from ?? null) !== state)
      throw new UnfitDossierError(`A row of the audit log is missing before row ${row.seq}: a move of ${id}.`);
    state = to;
  }
  return moves;
}

const isMended = (rows: DossierAudit['rows']): boolean =>
  rows.some(({ row }) => /^ledger\.(?:restore|rebuild)$/.test(row.action));

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnfitDossierError(`${name} holds a value that is no JSON.`);
  }
}

/** @throws UnfitDossierError */
export function detailOf({ seq, detail }: Row): Record<string, unknown> {
  const told = objectIn(detail);
  if (told === null) throw new UnfitDossierError(`Row ${seq} of the audit log holds a detail that is no JSON object.`);
  return told;
}

function checkTexts({ id, history }: DossierExplanation, found: readonly ReadOne[]): void {
  const summaries = found.flatMap((one) => (one.kind === 'NEW' ? [one.fields.summary] : []));
  const digests = new Set(summaries.map((summary) => hash('sha256', summary)));
  const out = new Set(summaries);
  let present: string | null = null;
  for (const row of history) {
    const { move, at, text_sha256, published_summary } = row;
    if (text_sha256 !== null && !digests.has(text_sha256))
      throw new UnfitDossierError(`The text of ${id} that was screened at ${at} is in no bundle.`);
    if (move === 'receive' || move === 'text-changed') present = text_sha256;
    if (move === 'invalidate' && !found.some((one) => one.kind === 'INVALIDATION' && one.reason === row.reason))
      throw new UnfitDossierError(`The vendor's withdrawal of ${id} at ${at} is in no bundle.`);
    if (published_summary === null) continue;
    if (isEdit(row)) {
      if (row.actor_id === null) throw new UnfitDossierError(`No person has made the edit of ${id} at ${at}.`);
      out.add(published_summary);
    }
    const isPresent = move !== 'approve' || present === null || hash('sha256', published_summary) === present;
    if (!out.has(published_summary) || !isPresent)
      throw new UnfitDossierError(`The text of ${id} that was let out at ${at} is neither an entry's nor an edit.`);
  }
}

function checkMoves({ id, history }: DossierExplanation, rows: readonly Row[]): void {
  for (const [index, move] of history.entries()) {
    const row = rows[index];
    if (move.explanation_id !== id) throw new UnfitDossierError(`The history of ${id} holds a move of another.`);
    if (row === undefined)
      throw new UnfitDossierError(`The audit log has no row of the ${move.move} of ${id} at ${move.at}.`);
    if (!isDeepStrictEqual(toldByRow(row, detailOf(row)), toldByHistory(move, authorsOf(move))))
      throw new UnfitDossierError(
        `Row ${row.seq} of the audit log does not say what the history says of the ${move.move} of ${id} at ${move.at}.`,
      );
  }
  const more = rows[history.length];
  if (more !== undefined)
    throw new UnfitDossierError(`The history of ${id} lacks the move of row ${more.seq} of the audit log.`);
}

function authorsOf({ authors }: HistoryRow): Author[] {
  try {
    return readAuthors(authors);
  } catch {
    throw new UnfitDossierError('record.json holds authors that are no JSON.');
  }
}

/**
 * Screens each text again, under the policy of that time. The serving scope of then is no part of an entry, so that
 * check alone is not repeated.
 *
 * @throws UnfitDossierError
 */
export function* checkScreenings({ record }: Opened, entries: ReadEntries): Generator<string> {
  const screeners = new Map<number | null, Screener>([[null, createScreener(null)]]);
  for (const { version, snapshot } of record.policies) {
    const read = policySnapshotSchema.safeParse(parsed(snapshot, 'record.json'));
    if (!read.success) throw new UnfitDossierError(`Policy version ${version} is not in the form of a policy.`);
    screeners.set(version, createScreener({ version, snapshot: read.data }));
  }
  let repeated = 0;
  let other = 0;
  for (const { id, history, screenings } of record.explanations) {
    const rows = new Map(screenings.map((row) => [row.id, row]));
    for (const { move, to_status, screening_id, text_sha256, at, policy_version } of history) {
      if (screening_id === null) continue;
      const screening = rows.get(screening_id);
      if (screening?.explanation_id !== id || screening.at !== at || screening.policy_version !== policy_version)
        throw new UnfitDossierError(`record.json lacks the screening of the text of ${id} at ${at}.`);
      const screener = screeners.get(screening.policy_version);
      if (screener === undefined)
        throw new UnfitDossierError(
          `record.json lacks policy version ${screening.policy_version}, under which ${id} was screened.`,
        );
      const said = checkResultSchema.array().safeParse(parsed(screening.checks, 'record.json'));
      const isOfThis = said.data?.every(
        (check) =>
          check.policyVersion === screening.policy_version && check.matcherVersion === screening.matcher_version,
      );
      if (isOfThis !== true)
        throw new UnfitDossierError(`The findings of the screening of ${id} at ${at} cannot be read.`);
      if (screening.matcher_version !== MATCHER_VERSION) {
        other += 1;
        continue;
      }
      const of = entries
        .get(id)
        ?.find((one) => one.kind === 'NEW' && hash('sha256', one.fields.summary) === text_sha256);
      if (of?.kind !== 'NEW') continue;
      const { explanation_result: result, source_events } = of.entry;
      const again = screener.screen({
        summary: result.summary,
        explanation_type: result.explanation_type,
        confidence_level: result.confidence_level,
        sourceEventIds: source_events.map((event) => event.source_event_id),
        outOfScope: [],
      });
      const isInside = said.data?.some(({ check, verdict }) => check === 'SERVING_SCOPE' && verdict === 'PASS');
      const beside = (checks: readonly { check: string }[]): unknown =>
        JSON.parse(JSON.stringify(checks.filter(({ check }) => check !== 'SERVING_SCOPE')));
      // A text may wait although no check holds it back: withdrawn before it came (D35), or its earlier history is lost.
      const isKept = screening.outcome === 'PENDING_REVIEW' || isInside !== true;
      const isOutcome =
        (screening.outcome === again.outcome || isKept) && (move !== 'receive' || to_status === screening.outcome);
      if (!isOutcome || !isDeepStrictEqual(beside(again.checks), beside(said.data ?? [])))
        throw new UnfitDossierError(`The screening of ${id} at ${at} did not find what its text and policy give.`);
      repeated += 1;
    }
  }
  yield `${repeated} screenings were repeated under their policies and found the same.`;
  if (other > 0) yield `Not checked: ${other} screenings by another version of the matcher than ${MATCHER_VERSION}.`;
}
