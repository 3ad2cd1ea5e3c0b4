/**
 * Reads from one view of the ledger all that a dossier holds, beside the proofs. Its cost follows from the explanations
 * of the subject, and not from the size of the ledger.
 *
 * Written out: it reads whole rows of a dozen tables by their key.
 */
import { hash } from 'node:crypto';
import { kstDate, kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import {
  beginning,
  inOrder,
  isMove,
  rowsOfExplanation,
  rowsOfMaintenance,
  rowsOfPeople,
  rowsOfProgram,
} from '../audit/rows-about.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import { servedPeriods } from '../serving/served.ts';
import { servedBandOf } from '../shown/requests.ts';
import { isInstant } from '../shown/fact-forms.ts';
import { upTo } from '../shown/shown-at.ts';
import { readShownFacts, RecordNotWholeError } from '../shown/shown-facts.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';
import type { ConsoleActionLogTable, ExplanationTable, StateHistoryTable, VendorFields } from '../storage/tables.ts';
import { bundleOf, bundlesBefore, type Received } from './bundles.ts';
import type {
  DossierExplanation,
  DossierRecord,
  DossierShown,
  DossierSubject,
  HistoryRow,
  PlainRow,
} from './contents.ts';
import { DossierError, DossierTooLargeError, NothingToTellError } from './errors.ts';

/** The longest span of one dossier. */
export const MOST_DAYS = 31;
const MOST_EXPLANATIONS = 300;
const MOST_BYTES = 256 * 1024 ** 2;
const DAY_MS = 86_400_000;

export type Asked = { kind: 'EXPLANATION'; id: string } | { kind: 'SPAN'; ticker: string; from: string; to: string };

/** All that was shown of a ticker on these Korean days. */
export const askedOfDays = (ticker: string, first: string, last: string): Asked => ({
  kind: 'SPAN',
  ticker,
  from: kstMidnight(first).toISOString(),
  to: kstDayEnd(last).toISOString(),
});

export type ListedFacts = Pick<DossierExplanation, 'id' | 'fields' | 'cursor' | 'receivedAt' | 'history' | 'served'>;

export interface Collected {
  subject: DossierSubject;
  record: DossierRecord;
  shown: DossierShown[];
  bundles: Received[];
  /** Rows of the audit log, ascending. */
  rows: ConsoleActionLogTable[];
}

const explanationRow = statement<[id: string], ExplanationTable>('SELECT * FROM explanation WHERE id = ?');
const historyRows = statement<[id: string], StateHistoryTable & { id: number }>(
  'SELECT * FROM state_history WHERE explanation_id = +? ORDER BY id',
);
const screeningRows = statement<[id: string], DossierExplanation['screenings'][number]>(
  'SELECT * FROM screening WHERE explanation_id = +? ORDER BY id',
);
const policyRow = statement<[version: number], DossierRecord['policies'][number]>(
  'SELECT version, snapshot, changes, author, created_at FROM policy_version WHERE version = ?',
);
const formerCursors = statement<[ticker: string, id: string], { cursor: number }>(`
  SELECT json_extract(value, '$.cursor') AS cursor FROM serving_fact INDEXED BY serving_fact_of_ticker
  WHERE ticker = ? AND kind = 'FIELDS' AND json_extract(value, '$.id') = ?`);

/** What people wrote about an explanation and looked at, whole rows. */
const REVIEW = {
  personal_draft: 'SELECT * FROM personal_draft WHERE explanation_id = ? ORDER BY at',
  waiting_edit: 'SELECT * FROM waiting_edit WHERE explanation_id = ?',
  review_note: 'SELECT * FROM review_note WHERE explanation_id = +? ORDER BY id',
  second_opinion: 'SELECT * FROM second_opinion WHERE explanation_id = +? ORDER BY id',
  blind_review: `SELECT * FROM blind_review WHERE move_id IN (SELECT id FROM state_history WHERE explanation_id = ?)`,
  review_sample: 'SELECT * FROM review_sample WHERE explanation_id = ?',
  dismissed_hit: 'SELECT * FROM dismissed_hit WHERE explanation_id = ?',
} as const;

/**
 * @throws NothingToTellError, DossierTooLargeError, DossierError; InstantAheadError, UnknownTickerError,
 *   RecordNotWholeError
 */
export function collect(reader: LedgerReader, asked: Asked, now: Date): Collected {
  const { subject, shown } = asked.kind === 'SPAN' ? ofSpan(reader, asked, now) : ofOne(reader, asked.id, now);
  const less = subject.kind === 'SPAN' ? 'ask for a shorter span' : `ask for days of the ticker ${subject.ticker}`;
  const ids = toldIn(subject, shown);
  if (ids.size > MOST_EXPLANATIONS)
    throw new DossierTooLargeError(
      `${ids.size} explanations are more than the ${MOST_EXPLANATIONS} of one dossier: ${less}.`,
    );
  const bundles = new Map<number, Received>();
  const explanations = [...ids].map((id) => explanationOf(reader, id, bundles));
  for (const period of shown)
    for (const each of period.facts.explanations)
      if (!ids.has(each.id) && wasLetOut(each, period)) addBundles(reader, each, bundles);
  const received = [...bundles.values()].toSorted((one, other) => one.cursor_from - other.cursor_from);
  if (received.reduce((sum, { body }) => sum + body.length, 0) > MOST_BYTES)
    throw new DossierTooLargeError(`The received bundles are larger than one dossier holds: ${less}.`);
  const versions = new Set([
    ...shown.flatMap(({ facts }) => facts.policies.map(({ version }) => version)),
    ...explanations.flatMap(({ history, screenings }) =>
      [...history, ...screenings].flatMap(({ policy_version }) => policy_version ?? []),
    ),
  ]);
  const policies = [...versions]
    .toSorted((one, other) => one - other)
    .flatMap((version) => reader.first(policyRow(version)) ?? []);
  return {
    subject,
    record: {
      tenantId: readCursors(reader).tenantId,
      bundles: received.map((each) => ({
        cursorFrom: each.cursor_from,
        cursorTo: each.cursor_to,
        bundleId: each.bundle_id,
        entryCount: each.entry_count,
        sha256: each.sha256,
        signature: each.signature,
        statement: each.statement,
        receivedAt: each.received_at,
      })),
      explanations,
      policies,
    },
    shown,
    bundles: received,
    rows: inOrder([
      ...beginning(reader),
      ...explanations.flatMap(({ id, history }) => rowsOfExplanation(reader, id, history)),
      ...shown.flatMap(({ facts }) => facts.explanations).flatMap((each) => rowsOfMoves(reader, each, ids)),
      ...rowsOfFacts(reader, shown, policies),
    ]),
  };
}

/**
 * The explanations that a dossier tells whole: the subject first, and each that stood in a span, because its text is in
 * the dossier.
 */
export function toldIn(subject: DossierSubject, shown: readonly DossierShown[]): ReadonlySet<string> {
  const stood = shown
    .flatMap(({ spans }) => spans)
    .flatMap(({ showing }) => ('id' in showing && showing.id !== null ? [showing.id] : []));
  return new Set(subject.kind === 'EXPLANATION' ? [subject.id, ...stood] : stood);
}

type Beside = DossierShown['facts']['explanations'][number];

interface Told {
  subject: DossierSubject;
  shown: DossierShown[];
}

function ofSpan(reader: LedgerReader, asked: Extract<Asked, { kind: 'SPAN' }>, now: Date): Told {
  const { ticker, from } = asked;
  if (Date.parse(asked.to) - Date.parse(from) > MOST_DAYS * DAY_MS)
    throw new DossierTooLargeError(`A span of more than ${MOST_DAYS} days does not fit one dossier.`);
  const shown = periodOf(reader, ticker, { from, to: asked.to }, now);
  return { subject: { kind: 'SPAN', ticker, from, to: shown.to }, shown: [shown] };
}

function ofOne(reader: LedgerReader, id: string, now: Date): Told {
  const row = reader.first(explanationRow(id));
  if (row === undefined) throw new NothingToTellError(`There is no explanation ${id}.`);
  const periods = periodsOf(listedOf(reader, id), now);
  if (periods.length === 0) throw new NothingToTellError(`Nothing about the explanation ${id} has happened yet.`);
  return {
    subject: { kind: 'EXPLANATION', id, ticker: row.etf_ticker },
    shown: periods.map((period) => periodOf(reader, row.etf_ticker, period, now)),
  };
}

type Dated = Pick<ListedFacts, 'id' | 'fields' | 'history' | 'served'>;

/** When something about an explanation happened, or a channel was given it. */
export const timesOf = ({ history, served }: Pick<Dated, 'history' | 'served'>): string[] => [
  ...history.map(({ at }) => at),
  ...served.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt]),
];

/**
 * The Korean days of these times and its trade date, up to now, those in a row as one period.
 *
 * @throws RecordNotWholeError
 */
export function periodsOf(explanation: Dated, now: Date): { from: string; to: string }[] {
  const times = timesOf(explanation);
  if (!times.every(isInstant)) throw new RecordNotWholeError(`the explanation ${explanation.id}`);
  const days = new Set([explanation.fields.trade_date, ...times.map((at) => kstDate(new Date(at)))]);
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

function periodOf(reader: LedgerReader, ticker: string, span: { from: string; to: string }, now: Date): DossierShown {
  const read = readShownFacts(reader, ticker, span, now);
  // As JSON has it, so that the reader computes from the very same values.
  const facts = JSON.parse(JSON.stringify(read)) as DossierShown['facts'];
  const to = span.to < read.readAt ? span.to : read.readAt;
  return { from: span.from, to, facts, spans: servedBandOf(read, span.from, to) };
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
    fields: fieldsOf(row),
    cursor: row.cursor,
    receivedAt: row.received_at,
    history,
    served: servedPeriods(reader, id),
  };
}

function explanationOf(reader: LedgerReader, id: string, bundles: Map<number, Received>): DossierExplanation {
  const listed = listedOf(reader, id);
  return {
    ...listed,
    entries: entriesOf(reader, listed, bundles),
    screenings: reader.all(screeningRows(id)),
    review: Object.fromEntries(
      Object.entries(REVIEW).map(([table, sql]) => [table, reader.all<PlainRow>({ sql, parameters: [id] })]),
    ),
  };
}

const fieldsOf = (row: ExplanationTable): VendorFields => ({
  explanation_result_id: row.explanation_result_id,
  etf_instrument_id: row.etf_instrument_id,
  etf_ticker: row.etf_ticker,
  etf_name: row.etf_name,
  market: row.market,
  trade_date: row.trade_date,
  explanation_as_of: row.explanation_as_of,
  content_as_of: row.content_as_of,
  explanation_type: row.explanation_type,
  confidence_level: row.confidence_level,
  primary_thread_id: row.primary_thread_id,
  analysis_engine: row.analysis_engine,
  observed_return: row.observed_return,
  summary: row.summary,
  explanation_run_id: row.explanation_run_id,
  release_bundle_version: row.release_bundle_version,
  source_events: row.source_events,
  evidences: row.evidences,
});

interface Entry {
  cursor: number;
  delivery_type: string;
  explanation_result?: { explanation_result_id?: unknown; summary?: unknown };
  target_explanation_result_id?: unknown;
  target_movement_analysis_id?: unknown;
}

/** The cursors of its entries; their bundles are added to `bundles`. */
function entriesOf(
  reader: LedgerReader,
  { id, fields, cursor: latest, history }: ListedFacts,
  bundles: Map<number, Received>,
): number[] {
  const { explanation_result_id: vendorId, etf_ticker: ticker } = fields;
  const cursors = new Set<number>();
  const texts = new Set<string>();
  let isWithdrawn = false;
  const look = (bundle: Received): void => {
    let found: Entry[];
    try {
      found = ofVendorId(bundle, vendorId);
    } catch {
      throw new DossierError(`The received bundle after cursor ${bundle.cursor_from} cannot be read.`);
    }
    if (found.length > 0) bundles.set(bundle.cursor_from, bundle);
    for (const entry of found) {
      cursors.add(entry.cursor);
      isWithdrawn ||= entry.delivery_type === 'INVALIDATION';
      const summary = entry.explanation_result?.summary;
      if (typeof summary === 'string') texts.add(hash('sha256', summary));
    }
  };
  const known = [latest, ...reader.all(formerCursors(ticker, id)).map(({ cursor }) => cursor)];
  for (const cursor of new Set(known.filter((one) => one > 0))) look(bundleOf(reader, cursor));
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

function ofVendorId(bundle: Received, vendorId: string): Entry[] {
  const text = Buffer.from(bundle.body).toString('utf8');
  const { result } = JSON.parse(text) as { result: { entries: Entry[] } };
  return result.entries.filter((entry) =>
    [
      entry.explanation_result?.explanation_result_id,
      entry.target_explanation_result_id,
      entry.target_movement_analysis_id,
    ].includes(vendorId),
  );
}

/**
 * Whether an explanation was let out by the end of a period: only such a one can be shown in it, or keep another from it,
 * and the vendor's entries prove its place.
 */
export const wasLetOut = ({ moves }: Pick<Beside, 'moves'>, { facts, to }: DossierShown): boolean =>
  upTo(moves, to, facts).some(({ published_summary }) => published_summary !== null);

function addBundles(reader: LedgerReader, { fields, former }: Beside, bundles: Map<number, Received>): void {
  for (const { cursor } of [fields, ...former.map((each) => each.fields)]) {
    const isThere = [...bundles.values()].some((one) => one.cursor_from < cursor && cursor <= one.cursor_to);
    if (cursor <= 0 || isThere) continue;
    const bundle = bundleOf(reader, cursor);
    bundles.set(bundle.cursor_from, bundle);
  }
}

/** The rows of the moves of an explanation that stood in no span: its moves, too, decide about what was shown. */
const rowsOfMoves = (reader: LedgerReader, { id, moves }: Beside, told: ReadonlySet<string>): ConsoleActionLogTable[] =>
  told.has(id) ? [] : rowsOfExplanation(reader, id, moves).filter(isMove);

const POLICY = 'policy_version';

/** The rows that record what else decided about serving: scope, channels, sectors, policies. */
function rowsOfFacts(
  reader: LedgerReader,
  shown: readonly DossierShown[],
  policies: DossierRecord['policies'],
): ConsoleActionLogTable[] {
  const keys = new Map<string, Set<string>>();
  const add = (type: string, key: string): void => void keys.set(type, (keys.get(type) ?? new Set()).add(key));
  for (const { facts } of shown) {
    for (const { key } of facts.scope) add('serving_scope', key);
    for (const { channel } of facts.channels) {
      add('channel', channel);
      add('serving_scope', channel);
    }
    for (const { market, sector } of facts.instrument)
      for (const key of [market, sector]) if (key !== null) add('serving_scope', key);
    add('serving_scope', facts.ticker);
    add('instrument', facts.ticker);
  }
  const ofPeople = [...keys].flatMap(([type, targets]) =>
    [...targets].flatMap((target) => rowsOfPeople(reader, target, type)),
  );
  const ofPolicies = policies.flatMap(({ version, created_at: at }) => {
    const published = rowsOfPeople(reader, String(version), POLICY);
    // A demo's first policy is the program's.
    return published.length > 0 ? published : rowsOfProgram(reader, String(version), POLICY, [at]);
  });
  const ofMaintenance = shown.flatMap(({ facts: { ticker, rebuilds } }) =>
    rowsOfMaintenance(
      reader,
      ticker,
      rebuilds.map(({ at }) => at),
    ),
  );
  return [...ofPeople, ...ofPolicies, ...ofMaintenance];
}
