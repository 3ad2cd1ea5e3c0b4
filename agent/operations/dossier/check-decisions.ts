/** Texts and decisions: each text follows from an entry or a person's edit, each move is in the audit log, each screening can be repeated. */
import { hash } from 'node:crypto';
import { readAuthors, type Author } from '../../ledger/audit/authors.ts';
import { isMove } from '../../ledger/audit/rows-about.ts';
import { gapFault, isMended, moveFault, objectIn } from '../../ledger/audit/logged-moves.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { DossierAudit, DossierExplanation, HistoryRow } from '../../ledger/dossier/contents.ts';
import { checkScreenings } from '../../ledger/dossier/screenings.ts';
import { checkPolicy } from '../../ledger/shown/logged-facts.ts';
import { MATCHER_VERSION } from '../../screening/matcher.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { ReadEntries, ReadOne } from './check-received.ts';
import type { Opened } from './opened.ts';
import { fitting, unfit } from './unfit.ts';

type Row = DossierAudit['rows'][number]['row'];

/** A text that an edit of a person lets out. */
const isEdit = ({ move }: HistoryRow): boolean => move === 'approve-edited' || move === 'correct';

/** @throws UnfitDossierError */
export function* checkHistory({ record, audit }: Opened, entries: ReadEntries): Generator<string> {
  let [moves, found] = [0, 0];
  const rows = audit.rows.map(({ row }) => row);
  for (const explanation of record.explanations) {
    found += checkTexts(explanation, entries.get(explanation.id) ?? [], rows);
    checkMoves(explanation, movesOf(explanation.id, audit));
    moves += explanation.history.length;
  }
  for (const policy of record.policies) fitting(() => checkPolicy(policy, rows));
  yield `Each text that was let out is an entry's or a person's edit, and ${moves} moves are in the audit log as in the history.`;
  if (isMended(rows))
    yield 'Not checked: whether moves are missing between others: the ledger was restored from a backup or rebuilt, and moves of the program may be lost.';
  if (found > 0)
    yield `Not checked: ${found} withdrawals that a rebuild has recorded: it found the explanation withdrawn, or in no bundle, and no entry of the vendor says so.`;
}

/** The rows of the moves of an explanation. @throws UnfitDossierError */
export function movesOf(id: string, { rows: all }: DossierAudit): Row[] {
  const rows = all.map(({ row }) => row);
  const moves = rows.filter((row) => row.target_id === id && isMove(row));
  const fault = isMended(rows) ? null : gapFault(id, moves);
  if (fault !== null) throw unfit(fault);
  return moves;
}

/** @throws UnfitDossierError */
export function detailOf({ seq, detail }: Row): Record<string, unknown> {
  const told = objectIn(detail);
  if (told === null) throw new UnfitDossierError(`Row ${seq} of the audit log holds a detail that is no JSON object.`);
  return told;
}

/** @returns how many withdrawals a rebuild has recorded, of which no entry tells */
function checkTexts(
  { id, fields, history }: DossierExplanation,
  found: readonly ReadOne[],
  rows: readonly Row[],
): number {
  let byRebuild = 0;
  const summaries = found.flatMap((one) => (one.kind === 'NEW' ? [one.fields.summary] : []));
  const out = new Set(summaries);
  let present: string | null = null;
  for (const row of history) {
    const { move, at, text_sha256, published_summary } = row;
    if (move === 'receive' || move === 'text-changed') present = text_sha256;
    if (move === 'invalidate' && !found.some((one) => one.kind === 'INVALIDATION' && one.reason === row.reason)) {
      if (!isInRebuild(rows, { id, at, ticker: fields.etf_ticker }))
        throw new UnfitDossierError(`The vendor's withdrawal of ${id} at ${at} is in no bundle.`);
      byRebuild += 1;
    }
    if (published_summary === null) continue;
    if (isEdit(row)) {
      if (row.actor_id === null) throw new UnfitDossierError(`No person has made the edit of ${id} at ${at}.`);
      out.add(published_summary);
    }
    const isPresent = move !== 'approve' || present === null || hash('sha256', published_summary) === present;
    if (!out.has(published_summary) || !isPresent)
      throw new UnfitDossierError(`The text of ${id} that was let out at ${at} is neither an entry's nor an edit.`);
  }
  return byRebuild;
}

/** Whether the row of a withdrawal stands between those by which a rebuild hid the ticker and showed it again. */
function isInRebuild(rows: readonly Row[], { id, at, ticker }: { id: string; at: string; ticker: string }): boolean {
  const place = rows.findIndex(
    (row) => row.action === 'explanation.invalidate' && row.target_id === id && row.at === at,
  );
  const hidden = rows
    .slice(0, Math.max(place, 0))
    .findLast(({ action, target_id }) => action === 'ledger.rebuild' && target_id === ticker);
  return hidden !== undefined && detailOf(hidden)['held'] === true;
}

function checkMoves({ id, history }: DossierExplanation, rows: readonly Row[]): void {
  if (history.some((move) => move.explanation_id !== id))
    throw new UnfitDossierError(`The history of ${id} holds a move of another.`);
  const fault = moveFault(
    id,
    history.map((move) => ({ ...move, authors: authorsOf(move) })),
    rows,
  );
  if (fault !== null) throw unfit(fault);
}

function authorsOf({ authors }: HistoryRow): Author[] {
  try {
    return readAuthors(authors);
  } catch {
    throw new UnfitDossierError('record.json holds authors that are no JSON.');
  }
}

/** @throws UnfitDossierError */
export function* checkScreened({ record }: Opened, entries: ReadEntries): Generator<string> {
  const entriesOf = (id: string): NewEntry[] =>
    (entries.get(id) ?? []).flatMap((one) => (one.kind === 'NEW' ? [one.entry] : []));
  const { repeated, other } = fitting(() => checkScreenings(record.explanations, record.policies, entriesOf));
  yield `${repeated} screenings were repeated under their policies and found the same.`;
  if (other > 0) yield `Not checked: ${other} screenings by another version of the matcher than ${MATCHER_VERSION}.`;
}
