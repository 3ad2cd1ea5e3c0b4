/** What was shown follows from the facts in the dossier by the function of the product, and the facts from its journals. */
import { isDeepStrictEqual } from 'node:util';
import { readAuthors } from '../../ledger/audit/authors.ts';
import { fieldsOfMove, moveOfRow } from '../../ledger/audit/logged-moves.ts';
import { periodsOf, timesOf, explanationsIn } from '../../ledger/dossier/collect.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import {
  wasLetOut,
  type DossierAudit,
  type DossierExplanation,
  type DossierRecord,
  type DossierShown,
} from '../../ledger/dossier/contents.ts';
import { checkFields, checkRecorded, setAsideIn } from '../../ledger/dossier/fields.ts';
import { SERVING_FIELDS } from '../../ledger/serving/record.ts';
import { servedBandOf } from '../../ledger/shown/requests.ts';
import { checkFacts } from '../../ledger/shown/logged-facts.ts';
import { detailOf, movesOf } from './check-decisions.ts';
import type { ReadEntries } from './check-received.ts';
import type { Opened } from './opened.ts';
import { fitting } from './unfit.ts';

type Facts = DossierShown['facts'];

/** @throws UnfitDossierError */
export function* checkShown({ manifest, record, shown, audit }: Opened, entries: ReadEntries): Generator<string> {
  const { subject, madeAt } = manifest;
  const rows = audit.rows.map(({ row }) => row);
  const setAside = setAsideIn(rows);
  const alone = new Map<string, number>();
  const tell = (kind: string): void => void alone.set(kind, (alone.get(kind) ?? 0) + 1);
  const beside = new Set<string>();
  const textsOf = (id: string) => (entries.get(id) ?? []).filter((one) => one.kind === 'NEW');
  for (const period of shown) {
    const { from, to, facts, spans } = period;
    if (facts.ticker !== subject.ticker || facts.readAt !== madeAt || to > madeAt)
      throw new UnfitDossierError(
        `shown.json tells of ${facts.ticker} at ${facts.readAt}, and the manifest of another.`,
      );
    const unproved = fitting(() => [...checkFacts(facts, rows, record.policies), ...checkRecorded(facts)]);
    for (const kind of unproved) tell(kind);
    for (const told of facts.explanations) {
      const explanation = record.explanations.find(({ id }) => id === told.id);
      if (explanation !== undefined) checkFactsOf(explanation, told);
      else checkMovesOf(told, audit);
      if (explanation === undefined && !wasLetOut(told, period)) beside.add(told.id);
      else for (const kind of fitting(() => checkFields(told, textsOf(told.id), facts, setAside))) tell(kind);
    }
    const again = JSON.parse(JSON.stringify(servedBandOf(facts, from, to))) as unknown;
    if (!isDeepStrictEqual(again, spans))
      throw new UnfitDossierError(
        `What was shown from ${from} to ${to}, or how often, does not follow from the facts.`,
      );
  }
  checkSubject(subject, record, shown);
  if (subject.kind === 'SPAN') checkSpan(subject, shown);
  else yield* checkPeriods(subject, madeAt, record, shown);
  const spans = shown.reduce((sum, each) => sum + each.spans.length, 0);
  yield `What was shown, in ${spans} spans, follows from the facts, and these from history, audit log and the vendor's entries.`;
  if (alone.size > 0)
    yield `Not checked: ${[...alone].map(([kind, times]) => `${kind} (${times})`).join(', ')}: the audit log has no row of such facts, and the tenant's signature alone answers for them.`;
  if (beside.size > 0)
    yield `Not checked: the vendor's fields of ${beside.size} explanations of the ticker that were not let out by then; their moves are in the audit log, and say so.`;
}

type ShownExplanation = Facts['explanations'][number];

/** The moves of an explanation that stood in no span are those of the audit log; a text that was let out has its place by its entries. */
function checkMovesOf({ id, moves }: ShownExplanation, audit: DossierAudit): void {
  const rows = movesOf(id, audit).map((row) => moveOfRow(row, detailOf(row)));
  const told = moves.map((move, index) => ({
    ...rows[index],
    ...fieldsOfMove(move),
    authors: move.authors,
  }));
  if (!isDeepStrictEqual(rows, told))
    throw new UnfitDossierError(`shown.json tells the moves of ${id} otherwise than the audit log.`);
}

function checkFactsOf(explanation: DossierExplanation, told: ShownExplanation): void {
  const moves = explanation.history.map((row) => ({
    id: row.id,
    at: row.at,
    move: row.move,
    to_status: row.to_status,
    actor: row.actor,
    reason: row.reason,
    policy_version: row.policy_version,
    published_summary: row.published_summary,
    held_until: row.held_until,
    during_hold: row.during_hold,
    position: row.position,
    authors: readAuthors(row.authors).map(({ name }) => name),
    approval_number: row.approval_number,
    valid_until: row.valid_until,
  }));
  const { fields, cursor, served } = explanation;
  const isSame =
    isDeepStrictEqual(told.moves, moves) &&
    isDeepStrictEqual(told.served, served) &&
    SERVING_FIELDS.every((name) => told.fields[name] === { ...fields, cursor }[name]);
  if (!isSame) throw new UnfitDossierError(`shown.json tells ${explanation.id} otherwise than record.json.`);
}

/** record.json tells the subject and each explanation that stood in a span, and no other. */
function checkSubject(
  subject: Opened['manifest']['subject'],
  { explanations }: DossierRecord,
  shown: readonly DossierShown[],
): void {
  const told = explanations.map(({ id }) => id);
  const due = explanationsIn(subject, shown);
  const lacking = [...due].find((id) => !told.includes(id));
  if (lacking !== undefined) throw new UnfitDossierError(`record.json lacks ${lacking}, which stood in a span.`);
  if (told.length !== due.size || (subject.kind === 'EXPLANATION' && told[0] !== subject.id))
    throw new UnfitDossierError('record.json tells of other explanations than the manifest and shown.json.');
}

function checkSpan({ from, to }: { from: string; to: string }, shown: readonly DossierShown[]): void {
  const [only, ...more] = shown;
  if (only?.from !== from || only.to !== to || more.length > 0)
    throw new UnfitDossierError('shown.json does not tell of the span that the manifest names.');
}

/**
 * The days of the explanation are told whole, as far as they had passed. Changes later than the dossier come of a clock
 * that was ahead: at their time nothing had been shown yet.
 */
function* checkPeriods(
  { id }: { id: string },
  madeAt: string,
  { explanations }: DossierRecord,
  shown: readonly DossierShown[],
): Generator<string> {
  const explanation = explanations.find((each) => each.id === id);
  const due = explanation === undefined ? [] : periodsOf(explanation, new Date(madeAt));
  const told = shown.map(({ from, to }) => ({ from, to }));
  const cut = due.map(({ from, to }) => ({ from, to: to < madeAt ? to : madeAt }));
  if (!isDeepStrictEqual(told, cut))
    throw new UnfitDossierError(
      `shown.json tells of ${spansIn(told)}, and the days on which ${id} changed or was given are ${spansIn(cut)}.`,
    );
  const ahead =
    explanation === undefined
      ? []
      : timesOf(explanation)
          .filter((at) => at > madeAt)
          .toSorted();
  if (ahead.length > 0)
    yield `Not checked: what was shown from ${ahead[0]} on (${ahead.length} changes or requests): the dossier was made before that time, so the host's clock was ahead when they were recorded.`;
}

const spansIn = (spans: readonly { from: string; to: string }[]): string =>
  spans.map(({ from, to }) => `${from} to ${to}`).join(', ');
