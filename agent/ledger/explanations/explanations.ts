/** The vendor's explanations in the tenant's ledger: storing them (D37) and reading them. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { ExplanationDetail, ExplanationStatus, Obstacle } from '../../../shared/wire/console/console.ts';
import { NO_APPROVAL } from '../serving/approval.ts';
import { aheadNow, cameNow, heldAhead, type Came } from '../serving/ahead.ts';
import { expiry, forgetScope, momentOf, obstacleNow, type Moment } from '../serving/visibility.ts';
import { recordFormerFields, recordInstrument } from '../serving/record.ts';
import { sameJson } from '../storage/json-text.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import type { MoveRequest, Received } from './transitions.ts';
import { positionOfEntry } from './position.ts';
import { recordScreening, type Screened } from './screenings.ts';
import type { ExplanationTable, InstrumentTable } from '../storage/tables.ts';
import { JSON_TEXT, VENDOR_FIELDS, VENDOR_TABLE, type VendorFields } from '../storage/vendor-fields.ts';
import { moveWordHits, recordWordHits } from './word-hits.ts';

/** Asked several times in a row for one entry. */
const lastId = { of: '', is: '' };

/** The id that the console's paths take: the same for the same vendor id, in every ledger. */
export function explanationId(explanationResultId: string): string {
  if (lastId.of !== explanationResultId || lastId.is === '') {
    lastId.is = hash('sha256', explanationResultId, 'base64url').slice(0, 22);
    lastId.of = explanationResultId;
  }
  return lastId.is;
}

/** Whether two sets of fields are equal. Lists with different text are parsed before they count as different. */
export function sameFields(a: VendorFields, b: VendorFields): boolean {
  return VENDOR_FIELDS.every((name) =>
    VENDOR_TABLE[name].form === JSON_TEXT ? sameJson(String(a[name]), String(b[name])) : a[name] === b[name],
  );
}

/**
 * Whether two sets of fields stand for one text of one moment: instrument, trade date and `explanation_as_of` are the
 * grain of a result and never change (sync protocol 2), and the ticker says where it is exposed.
 */
export const sameGrain = (a: Grain, b: Grain): boolean =>
  a.etf_instrument_id === b.etf_instrument_id &&
  a.etf_ticker === b.etf_ticker &&
  a.trade_date === b.trade_date &&
  Date.parse(a.explanation_as_of) === Date.parse(b.explanation_as_of);

type Grain = Pick<VendorFields, 'etf_instrument_id' | 'etf_ticker' | 'trade_date' | 'explanation_as_of'>;

const VENDOR_COLUMNS = VENDOR_FIELDS.map((name) => `explanation.${name}` as const);

export interface KnownExplanation {
  id: string;
  status: ExplanationStatus;
  summary: string;
  analysis_engine: string;
  decided: boolean;
  /** The cursor of the entry that gave the fields. */
  cursor: number;
  /** Whether the ledger already holds exactly these fields. */
  same: boolean;
  sameGrain: boolean;
}

const heldOf = prepared((id: string) =>
  sqlite
    .selectFrom('explanation')
    .select([...VENDOR_FIELDS, 'status', 'decided', 'cursor'])
    .where('id', '=', id),
);

/** The vendor's fields of a row, and the cursor of the entry that gave them. */
export function storedFields(
  reader: LedgerReader,
  id: string,
): ({ fields: VendorFields } & Pick<ExplanationTable, 'status' | 'decided' | 'cursor'>) | undefined {
  const row = reader.first(heldOf(id));
  if (row === undefined) return undefined;
  const { status, decided, cursor, ...fields } = row;
  return { fields, status, decided, cursor };
}

/** The ledger's row of this vendor id, compared with the incoming entry. */
export function knownExplanation(reader: LedgerReader, fields: VendorFields): KnownExplanation | undefined {
  const id = explanationId(fields.explanation_result_id);
  const held = storedFields(reader, id);
  if (held === undefined) return undefined;
  const { status, cursor, decided, fields: before } = held;
  const { summary, analysis_engine } = before;
  const compared = { same: sameFields(before, fields), sameGrain: sameGrain(before, fields) };
  return { id, status, summary, analysis_engine, cursor, decided: decided === 1, ...compared };
}

const statusOfId = prepared((id: string) => sqlite.selectFrom('explanation').select('status').where('id', '=', id));

/** The state of an explanation; undefined for an unknown id. */
export function statusOf(reader: LedgerReader, id: string): ExplanationStatus | undefined {
  return reader.first(statusOfId(id))?.status;
}

/** Inserts a whole row. */
export const insertRow = insertion<Omit<ExplanationTable, 'number'>>('explanation', [
  'id',
  ...VENDOR_FIELDS,
  'cursor',
  'received_at',
  'status',
  'status_since',
  'published_summary',
  'edited_summary',
  'comment',
  'policy_version',
  'failed_checks',
  'decided',
  'version',
  'held_until',
  'published_before',
  'stated_position',
  'ended_position',
  'approval_number',
  'valid_until',
]);

/**
 * Inserts the row of a new explanation, in the state that its screening gave, and its screening. Returns the facts of
 * its reception records: `insertExplanation` (`agent/ledger/transitions.ts`) makes both.
 */
export function putExplanation(
  tx: LedgerTransaction,
  fields: VendorFields,
  received: {
    cursor: number;
    /** That of its first entry, where it is another one. */
    firstCursor?: number;
    /** When it is taken in. */
    at: string;
    /** When its first bundle was received; default: `at`. A ledger that is derived again keeps it. */
    receivedAt?: string;
    /** When the entry of these fields came; default: now. */
    came?: Came;
    screened: Screened;
    reason: string | null;
  },
): Received {
  const id = explanationId(fields.explanation_result_id);
  const { screened, at } = received;
  const heldUntil = screened.outcome === 'AUTO_PUBLISHED' ? heldAhead(fields, received.came ?? cameNow(tx, at)) : null;
  const position = positionOfEntry(tx, received.firstCursor ?? received.cursor);
  tx.run(
    insertRow({
      ...fields,
      id,
      cursor: received.cursor,
      received_at: received.receivedAt ?? at,
      status: screened.outcome,
      status_since: at,
      published_summary: screened.outcome === 'AUTO_PUBLISHED' ? fields.summary : null,
      edited_summary: null,
      comment: null,
      policy_version: screened.policyVersion,
      failed_checks: failedChecks(screened),
      decided: 0,
      version: 1,
      held_until: heldUntil,
      published_before: null,
      stated_position: position,
      ended_position: null,
      ...NO_APPROVAL,
    }),
  );
  rememberInstrument(tx, fields, at);
  const screeningId = recordScreening(tx, id, at, screened);
  recordWordHits(tx, id, screened);
  return {
    id,
    at,
    text: fields.summary,
    screeningId,
    to: screened.outcome,
    reason: received.reason,
    policyVersion: screened.policyVersion,
    publishedSummary: screened.outcome === 'AUTO_PUBLISHED' ? fields.summary : undefined,
    position,
    heldUntil,
    bundleId: received.came?.bundleId,
  };
}

/**
 * Updates the vendor's fields of a known explanation after a number of changes; people's decisions stay untouched
 * (D37).
 */
export function updateVendorFields(
  tx: LedgerTransaction,
  id: string,
  fields: VendorFields,
  { cursor, at, changes = 1 }: { cursor: number; at: string; changes?: number },
): void {
  recordFormerFields(tx, at, id, fields.etf_ticker);
  setVendorFields(tx, id, fields, cursor, changes);
  rememberInstrument(tx, fields, at);
}

/** The row alone, for changes that the same transaction takes back. */
export function setVendorFields(
  tx: LedgerTransaction,
  id: string,
  fields: VendorFields,
  cursor: number,
  changes: number,
): void {
  tx.run(
    sqlite
      .updateTable('explanation')
      .set((eb) => ({ ...fields, cursor, version: eb('version', '+', changes) }))
      .where('id', '=', id),
  );
}

/** A truncated explanation has come again: its time of receipt starts again. */
export function receivedAgain(tx: LedgerTransaction, id: string, receivedAt: string): void {
  const row = tx.first(sqlite.selectFrom('explanation').select('received_at').where('id', '=', id));
  if (row === undefined) return;
  tx.run(sqlite.updateTable('explanation').set({ received_at: receivedAt }).where('id', '=', id));
  moveWordHits(tx, id, row.received_at, receivedAt);
}

/** Records a later screening; returns it in the form of the caller's move (`text-changed`). */
export function rescreened(
  tx: LedgerTransaction,
  id: string,
  at: string,
  screened: Screened,
): NonNullable<MoveRequest['screened']> {
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ failed_checks: failedChecks(screened) })
      .where('id', '=', id),
  );
  const screeningId = recordScreening(tx, id, at, screened);
  recordWordHits(tx, id, screened);
  return { outcome: screened.outcome, policyVersion: screened.policyVersion, screeningId };
}

function failedChecks(screened: Screened): string {
  return JSON.stringify(screened.checks.filter((check) => check.verdict !== 'PASS').map((check) => check.check));
}

const upsertInstrument = prepared(
  (row: Omit<InstrumentTable, 'sector' | 'version'>) => sql`
  INSERT INTO instrument (etf_ticker, etf_instrument_id, etf_name, market, sector)
  VALUES (${row.etf_ticker}, ${row.etf_instrument_id}, ${row.etf_name}, ${row.market}, NULL)
  ON CONFLICT (etf_ticker) DO UPDATE SET
    etf_instrument_id = excluded.etf_instrument_id, etf_name = excluded.etf_name,
    market = coalesce(excluded.market, instrument.market)
  WHERE (instrument.etf_instrument_id, instrument.etf_name, instrument.market)
    IS NOT (excluded.etf_instrument_id, excluded.etf_name, coalesce(excluded.market, instrument.market))`,
);

/** The instrument's sector is the tenant's own and stays. A market once known stays known. */
export function rememberInstrument(
  tx: LedgerTransaction,
  fields: Omit<InstrumentTable, 'sector' | 'version'>,
  at: string,
): void {
  const { etf_ticker, etf_instrument_id, etf_name, market } = fields;
  const question = `instrument ${etf_ticker}`;
  const named = JSON.stringify([etf_instrument_id, etf_name, market]);
  if (tx.memo?.get(question) === named) return;
  if (putInstrument(tx, fields)) recordInstrument(tx, at, etf_ticker);
  tx.memo?.set(question, named);
}

/** Writes the vendor's name and market of an instrument, and no fact. Returns whether they have changed. */
export function putInstrument(
  tx: LedgerTransaction,
  { etf_ticker, etf_instrument_id, etf_name, market }: Omit<InstrumentTable, 'sector' | 'version'>,
): boolean {
  const isChanged = tx.run(upsertInstrument({ etf_ticker, etf_instrument_id, etf_name, market })) > 0;
  if (isChanged) forgetScope(tx);
  return isChanged;
}

export type StoredExplanation = Omit<
  ExplanationTable,
  'number' | 'decided' | 'published_before' | 'stated_position' | 'ended_position'
>;

export type ExplanationRow = StoredExplanation & {
  /** Why it is not exposed; null while it is. */
  obstacle: Obstacle | null;
  /** When its time comes; null: it has. */
  ahead_until: string | null;
  /** When texts expire by the active policy, `HH:MM`. */
  expires_at: string | null;
};

/** The columns of a row for lists and details. */
const COLUMNS = [
  ...VENDOR_COLUMNS,
  'explanation.id',
  'explanation.cursor',
  'explanation.received_at',
  'explanation.status',
  'explanation.status_since',
  'explanation.published_summary',
  'explanation.edited_summary',
  'explanation.comment',
  'explanation.policy_version',
  'explanation.failed_checks',
  'explanation.version',
  'explanation.held_until',
  'explanation.approval_number',
  'explanation.valid_until',
] as const;

/** Rows at a moment, without a WHERE. */
export const rowsNow = (moment: Moment) =>
  sqlite
    .selectFrom('explanation')
    .select(COLUMNS)
    .select([obstacleNow(moment).as('obstacle'), aheadNow(moment).as('ahead_until')])
    .select(expiry.as('expires_at'));

const findRow = prepared((id: string, moment: Moment) => rowsNow(moment).where('explanation.id', '=', id));

export function findExplanation(reader: LedgerReader, id: string, now: Date): ExplanationRow | undefined {
  return reader.first(findRow(id, momentOf(now)));
}

const findStored = prepared((id: string) =>
  sqlite.selectFrom('explanation').select(COLUMNS).where('explanation.id', '=', id),
);

/** A row for callers that do not need its exposure. */
export function storedExplanation(reader: LedgerReader, id: string): StoredExplanation | undefined {
  return reader.first(findStored(id));
}

const findSnapshots = prepared((ticker: string, tradeDate: string) =>
  sqlite
    .selectFrom('explanation')
    .select(['id', 'explanation_as_of', 'status'])
    .where('etf_ticker', '=', sql<string>`+${ticker}`)
    .where('trade_date', '=', sql<string>`+${tradeDate}`)
    .orderBy('explanation_as_of', 'desc')
    .orderBy('cursor', 'desc'),
);

/**
 * Every snapshot of the same ticker and day, latest first, shown side by side (sync protocol 3). At most one of a
 * ticker is exposed: where this row is, the others need no check.
 */
export function snapshotsOf(
  reader: LedgerReader,
  row: Pick<ExplanationRow, 'id' | 'etf_ticker' | 'trade_date' | 'obstacle'>,
  now: Date,
): ExplanationDetail['snapshots'] {
  const isExposed = row.obstacle === null;
  return reader.all(findSnapshots(row.etf_ticker, row.trade_date)).map((snapshot) => ({
    ...snapshot,
    exposed:
      snapshot.id === row.id ? isExposed : !isExposed && findExplanation(reader, snapshot.id, now)?.obstacle === null,
  }));
}
