/**
 * Records the changes that decide what is exposed and that the state history does not hold, each in the
 * transaction of the change (D153). `ledger/shown` derives from both what was shown at any moment.
 */
import { sql } from 'kysely';
import { commandActor, recordAction } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ServingScopeTable } from '../storage/scope-tables.ts';
import type { ExplanationTable, ServingFactTable } from '../storage/tables.ts';

/** The value of each kind of row. Booleans are 0 and 1, as in SQLite. */
export interface FactValues {
  /** A backup replaced the ledger; it does not hold what was exposed after `since`. */
  RESTORED: { since: string | null };
  /** A policy version that changes the disclaimer or the expiry. */
  POLICY: { version: number; disclaimer: string; expiresAt: string | null; by: string };
  SCOPE: { type: ServingScopeTable['scope_type']; key: string; enabled: number; by: string };
  CHANNEL: { channel: string; open: number };
  INSTRUMENT: { market: string | null; sector: string | null; by?: string | null | undefined };
  /** The vendor's fields of an explanation before an entry changed them. */
  FIELDS: { id: string } & ServingFields;
  /** A rebuild hides the ticker, or shows it again. */
  REBUILD: { held: number };
  /** Rows of the ticker differed from the journals and were corrected. */
  CORRECTED: Record<string, never>;
}

/** The vendor's fields that decide whether and how an explanation is exposed. */
export const SERVING_FIELDS = [
  ...(['etf_ticker', 'etf_name', 'market', 'trade_date'] as const),
  ...(['explanation_as_of', 'content_as_of', 'analysis_engine', 'cursor'] as const),
] as const satisfies readonly (keyof ExplanationTable)[];
export type ServingFields = Pick<ExplanationTable, (typeof SERVING_FIELDS)[number]>;

export type FactKind = keyof FactValues;

const insertFact = prepared(({ at, kind, ticker, value }: Omit<ServingFactTable, 'seq'>) =>
  sqlite.insertInto('serving_fact').values({ at, kind, ticker, value }),
);

/** @param ticker null: the fact concerns every ticker */
export function recordFact<K extends FactKind>(
  tx: LedgerTransaction,
  at: string,
  kind: K,
  ticker: string | null,
  value: FactValues[K],
): void {
  tx.run(insertFact({ at, kind, ticker, value: JSON.stringify(value) }));
}

const newestPolicy = prepared(() =>
  sqlite
    .selectFrom('serving_fact')
    .select('value')
    .where('ticker', 'is', null)
    .where('kind', '=', 'POLICY')
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
);

/**
 * Records a version only where disclaimer or expiry change: words and criteria do not decide what is exposed.
 */
export function recordPolicy(tx: LedgerTransaction, at: string, published: FactValues['POLICY']): void {
  const row = tx.first(newestPolicy());
  const before = row === undefined ? undefined : (JSON.parse(row.value) as FactValues['POLICY']);
  if (before?.disclaimer === published.disclaimer && before.expiresAt === published.expiresAt) return;
  recordFact(tx, at, 'POLICY', null, published);
}

const insertInstrument = prepared(
  (at: string, ticker: string, by: string | null) => sql`
    INSERT INTO serving_fact (at, kind, ticker, value)
    SELECT ${at}, 'INSTRUMENT', etf_ticker, json_object('market', market, 'sector', sector, 'by', ${by})
    FROM instrument WHERE etf_ticker = ${ticker}`,
);

/** Records market and sector of an instrument from its row. `by`: the person who set the sector. */
export function recordInstrument(tx: LedgerTransaction, at: string, ticker: string, by: string | null = null): void {
  tx.run(insertInstrument(at, ticker, by));
}

const insertFields = prepared(
  (at: string, id: string, ticker: string) => sql`
    INSERT INTO serving_fact (at, kind, ticker, value)
    SELECT ${at}, 'FIELDS', told.ticker,
      json_object('id', id, ${sql.join(SERVING_FIELDS.map((name) => sql`${sql.lit(name)}, ${sql.ref(name)}`))})
    FROM explanation, (SELECT etf_ticker AS ticker FROM explanation WHERE id = ${id} UNION SELECT ${ticker}) AS told
    WHERE id = ${id}`,
);

/** Records the vendor's fields of an explanation before a change, under its old and its new ticker. */
export function recordFormerFields(tx: LedgerTransaction, at: string, id: string, nextTicker: string): void {
  tx.run(insertFields(at, id, nextTicker));
}

const holdTicker = prepared((ticker: string) =>
  sqlite.insertInto('held_ticker').orIgnore().values({ etf_ticker: ticker }),
);
const heldNow = prepared(() => sqlite.selectFrom('held_ticker').select('etf_ticker').orderBy('etf_ticker'));

/** Hides these tickers during a rebuild, until `endTickerHold`. */
export function holdTickers(tx: LedgerTransaction, tickers: Iterable<string>, at: string): void {
  for (const ticker of tickers) {
    recordFact(tx, at, 'CORRECTED', ticker, {});
    if (tx.run(holdTicker(ticker)) > 0) recordHold(tx, at, ticker, true);
  }
}

/** The program's row in the audit log proves the fact to others (D168). */
function recordHold(tx: LedgerTransaction, at: string, ticker: string, held: boolean): void {
  recordFact(tx, at, 'REBUILD', ticker, { held: held ? 1 : 0 });
  recordAction(tx, {
    at,
    actor: { kind: 'SYSTEM' },
    action: 'ledger.rebuild',
    targetType: 'instrument',
    targetId: ticker,
    detail: { held },
  });
}

/** Ends the hiding of all tickers. */
export function endTickerHold(tx: LedgerTransaction, at: string): void {
  for (const { etf_ticker } of tx.all(heldNow())) recordHold(tx, at, etf_ticker, false);
  tx.run(sqlite.deleteFrom('held_ticker'));
}

/**
 * Records that a backup has replaced the ledger.
 *
 * @param since the last moment that the backup knows of
 * @param beside further facts of the audit log's row
 */
export function recordRestored(
  tx: LedgerTransaction,
  at: string,
  since: string | null,
  beside: Readonly<Record<string, unknown>> = {},
): void {
  recordFact(tx, at, 'RESTORED', null, { since });
  recordAction(tx, {
    at,
    actor: commandActor(),
    action: 'ledger.restore',
    targetType: 'audit_log',
    targetId: null,
    detail: { since, ...beside },
  });
}

/** The number of tickers that a rebuild hides now. */
export const heldTickers = (reader: LedgerReader): number => reader.all(heldNow()).length;

const newestAt = prepared(() =>
  sqlite.selectFrom('serving_fact').select('at').orderBy('seq', 'desc').limit(sql.lit(1)),
);

/** When the newest row was recorded; null where there is none. */
export const lastFactAt = (reader: LedgerReader): string | null => reader.first(newestAt())?.at ?? null;
