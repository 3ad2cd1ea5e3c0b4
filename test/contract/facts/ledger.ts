/**
 * The rows of the cloud's store that the facts come from, as a test writes them down: column by column, instants and
 * dates as text. The same rows go into a real store and to the reference.
 */
import { sql } from 'kysely';
import type { Store } from '../../../cloud/store/open.ts';

export type Row = Record<string, string | number | boolean | null>;

export interface RunRow extends Row {
  pipeline_run_id: number;
  run_key: string;
  lane: string;
  trading_date: string | null;
  status: string;
  skip_reason: string | null;
  deadline: string | null;
  execution_id: string | null;
  expected_execution_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface TaskRow extends Row {
  expected_task_id: number;
  pipeline_run_id: number;
  task_key: string;
  stage: string;
  dataset: string | null;
  plan_status: string;
  required: boolean;
  contract_key: string | null;
  expected_as_of: string | null;
  actual_as_of: string | null;
  collected_at: string | null;
  freshness_status: string | null;
  freshness_reason: string | null;
  records_out: number | null;
  unsupported_records: number | null;
  failed_records: number | null;
  completeness_expected: number | null;
  completeness_actual: number | null;
}
export interface AttemptRow extends Row {
  task_attempt_id: number;
  expected_task_id: number;
  status: string;
  started_at: string | null;
  ended_at: string | null;
  duplicate_retry: boolean;
  numerator: number | null;
  denominator: number | null;
}
export interface SlotRow extends Row {
  planner_slot_id: number;
  slot_key: string;
}
export interface IssueRow extends Row {
  reconciliation_issue_id: number;
  planner_slot_id: number | null;
  issue_type: string;
  opened_at: string;
  resolved_at: string | null;
}
export interface NavRow extends Row {
  expected_task_id: number;
  collected_at: string;
  response_trading_date: string | null;
}
export interface TriggerRow extends Row {
  trigger_id: string;
  instrument_id: string;
  trade_date: string;
  fired_at: string;
}
export interface MinuteTriggerRow extends TriggerRow {
  signal: 'FIRE' | 'REVERT';
}
export interface FeedingRow extends Row {
  price_observation_id: string;
  price_movement_trigger_id: string | null;
  minute_price_trigger_id: string | null;
}
export interface RouteRow extends Row {
  explanation_route_id: number;
  price_movement_trigger_id: string | null;
  minute_price_trigger_id: string | null;
  price_observation_id: string | null;
}
export interface ExplanationRunRow extends Row {
  explanation_run_id: string;
  explanation_route_id: number;
  status: string;
  started_at: string;
  explanation_as_of: string;
}
/** A result of either generation: `explanation_result` and `movement_analysis`. */
export interface ResultRow extends Row {
  id: string;
  explanation_run_id: string;
  explanation_route_id: number;
  trade_date: string;
  publication_status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN';
}
export interface AvailableRow extends Row {
  available_at: string;
}
export interface DeliveryRow extends Row {
  tenant_id: number;
  cursor: number;
  delivery_type: 'NEW' | 'INVALIDATION';
  explanation_result_id: string | null;
  movement_analysis_id: string | null;
  target_explanation_result_id: string | null;
  target_movement_analysis_id: string | null;
}

export interface Ledger {
  runs: RunRow[];
  tasks: TaskRow[];
  attempts: AttemptRow[];
  slots: SlotRow[];
  issues: IssueRow[];
  navs: NavRow[];
  entities: (Row & { entity_id: string; entity_name: string })[];
  instruments: (Row & { instrument_id: string; entity_id: string; ticker: string })[];
  batchTriggers: TriggerRow[];
  minuteTriggers: MinuteTriggerRow[];
  observations: (Row & { price_observation_id: string })[];
  feedings: FeedingRow[];
  routes: RouteRow[];
  explanationRuns: ExplanationRunRow[];
  results: ResultRow[];
  analyses: ResultRow[];
  documents: (AvailableRow & { document_id: string; document_type: string })[];
  assertions: AvailableRow[];
  events: AvailableRow[];
  tenants: (Row & { tenant_id: number; removed_at: string | null })[];
  deliveries: DeliveryRow[];
  executions: (Row & { execution_id: string; status: string; stopped_at: string | null })[];
  queues: (Row & { queue_name: string; visible: number; in_flight: number; delayed: number })[];
}

export function emptyLedger(): Ledger {
  return {
    runs: [],
    tasks: [],
    attempts: [],
    slots: [],
    issues: [],
    navs: [],
    entities: [],
    instruments: [],
    batchTriggers: [],
    minuteTriggers: [],
    observations: [],
    feedings: [],
    routes: [],
    explanationRuns: [],
    results: [],
    analyses: [],
    documents: [],
    assertions: [],
    events: [],
    tenants: [],
    deliveries: [],
    executions: [],
    queues: [],
  };
}

export const SOME_TIME = '2020-01-01T00:00:00Z';
let publications = 0;

/** The columns that a result needs and the facts do not read. */
function whole(result: ResultRow): Row {
  const { explanation_run_id, explanation_route_id, trade_date, publication_status: status } = result;
  publications += 1;
  return {
    explanation_run_id,
    explanation_route_id,
    trade_date,
    etf_instrument_id: 'etf-of-results',
    // A distinct grain.
    explanation_as_of: new Date(Date.parse(SOME_TIME) + publications * 1000).toISOString(),
    summary: 's',
    primary_thread_id: 'thread',
    publication_status: status,
    publication_number: status === 'DRAFT' ? null : publications,
    published_at: status === 'DRAFT' ? null : SOME_TIME,
    withdrawn_at: status === 'WITHDRAWN' ? SOME_TIME : null,
    withdrawal_reason: status === 'WITHDRAWN' ? 'r' : null,
    load_hash: 'h',
    created_at: SOME_TIME,
  };
}

/** Each table with its rows, in an order in which no row refers to a later one. */
function tablesOf(ledger: Ledger): [table: string, rows: Row[]][] {
  const constant = (row: Row, values: Row): Row => ({ ...values, ...row });
  return [
    ['pipeline_run', ledger.runs],
    ['expected_task', ledger.tasks],
    ['task_attempt', ledger.attempts],
    ['planner_slot', ledger.slots.map((row) => constant(row, { planned_for: SOME_TIME }))],
    ['reconciliation_issue', ledger.issues],
    ['nav_collection', ledger.navs],
    ['entity', [...ledger.entities, { entity_id: 'etf-of-results', entity_name: 'E' }]],
    [
      'instrument',
      [...ledger.instruments, { instrument_id: 'etf-of-results', entity_id: 'etf-of-results', ticker: 'R' }].map(
        (row) => constant(row, { market_code: 'KRX' }),
      ),
    ],
    ['event_thread', [{ event_thread_id: 'thread' }]],
    ['price_movement_trigger', ledger.batchTriggers],
    ['minute_price_trigger', ledger.minuteTriggers],
    [
      'price_observation',
      ledger.observations.map((row) =>
        constant(row, { instrument_id: 'etf-of-results', trade_date: '2020-01-01', observed_at: SOME_TIME }),
      ),
    ],
    ['price_observation_trigger', ledger.feedings],
    ['explanation_route', ledger.routes],
    [
      'explanation_run',
      ledger.explanationRuns.map((row) => constant(row, { mode: 'DAILY', lineage_hash: 'h', created_at: SOME_TIME })),
    ],
    [
      'explanation_result',
      ledger.results.map((row) => ({
        ...whole(row),
        explanation_result_id: row.id,
        draft_reason: row.publication_status === 'DRAFT' ? 'surface_absent' : null,
      })),
    ],
    [
      'movement_analysis',
      ledger.analyses.map((row) => ({
        ...whole(row),
        movement_analysis_id: row.id,
        exposure_status: 'AUTO_PUBLISHED',
      })),
    ],
    ['document', ledger.documents.map((row) => constant(row, { source_code: 's' }))],
    [
      'document_assertion',
      ledger.assertions.map((row, index) =>
        constant(row, { document_assertion_id: `a-${index}`, document_id: ledger.documents[0]?.document_id ?? '' }),
      ),
    ],
    [
      'source_event',
      ledger.events.map((row, index) =>
        constant(row, { source_event_id: `e-${index}`, source_class: 'NEWS', event_type_code: 'X' }),
      ),
    ],
    [
      'tenant',
      ledger.tenants.map((row) =>
        constant(row, {
          name: `t-${row.tenant_id}`,
          environment: 'POC',
          created_at: SOME_TIME,
          polling_seconds: 60,
          retention_floor: 0,
          received_below_floor: '{}',
        }),
      ),
    ],
    ['workflow_execution', ledger.executions],
    ['message_queue', ledger.queues],
  ];
}

/** Writes everything; the delivery records last, a cursor at a time, as they are issued. */
export async function writeLedger(store: Store, ledger: Ledger): Promise<void> {
  const issued = [...Map.groupBy(ledger.deliveries, ({ cursor }) => cursor)]
    .toSorted(([a], [b]) => a - b)
    .map(([, rows]): [string, Row[]] => [
      'tenant_delivery',
      rows.map((row) => ({ ...row, reason: row.delivery_type === 'NEW' ? null : 'r', created_at: SOME_TIME })),
    ]);
  const statements = [...tablesOf(ledger), ...issued].flatMap(([table, rows]) => insertion(table, rows));
  await store.transaction(async (trx) => {
    // At once where the database takes several statements at once.
    const parts = store.kind === 'postgres' ? [statements.join(';\n')] : statements;
    for (const part of parts) await sql.raw(part).execute(trx);
  });
}

/** Tables that several ledgers in one store share. */
const COMMON = new Set(['entity', 'instrument', 'event_thread']);

function insertion(table: string, rows: readonly Row[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first).join(', ');
  const json = JSON.stringify(rows).replaceAll("'", "''");
  return [
    `insert into ${table} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${table}, '${json}')
     ${COMMON.has(table) ? 'on conflict do nothing' : ''}`,
  ];
}
