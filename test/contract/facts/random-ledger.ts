/** Random ledgers, the same for the same seed: small, crowded, and full of the cases where facts are easily wrong. */
import { emptyLedger, type Ledger } from './ledger.ts';

/** The days of events: weekends, possibly a holiday, days after the last viewed one. */
const DAYS = [
  ...['2026-10-30', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08'],
  ...['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13', '2026-11-14', '2026-11-16', '2026-11-17'],
  ...['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-23'],
];
/** Around the two midnights, and in between. */
const TIMES = ['00:00:00', '06:59:59.999', '14:59:59.999', '15:00:00', '15:00:00.001', '23:30:00'];
const KEYS = ['open', 'close', 'é', '\u{1F600}', '\uFFFD', 'Z', 'a', 'B'];
const DATASETS = ['etf_nav', 'price', 'Price', '종목', 'news', '', null];
const REASONS = [null, '', '  ', '\u3000', '\u0085\u2003', '\u200b', 'SOURCE_LATE', 'HOLIDAY?'];
const STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'];

export class Chance {
  #state: number;
  constructor(seed: number) {
    this.#state = seed * 2_654_435_761;
  }
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
  below(count: number): number {
    return Math.floor(this.next() * count);
  }
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
  maybe(share = 0.5): boolean {
    return this.next() < share;
  }
  times<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}

/** The last day that can be viewed. */
const LAST = '2026-11-20';

export interface RandomLedger {
  ledger: Ledger;
  /** The day on which most things happen, so that they meet there. */
  busy: string;
}

export function randomLedger(seed: number): RandomLedger {
  const chance = new Chance(seed);
  // Some worlds are of a few days only, so that many things meet.
  const days = chance.maybe() ? DAYS : DAYS.slice(chance.below(15)).slice(0, 1 + chance.below(5));
  const busy = chance.of(days.filter((one) => one <= LAST));
  const day = (): string => (chance.maybe() ? busy : chance.of(days));
  const at = (): string => `${day()}T${chance.of(TIMES)}Z`;
  const orNull = <T>(value: T, share = 0.3): T | null => (chance.maybe(share) ? null : value);
  const count = (): number | null => (chance.maybe(0.3) ? null : chance.of([0, 0, 1, 7, 120]));
  const ledger = emptyLedger();

  const runKeys = new Set<string>();
  for (const index of chance.times(chance.of([0, 8, 30, 30]), (one) => one)) {
    const run_key = `${chance.of(['market', 'news', 'ㄱ'])}/${day()}/${chance.of(KEYS)}`;
    if (runKeys.has(run_key)) continue;
    runKeys.add(run_key);
    ledger.runs.push({
      pipeline_run_id: 1000 - index,
      run_key,
      lane: run_key.split('/')[0] ?? '',
      trading_date: orNull(day()),
      status: chance.of([...STATUSES, 'SKIPPED', 'odd']),
      skip_reason: chance.maybe(0.15) ? chance.of(['NON_TRADING_DAY', 'NON_TRADING_DAY', 'OTHER']) : null,
      deadline: orNull(at()),
      execution_id: chance.maybe(0.4) ? `exec-${chance.below(6)}` : chance.of([null, '']),
      expected_execution_id: chance.maybe() ? `exec-${chance.below(6)}` : chance.of([null, '']),
      created_at: at(),
      updated_at: at(),
    });
  }
  for (const [index, run] of ledger.runs.entries()) {
    for (const own of chance.times(4, (one) => one)) {
      const load = own === 0 && chance.maybe();
      ledger.tasks.push({
        expected_task_id: 5000 - index * 10 - own,
        pipeline_run_id: run.pipeline_run_id,
        task_key: load ? 'assertions-load' : `task-${own}`,
        stage: chance.of(['raw', 'normalize', 'load', 'analyse']),
        dataset: chance.of(DATASETS),
        plan_status: chance.of(['DUE', 'DUE', 'DUE', 'NOT_DUE']),
        required: true,
        contract_key: chance.maybe(0.75) ? 'c' : null,
        expected_as_of: orNull(day(), 0.15),
        actual_as_of: orNull(day()),
        collected_at: orNull(at()),
        freshness_status: chance.of(['FRESH', 'STALE', 'UNKNOWN', null]),
        freshness_reason: chance.of(REASONS),
        records_out: count(),
        unsupported_records: count(),
        failed_records: count(),
        completeness_expected: count(),
        completeness_actual: count(),
      });
    }
  }
  if (chance.maybe(0.15)) addLoads(ledger, at);
  for (const task of ledger.tasks) {
    for (let left = chance.below(4); left > 0; left -= 1) {
      ledger.attempts.push({
        task_attempt_id: ledger.attempts.length + 1,
        expected_task_id: task.expected_task_id,
        status: chance.of(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'RUNNING']),
        started_at: orNull(at(), 0.15),
        ended_at: orNull(at(), 0.15),
        duplicate_retry: chance.maybe(0.2),
        numerator: orNull(chance.below(4), 0.15),
        denominator: orNull(chance.of([0, 3, 7]), 0.15),
      });
    }
    if (task.dataset === 'etf_nav' || chance.maybe(0.05)) {
      for (let left = chance.below(3); left > 0; left -= 1)
        ledger.navs.push({
          expected_task_id: task.expected_task_id,
          collected_at: at(),
          response_trading_date: orNull(day()),
        });
    }
  }
  const slotKeys = new Set<string>();
  for (const index of chance.times(chance.of([0, 6]), (one) => one)) {
    const slot_key = chance.of([
      `market/${day()}/${chance.of(KEYS)}`,
      `market/${day()}/${chance.of(KEYS)}`,
      [...runKeys][0] ?? 'market/2026-11-20/none',
      `market/2026-02-30/x`,
      `/${day()}/x`,
      `market/${day()}`,
      `market/${day()}/`,
      `ma\u3000rket/${day()}/x`,
      `market/${day()}/x/y`,
      'nonsense',
    ]);
    if (slotKeys.has(slot_key)) continue;
    slotKeys.add(slot_key);
    ledger.slots.push({ planner_slot_id: index + 1, slot_key, planned_for: at() });
  }
  for (const slot of ledger.slots) {
    for (let left = chance.below(3); left > 0; left -= 1)
      ledger.issues.push({
        reconciliation_issue_id: 900 - ledger.issues.length,
        planner_slot_id: slot.planner_slot_id,
        issue_type: chance.of(['PLANNER_MISSING', 'PLANNER_MISSING', 'PLANNER_MISSING', 'OTHER']),
        opened_at: at(),
        resolved_at: chance.maybe(0.2) ? at() : null,
      });
  }
  addMovements(ledger, chance, day, at);
  ledger.documents = chance.times(8, (index) => ({
    document_id: `d-${index}`,
    document_type: chance.of(['NEWS', 'NEWS', 'DISCLOSURE']),
    available_at: at(),
  }));
  if (ledger.documents.length > 0) ledger.assertions = chance.times(8, () => ({ available_at: at() }));
  ledger.events = chance.times(8, () => ({ available_at: at(), source_class: chance.of(['NEWS', 'DISCLOSURE']) }));
  addDeliveries(ledger, chance);
  ledger.executions = [0, 1, 2, 3]
    .filter(() => chance.maybe(0.7))
    .map((index) => ({
      execution_id: `exec-${index}`,
      status: chance.of(['RUNNING', 'SUCCEEDED', 'FAILED']),
      stopped_at: chance.maybe() ? at() : null,
    }));
  ledger.queues = ['b', 'a', '가']
    .filter(() => chance.maybe())
    .map((queue_name) => {
      const dead = chance.maybe();
      return {
        queue_name,
        visible: chance.below(2),
        in_flight: chance.below(2),
        delayed: chance.below(2),
        dead_visible: dead ? chance.below(2) : null,
        dead_in_flight: dead ? chance.below(2) : null,
        dead_delayed: dead ? chance.below(2) : null,
      };
    });
  return { ledger, busy };
}

/** A load of the assertions on every day: more days than the trend shows. */
function addLoads(ledger: Ledger, at: () => string): void {
  for (const [index, day] of DAYS.entries()) {
    ledger.runs.push({
      pipeline_run_id: 2000 + index,
      run_key: `loads/${day}/1`,
      lane: 'loads',
      trading_date: day,
      status: 'SUCCEEDED',
      skip_reason: null,
      deadline: null,
      execution_id: null,
      expected_execution_id: null,
      created_at: at(),
      updated_at: at(),
    });
    ledger.tasks.push({
      expected_task_id: 7000 + index,
      pipeline_run_id: 2000 + index,
      task_key: 'assertions-load',
      stage: 'load',
      dataset: 'assertions',
      plan_status: 'DUE',
      required: true,
      contract_key: null,
      expected_as_of: null,
      actual_as_of: null,
      collected_at: null,
      freshness_status: null,
      freshness_reason: null,
      records_out: null,
      unsupported_records: null,
      failed_records: null,
      completeness_expected: null,
      completeness_actual: null,
    });
    ledger.attempts.push({
      task_attempt_id: index + 1,
      expected_task_id: 7000 + index,
      status: 'SUCCEEDED',
      started_at: at(),
      ended_at: at(),
      duplicate_retry: false,
      numerator: index,
      denominator: DAYS.length,
    });
  }
}

function addMovements(ledger: Ledger, chance: Chance, day: () => string, at: () => string): void {
  ledger.instruments = ['etf-1', 'etf-2', 'etf-3', 'etf-4'].map((instrument_id, index) => ({
    instrument_id,
    entity_id: instrument_id,
    // Two instruments may have one ticker.
    ticker: ['069500', '069500', 'ZZ', '가나'][index] ?? '',
  }));
  ledger.entities = ledger.instruments.map(({ entity_id }, index) => ({
    entity_id,
    entity_name: index === 2 ? '' : `KODEX ${index}`,
  }));
  const instrument = (): string => chance.of(ledger.instruments).instrument_id;
  ledger.batchTriggers = chance.times(10, (index) => ({
    trigger_id: `b-${index}`,
    instrument_id: instrument(),
    trade_date: day(),
    fired_at: at(),
  }));
  ledger.minuteTriggers = chance.times(12, (index) => ({
    trigger_id: `m-${index}`,
    instrument_id: instrument(),
    trade_date: day(),
    fired_at: at(),
    signal: chance.maybe(0.7) ? ('FIRE' as const) : ('REVERT' as const),
  }));
  ledger.observations = chance.times(8, (index) => ({ price_observation_id: `o-${index}` }));
  const pairs = new Set<string>();
  for (const [triggers, batch] of [
    [ledger.batchTriggers, true],
    [ledger.minuteTriggers, false],
  ] as const) {
    for (const { trigger_id } of triggers) {
      for (let left = chance.below(3); left > 0; left -= 1) {
        if (ledger.observations.length === 0) continue;
        const { price_observation_id } = chance.of(ledger.observations);
        if (pairs.has(`${price_observation_id} ${trigger_id}`)) continue;
        pairs.add(`${price_observation_id} ${trigger_id}`);
        ledger.feedings.push({
          price_observation_id,
          price_movement_trigger_id: batch ? trigger_id : null,
          minute_price_trigger_id: batch ? null : trigger_id,
        });
      }
      if (chance.maybe(0.7))
        ledger.routes.push({
          explanation_route_id: 100 + ledger.routes.length,
          price_movement_trigger_id: batch ? trigger_id : null,
          minute_price_trigger_id: batch ? null : trigger_id,
          price_observation_id:
            chance.maybe(0.85) && ledger.observations.length > 0
              ? chance.of(ledger.observations).price_observation_id
              : null,
        });
    }
  }
  for (const route of ledger.routes) {
    for (let left = chance.below(4); left > 0; left -= 1)
      ledger.explanationRuns.push({
        explanation_run_id: `r-${chance.below(10)}-${ledger.explanationRuns.length}`,
        explanation_route_id: route.explanation_route_id,
        status: chance.of(STATUSES),
        started_at: `2026-11-19T0${chance.below(3)}:00:00Z`,
        explanation_as_of: `2026-11-19T1${chance.below(3)}:00:00Z`,
      });
  }
  const publishedRoutes = new Set<number>();
  for (const run of ledger.explanationRuns) {
    for (const generation of ['results', 'analyses'] as const) {
      if (chance.maybe(generation === 'results' ? 0.4 : 0.75)) continue;
      const mayPublish = generation === 'analyses' || !publishedRoutes.has(run.explanation_route_id);
      const wanted = chance.of(['PUBLISHED', 'PUBLISHED', 'WITHDRAWN', 'DRAFT'] as const);
      const publication_status =
        (wanted === 'PUBLISHED' && !mayPublish) || (wanted === 'DRAFT' && generation === 'analyses')
          ? 'WITHDRAWN'
          : wanted;
      if (publication_status === 'PUBLISHED' && generation === 'results') publishedRoutes.add(run.explanation_route_id);
      ledger[generation].push({
        id: `${generation}-${ledger[generation].length}`,
        explanation_run_id: run.explanation_run_id,
        explanation_route_id: run.explanation_route_id,
        trade_date: day(),
        publication_status,
      });
    }
  }
}

/** Every shape that the database takes, an invalidation without its original and a draft that was delivered included. */
function addDeliveries(ledger: Ledger, chance: Chance): void {
  ledger.tenants = chance.times(3, (index) => ({
    tenant_id: index + 1,
    removed_at: chance.maybe(0.25) ? '2026-11-19T00:00:00Z' : null,
  }));
  const none = {
    explanation_result_id: null,
    movement_analysis_id: null,
    target_explanation_result_id: null,
    target_movement_analysis_id: null,
  };
  for (const { tenant_id } of ledger.tenants) {
    let cursor = 0;
    for (const generation of ['results', 'analyses'] as const) {
      const column = generation === 'results' ? 'explanation_result_id' : 'movement_analysis_id';
      for (const { id, publication_status } of ledger[generation]) {
        if (chance.maybe(publication_status === 'DRAFT' ? 0.1 : 0.75)) {
          cursor += 1;
          ledger.deliveries.push({ ...none, tenant_id, cursor, delivery_type: 'NEW', [column]: id });
        }
        if (chance.maybe(publication_status === 'WITHDRAWN' ? 0.7 : 0.05)) {
          cursor += 1;
          ledger.deliveries.push({
            ...none,
            tenant_id,
            cursor,
            delivery_type: 'INVALIDATION',
            [`target_${column}`]: id,
          });
        }
      }
    }
  }
}
