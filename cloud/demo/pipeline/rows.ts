/** Rows of the pipeline's ledger as the demo makes them, and their insertion. */
import { sql } from 'kysely';
import type { Store } from '../../store/open.ts';

/** Instants as ISO 8601, dates as YYYY-MM-DD. All rows of one table have the same columns. */
export type LedgerRow = Readonly<Record<string, string | number | boolean | null>>;

/**
 * In an order in which a row follows those that it refers to. With a key, an existing row takes the new values;
 * without, it stays.
 */
const TABLES = {
  entity: null,
  instrument: null,
  pipeline_run: ['pipeline_run_id'],
  expected_task: ['expected_task_id'],
  task_attempt: ['task_attempt_id'],
  planner_slot: null,
  reconciliation_issue: ['reconciliation_issue_id'],
  source_collection: ['source_collection_id'],
  nav_collection: null,
  holdings_snapshot: null,
  holdings_expected: null,
  holdings_load: ['holdings_load_id'],
  holdings_loaded: null,
  document: null,
  document_assertion: null,
  source_event: null,
  event_evidence: null,
  price_movement_trigger: null,
  minute_price_trigger: null,
  price_observation: null,
  price_observation_trigger: null,
  explanation_route: null,
  explanation_run: ['explanation_run_id'],
  explanation_run_event_evidence: null,
  minute_session: null,
  minute_collection: null,
  minute_daily_judgment: null,
  minute_judgment_ground: null,
  intraday_extraction: null,
  workflow_execution: ['execution_id'],
  message_queue: ['queue_name'],
} as const satisfies Record<string, readonly string[] | null>;

export type LedgerTable = keyof typeof TABLES;
export type LedgerRows = ReadonlyMap<LedgerTable, readonly LedgerRow[]>;

/** Rows per statement. The embedded store stands still while it runs. */
const ROWS_AT_ONCE = 500;

/** Writes rows in one transaction per table; existing unchanged rows may be written again. */
export async function writeRows(store: Store, rows: LedgerRows, signal?: AbortSignal): Promise<void> {
  for (const table of Object.keys(TABLES) as LedgerTable[]) {
    const all = rows.get(table) ?? [];
    for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
      if (signal?.aborted === true) return;
      await writeSome(store, table, all.slice(from, from + ROWS_AT_ONCE));
    }
  }
}

async function writeSome(store: Store, table: LedgerTable, rows: readonly LedgerRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const key: readonly string[] | null = TABLES[table];
  const changed = names.filter((name) => key !== null && !key.includes(name));
  const kept = sql.join(changed.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
  const conflict =
    key === null
      ? sql`on conflict do nothing`
      : sql`on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${kept}`;
  await sql`
    insert into ${sql.table(table)} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) ${conflict}`.execute(
    store.db,
  );
}

/** The rows that are new or have changed since `before`. */
export function changedRows(before: LedgerRows, after: LedgerRows): LedgerRows {
  const changed = new Map<LedgerTable, LedgerRow[]>();
  for (const [table, rows] of after) {
    const known = new Set((before.get(table) ?? []).map((row) => JSON.stringify(row)));
    const fresh = rows.filter((row) => !known.has(JSON.stringify(row)));
    if (fresh.length > 0) changed.set(table, fresh);
  }
  return changed;
}
