/**
 * Reads from one view of the ledger all that a dossier holds, beside the proofs. Its cost follows from the explanations
 * of the subject, and not from the size of the ledger.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { kstDate, kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import { inOrder, isMove, rowsOfPolicy } from '../audit/rows-about.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import { servedPeriods } from '../serving/served.ts';
import { servedBandOf } from '../shown/requests.ts';
import { isInstant } from '../shown/fact-forms.ts';
import { RecordNotWholeError } from '../shown/errors.ts';
import { policiesOf } from '../shown/fact-rows.ts';
import { readExplanation, readShown, type Shown } from '../shown/shown-facts.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite, type Query } from '../storage/query.ts';
import { columnsIn, VENDOR_TABLE } from '../storage/vendor-fields.ts';
import { bundlesAt, bundlesBefore, type Received } from './bundles.ts';
import {
  wasLetOut,
  type DossierBundle,
  type DossierExplanation,
  type DossierShown,
  type DossierSubject,
  type HistoryRow,
  type PlainRow,
} from './contents.ts';
import type { Collected } from './collected.ts';
import { ReceivedEntries } from './entries.ts';
import { DossierError, DossierTooLargeError, NothingToTellError } from './errors.ts';
import { refuseUnproved } from './proof.ts';

/** The longest span of one dossier. */
export const MOST_DAYS = 31;
const MOST_EXPLANATIONS = 300;
const MOST_BYTES = 256 * 1024 ** 2;
const DAY_MS = 86_400_000;

export type SubjectQuery =
  | { kind: 'EXPLANATION'; id: string }
  | { kind: 'SPAN'; ticker: string; from: string; to: string };

/** All that was shown of a ticker on these Korean days. */
export const subjectOfDays = (ticker: string, first: string, last: string): SubjectQuery => ({
  kind: 'SPAN',
  ticker,
  from: kstMidnight(first).toISOString(),
  to: kstDayEnd(last).toISOString(),
});

export type ListedFacts = Pick<DossierExplanation, 'id' | 'fields' | 'cursor' | 'receivedAt' | 'history' | 'served'>;

const explanationRow = prepared((id: string) => sqlite.selectFrom('explanation').selectAll().where('id', '=', id));
const historyRows = prepared((id: string) =>
  sqlite
    .selectFrom('state_history')
    .selectAll()
    .where('explanation_id', '=', sql<string>`+${id}`)
    .orderBy('id'),
);
const screeningRows = prepared((id: string) =>
  sqlite
    .selectFrom('screening')
    .selectAll()
    .where('explanation_id', '=', sql<string>`+${id}`)
    .orderBy('id'),
);
const formerCursors = prepared(
  (ticker: string, id: string) => sql<{ cursor: number }>`
    SELECT json_extract(value, '$.cursor') AS cursor FROM serving_fact INDEXED BY serving_fact_of_ticker
    WHERE ticker = ${ticker} AND kind = 'FIELDS' AND json_extract(value, '$.id') = ${id}`,
);

/** What people wrote about an explanation and looked at, whole rows. */
const REVIEW: Readonly<Record<string, (id: string) => Query<PlainRow>>> = {
  personal_draft: (id) => sql`SELECT * FROM personal_draft WHERE explanation_id = ${id} ORDER BY at`,
  waiting_edit: (id) => sql`SELECT * FROM waiting_edit WHERE explanation_id = ${id}`,
  review_note: (id) => sql`SELECT * FROM review_note WHERE explanation_id = +${id} ORDER BY id`,
  second_opinion: (id) => sql`SELECT * FROM second_opinion WHERE explanation_id = +${id} ORDER BY id`,
  blind_review: (id) =>
    sql`SELECT * FROM blind_review WHERE move_id IN (SELECT id FROM state_history WHERE explanation_id = ${id})`,
  review_sample: (id) => sql`SELECT * FROM review_sample WHERE explanation_id = ${id}`,
  dismissed_hit: (id) => sql`SELECT * FROM dismissed_hit WHERE explanation_id = ${id}`,
};

/**
 * @throws NothingToTellError, DossierTooLargeError, DossierError; InstantAheadError, UnknownTickerError,
 *   RecordNotWholeError
 */
export function collect(reader: LedgerReader, asked: SubjectQuery, now: Date): Collected {
  const told: CollectedParts = asked.kind === 'SPAN' ? ofSpan(reader, asked, now) : ofOne(reader, asked.id, now);
  const { subject, shown } = told;
  const less = subject.kind === 'SPAN' ? 'ask for a shorter span' : `ask for days of the ticker ${subject.ticker}`;
  const ids = explanationsIn(subject, shown);
  if (ids.size > MOST_EXPLANATIONS)
    throw new DossierTooLargeError(
      `${ids.size} explanations are more than the ${MOST_EXPLANATIONS} of one dossier: ${less}.`,
    );
  const bundles = new Map<string, Received>();
  const entries = new ReceivedEntries();
  // Its fields under a ticker that it has no more are recorded there alone.
  const cursorsOf = (of: string): number[] =>
    shown
      .flatMap(({ facts }) => facts.explanations)
      .flatMap(({ id, former }) => (id === of ? former.map(({ fields }) => fields.cursor) : []));
  const explanations = [...ids].map((id) => explanationOf(reader, id, cursorsOf(id), bundles, entries));
  for (const period of shown)
    for (const each of period.facts.explanations)
      if (!ids.has(each.id) && wasLetOut(each, period)) addBundles(reader, each, bundles);
  const received = [...bundles.values()].toSorted((one, other) => one.cursor_from - other.cursor_from);
  if (received.reduce((sum, { body }) => sum + body.length, 0) > MOST_BYTES)
    throw new DossierTooLargeError(`The received bundles are larger than one dossier holds: ${less}.`);
  const policies = policiesOf(reader, [
    ...shown.flatMap(({ facts }) => facts.policies.map(({ version }) => version)),
    ...explanations.flatMap(({ history, screenings }) =>
      [...history, ...screenings].flatMap(({ policy_version }) => policy_version ?? []),
    ),
  ]);
  const rows = inOrder([
    ...told.rows,
    ...policies.flatMap(({ version }) => rowsOfPolicy(reader, version)),
    ...[...told.explanations].flatMap(([id, one]) => (ids.has(id) ? one.rows : one.rows.filter(isMove))),
  ]);
  const collected: Collected = {
    subject,
    record: {
      tenantId: readCursors(reader).tenantId,
      bundles: received.map(bundleEntryOf),
      explanations,
      policies,
    },
    shown,
    bundles: received,
    rows,
  };
  refuseUnproved(collected, entries);
  return collected;
}

/** A bundle without its bytes. */
export const bundleEntryOf = (received: Received): DossierBundle => ({
  cursorFrom: received.cursor_from,
  cursorTo: received.cursor_to,
  bundleId: received.bundle_id,
  entryCount: received.entry_count,
  sha256: received.sha256,
  signature: received.signature,
  statement: received.statement,
  receivedAt: received.received_at,
  ...(received.isSetAside ? { setAside: true } : {}),
});

/**
 * The explanations that a dossier tells whole: the subject first, and each that stood in a span, because its text is in
 * the dossier.
 */
export function explanationsIn(subject: DossierSubject, shown: readonly DossierShown[]): ReadonlySet<string> {
  const stood = shown
    .flatMap(({ spans }) => spans)
    .flatMap(({ showing }) => ('id' in showing && showing.id !== null ? [showing.id] : []));
  return new Set(subject.kind === 'EXPLANATION' ? [subject.id, ...stood] : stood);
}

type RelatedFacts = DossierShown['facts']['explanations'][number];

interface CollectedParts extends Pick<Shown, 'rows' | 'explanations'> {
  subject: DossierSubject;
  shown: DossierShown[];
}

function ofSpan(reader: LedgerReader, asked: Extract<SubjectQuery, { kind: 'SPAN' }>, now: Date): CollectedParts {
  const { ticker, from } = asked;
  if (Date.parse(asked.to) - Date.parse(from) > MOST_DAYS * DAY_MS)
    throw new DossierTooLargeError(`A span of more than ${MOST_DAYS} days does not fit one dossier.`);
  const { period, rows, explanations } = periodOf(reader, ticker, { from, to: asked.to }, now);
  return { subject: { kind: 'SPAN', ticker, from, to: period.to }, shown: [period], rows, explanations };
}

function ofOne(reader: LedgerReader, id: string, now: Date): CollectedParts {
  const row = reader.first(explanationRow(id));
  if (row === undefined) throw new NothingToTellError(`There is no explanation ${id}.`);
  const { etf_ticker: ticker } = row;
  const spans = periodsOf(listedOf(reader, id), now);
  if (spans.length === 0) throw new NothingToTellError(`Nothing about the explanation ${id} has happened yet.`);
  const explanations = new Map([[id, readExplanation(reader, id, ticker)]]);
  const told = spans.map((span) => periodOf(reader, ticker, span, now, explanations));
  return {
    subject: { kind: 'EXPLANATION', id, ticker },
    shown: told.map(({ period }) => period),
    rows: told.flatMap(({ rows }) => rows),
    explanations,
  };
}

type Dated = Pick<ListedFacts, 'id' | 'fields' | 'history' | 'served'>;

/** When something about an explanation happened, or a channel was served it. */
export const timesOf = ({ history, served }: Pick<Dated, 'history' | 'served'>): string[] => [
  ...history.map(({ at }) => at),
  ...served.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt]),
];

/** The last moment of each approval that has lapsed before another move, and the first one without it. */
const lapsesIn = ({ history }: Pick<Dated, 'history'>, now: Date): string[] =>
  history.flatMap(({ valid_until: until }, index) =>
    until === null || until > (history[index + 1]?.at ?? now.toISOString())
      ? []
      : [new Date(Date.parse(until) - 1).toISOString(), until],
  );

/**
 * The Korean days of these times, of lapses of its approval and its trade date, up to now, those in a row as one period.
 *
 * @throws RecordNotWholeError
 */
export function periodsOf(explanation: Dated, now: Date): { from: string; to: string }[] {
  const times = timesOf(explanation);
  const ends = explanation.history.flatMap(({ valid_until }) => valid_until ?? []);
  if (![...times, ...ends].every(isInstant)) throw new RecordNotWholeError(`the explanation ${explanation.id}`);
  const instants = [...times, ...lapsesIn(explanation, now)];
  const days = new Set([explanation.fields.trade_date, ...instants.map((at) => kstDate(new Date(at)))]);
  const today = kstDate(now);
  const periods: { from: string; to: string }[] = [];
  for (const day of [...days].toSorted().filter((one) => one <= today)) {
    const [from, to] = [kstMidnight(day).toISOString(), kstDayEnd(day).toISOString()];
    const last = periods.at(-1);
    if (last?.to === from) last.to = to;
    else periods.push({ from, to });
  }
  return periods;
}

/** @param known explanations that another period has read; more are added */
function periodOf(
  reader: LedgerReader,
  ticker: string,
  span: { from: string; to: string },
  now: Date,
  known?: Parameters<typeof readShown>[4],
): Pick<Shown, 'rows' | 'explanations'> & { period: DossierShown } {
  const { facts: read, ...beside } = readShown(reader, ticker, span, now, known);
  // As JSON has it, so that the reader computes from the very same values.
  const facts = JSON.parse(JSON.stringify(read)) as DossierShown['facts'];
  const to = span.to < read.readAt ? span.to : read.readAt;
  return { period: { from: span.from, to, facts, spans: servedBandOf(read, span.from, to) }, ...beside };
}

/** The facts of an explanation that a list tells (D174). @throws DossierError */
export function listedOf(reader: LedgerReader, id: string): ListedFacts {
  const row = reader.first(explanationRow(id));
  if (row === undefined) throw new DossierError(`The row of the explanation ${id} is missing: run "intake rebuild".`);
  const history: HistoryRow[] = reader.all(historyRows(id)).map((each) => ({
    ...each,
    text_sha256: each.text_sha256 === null ? null : Buffer.from(each.text_sha256).toString('hex'),
  }));
  return {
    id,
    fields: columnsIn(row, VENDOR_TABLE),
    cursor: row.cursor,
    receivedAt: row.received_at,
    history,
    served: servedPeriods(reader, id),
  };
}

function explanationOf(
  reader: LedgerReader,
  id: string,
  former: readonly number[],
  bundles: Map<string, Received>,
  received: ReceivedEntries,
): DossierExplanation {
  const listed = listedOf(reader, id);
  return {
    ...listed,
    entries: entriesOf(reader, listed, former, bundles, received),
    screenings: reader.all(screeningRows(id)),
    review: Object.fromEntries(Object.entries(REVIEW).map(([table, rowsOf]) => [table, reader.all(rowsOf(id))])),
  };
}

/** @param former cursors of entries that are known @returns those of its entries; their bundles are added to `bundles` */
function entriesOf(
  reader: LedgerReader,
  { id, fields, cursor: latest, history }: ListedFacts,
  former: readonly number[],
  bundles: Map<string, Received>,
  received: ReceivedEntries,
): number[] {
  const { explanation_result_id: vendorId, etf_ticker: ticker } = fields;
  const cursors = new Set<number>();
  const texts = new Set<string>();
  let isWithdrawn = false;
  const look = (bundle: Received): void => {
    const found = received.of(bundle, vendorId);
    if (found.length > 0) bundles.set(bundle.sha256, bundle);
    for (const entry of found) {
      cursors.add(entry.cursor);
      isWithdrawn ||= entry.delivery_type === 'INVALIDATION';
      const summary = entry.explanation_result?.summary;
      if (typeof summary === 'string') texts.add(hash('sha256', summary));
    }
  };
  const known = [latest, ...former, ...reader.all(formerCursors(ticker, id)).map(({ cursor }) => cursor)];
  for (const cursor of new Set(known.filter((one) => one > 0))) bundlesAt(reader, cursor).forEach(look);
  for (const { id: number, at, move, text_sha256: digest } of history) {
    const isThere = (): boolean => (digest === null || texts.has(digest)) && (move !== 'invalidate' || isWithdrawn);
    if (isThere()) continue;
    for (const bundle of bundlesBefore(reader, { number, at }, vendorId)) {
      look(bundle);
      if (isThere()) break;
    }
  }
  return [...cursors].toSorted((one, other) => one - other);
}

function addBundles(reader: LedgerReader, { fields, former }: RelatedFacts, bundles: Map<string, Received>): void {
  for (const { cursor } of [fields, ...former.map((each) => each.fields)]) {
    if (cursor > 0) for (const bundle of bundlesAt(reader, cursor)) bundles.set(bundle.sha256, bundle);
  }
}
