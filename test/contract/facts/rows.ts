/** Rows with everything that a sentence is not about, and the answer of an empty ledger to change. */
import type { Facts, OutputId, StageId } from '../../../shared/wire/facts.ts';
import { TODAY } from './fixture.ts';
import type {
  AttemptRow,
  DeliveryRow,
  ExplanationRunRow,
  IssueRow,
  Ledger,
  MinuteTriggerRow,
  ResultRow,
  RunRow,
  SlotRow,
  TaskRow,
  TriggerRow,
} from './ledger.ts';

export const AT_TEXT = '2026-11-20T01:00:00.000Z';

/** `lane/date/slot`: the lane and the trading date are the key's. */
export function run(id: number, run_key: string, changes: Partial<RunRow> = {}): RunRow {
  const [lane = '', date = ''] = run_key.split('/');
  return {
    pipeline_run_id: id,
    run_key,
    lane,
    trading_date: date,
    status: 'SUCCEEDED',
    skip_reason: null,
    deadline: null,
    execution_id: null,
    expected_execution_id: null,
    created_at: AT_TEXT,
    updated_at: AT_TEXT,
    ...changes,
  };
}

export function task(id: number, runId: number, changes: Partial<TaskRow> = {}): TaskRow {
  return {
    expected_task_id: id,
    pipeline_run_id: runId,
    task_key: `task-${id}`,
    stage: 'raw',
    dataset: 'price',
    plan_status: 'DUE',
    required: true,
    contract_key: 'c',
    expected_as_of: TODAY,
    actual_as_of: TODAY,
    collected_at: AT_TEXT,
    freshness_status: 'FRESH',
    freshness_reason: null,
    records_out: 1,
    unsupported_records: 0,
    failed_records: 0,
    completeness_expected: 1,
    completeness_actual: 1,
    ...changes,
  };
}

export function attempt(id: number, taskId: number, changes: Partial<AttemptRow> = {}): AttemptRow {
  return {
    task_attempt_id: id,
    expected_task_id: taskId,
    status: 'SUCCEEDED',
    started_at: AT_TEXT,
    ended_at: AT_TEXT,
    duplicate_retry: false,
    numerator: null,
    denominator: null,
    ...changes,
  };
}

/** Slots with one open issue each. */
export function gaps(...keys: string[]): { slots: SlotRow[]; issues: IssueRow[] } {
  return {
    slots: keys.map((slot_key, index) => ({ planner_slot_id: index + 1, slot_key })),
    issues: keys.map((_, index) => issue(index + 1, index + 1)),
  };
}

export function issue(id: number, slotId: number, changes: Partial<IssueRow> = {}): IssueRow {
  return {
    reconciliation_issue_id: id,
    planner_slot_id: slotId,
    issue_type: 'PLANNER_MISSING',
    opened_at: AT_TEXT,
    resolved_at: null,
    ...changes,
  };
}

export const ETFS = {
  entities: [
    { entity_id: 'e1', entity_name: 'KODEX 200' },
    { entity_id: 'e2', entity_name: '' },
  ],
  instruments: [
    { instrument_id: 'i1', entity_id: 'e1', ticker: '069500' },
    { instrument_id: 'i2', entity_id: 'e2', ticker: '000001' },
  ],
};

export function trigger(trigger_id: string, changes: Partial<TriggerRow> = {}): TriggerRow {
  return { trigger_id, instrument_id: 'i1', trade_date: TODAY, fired_at: AT_TEXT, ...changes };
}

export function minuteTrigger(trigger_id: string, changes: Partial<MinuteTriggerRow> = {}): MinuteTriggerRow {
  return { trigger_id, instrument_id: 'i1', trade_date: TODAY, fired_at: AT_TEXT, signal: 'FIRE', ...changes };
}

export const observation = (id: string): Ledger['observations'][number] => ({ price_observation_id: id });
export const feeding = (id: string, batch: string | null, minute: string | null): Ledger['feedings'][number] => ({
  price_observation_id: id,
  price_movement_trigger_id: batch,
  minute_price_trigger_id: minute,
});
export const route = (
  id: number,
  batch: string | null,
  minute: string | null,
  of: string | null,
): Ledger['routes'][number] => ({
  explanation_route_id: id,
  price_movement_trigger_id: batch,
  minute_price_trigger_id: minute,
  price_observation_id: of,
});

export function explanationRun(id: string, route: number, changes: Partial<ExplanationRunRow> = {}): ExplanationRunRow {
  return {
    explanation_run_id: id,
    explanation_route_id: route,
    status: 'SUCCEEDED',
    started_at: AT_TEXT,
    explanation_as_of: AT_TEXT,
    ...changes,
  };
}

export function result(id: string, runId: string, route: number, changes: Partial<ResultRow> = {}): ResultRow {
  return {
    id,
    explanation_run_id: runId,
    explanation_route_id: route,
    trade_date: TODAY,
    publication_status: 'PUBLISHED',
    ...changes,
  };
}

const NOBODY = {
  explanation_result_id: null,
  movement_analysis_id: null,
  target_explanation_result_id: null,
  target_movement_analysis_id: null,
};
export const delivered = (tenant_id: number, cursor: number, id: string): DeliveryRow => ({
  ...NOBODY,
  tenant_id,
  cursor,
  delivery_type: 'NEW',
  explanation_result_id: id,
});
export const withdrawn = (tenant_id: number, cursor: number, id: string): DeliveryRow => ({
  ...NOBODY,
  tenant_id,
  cursor,
  delivery_type: 'INVALIDATION',
  target_explanation_result_id: id,
});

/** Today's counts, and the usual ones; an unnamed usual one is null. */
export function outputs(
  today: Partial<Record<OutputId, number>> = {},
  base: Partial<Record<OutputId, number>> = {},
): Facts['outputs'] {
  const words: [OutputId, string, string][] = [
    ['o.pub', 'explanation results', 'results'],
    ['o.trig', 'batch price-movement triggers', 'triggers'],
    ['o.doc', 'documents', 'documents'],
    ['o.asr', 'document assertions', 'assertions'],
    ['o.evt', 'source events', 'events'],
  ];
  return words.map(([id, label, unit]) => ({ id, label, today: today[id] ?? 0, base: base[id] ?? null, unit }));
}

/** The usual ones of sample days without rows. */
export const ZEROS = { 'o.pub': 0, 'o.trig': 0, 'o.doc': 0, 'o.asr': 0, 'o.evt': 0 };

/** Feeds as batch and intraday, then stages from `c.obs` to `c.pub` as batch and intraday. */
export function chain(feeds: [number, number] = [0, 0], ...stages: [number, number][]): NonNullable<Facts['chain']> {
  const words: [StageId, string, string][] = [
    ['c.obs', 'observation', 'price_observation'],
    ['c.route', 'route', 'explanation_route'],
    ['c.run', 'run', 'explanation_run'],
    ['c.res', 'result', 'explanation_result'],
    ['c.pub', 'published', 'explanation_result'],
  ];
  return {
    feeds: [
      { id: 'feed.batch', label: 'batch trigger', v: feeds[0], unit: 'triggers', src: 'price_movement_trigger' },
      { id: 'feed.intraday', label: 'intraday trigger', v: feeds[1], unit: 'triggers', src: 'minute_price_trigger' },
    ],
    stages: words.map(([id, label, src], index) => {
      const [batch, intraday] = stages[index] ?? [0, 0];
      return { id, label, batch, intraday, src };
    }),
  };
}

/** The facts of an empty ledger with these axes changed, without control plane and queues. */
export function facts(changes: Partial<Facts> = {}): Facts {
  return {
    runs: [],
    meta: { db: '2026-11-20T07:00:00.000Z', today: TODAY },
    tasks: [],
    datasets: [],
    outputs: outputs(),
    boundary: { publishedWithoutDelivery: 0, deliveryNowNonpublished: 0, deliveryRows: 0 },
    chain: chain(),
    etfLedger: { rows: [] },
    slots: [],
    rhythm: { lanes: [], sources: [] },
    ...changes,
  };
}

/** So many runs of `market` began when `run` says that they did, and none in the weeks before. */
export const begun = (count: number): NonNullable<Facts['rhythm']> => ({
  lanes: [
    {
      id: 'market',
      last: AT_TEXT,
      lastDay: TODAY,
      hours: [{ at: AT_TEXT, count, before: [0, 0, 0, 0] }],
      nonTradingDays: [],
    },
  ],
  sources: [],
});

/** The fact of a run that is as `run` makes it. */
export function runFact(id: string, changes: Partial<Facts['runs'][number]> = {}): Facts['runs'][number] {
  const [lane = '', date = ''] = id.split('/');
  return {
    id,
    lane,
    tradingDate: date,
    ledgerStatus: 'SUCCEEDED',
    ledgerUpdated: AT_TEXT,
    deadline: null,
    ...changes,
  };
}

export function gapFact(id: string, lane: string | null, tradingDate: string | null): Facts['runs'][number] {
  const nothing = { ledgerStatus: null, ledgerUpdated: null, deadline: null };
  return { id, lane, tradingDate, ...nothing, planned: true, noRunRow: true };
}
