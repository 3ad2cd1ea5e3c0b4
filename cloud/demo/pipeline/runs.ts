/** Runs, tasks and attempts of a day, its faults, its planning gap and its collections from the sources. */
import { addDays, daysBetween } from '../generation/calendar.ts';
import type { Random } from '../generation/random.ts';
import { between, later, MONDAY, pick, type Day } from './day.ts';
import { GAP_LANES, LANES, type LaneSpec, type TaskSpec } from './lanes.ts';
import type { LedgerRow } from './rows.ts';

/** The fault of one task of one run. */
type Trouble = 'RETRIED' | 'FAILED_RECORDS' | 'INCOMPLETE' | 'STALE' | 'FRESHNESS_UNKNOWN' | 'FAILED' | 'HANGS';
/** The kind of a pipeline's day. A good one has no fault and no missed slot. */
type Kind = 'GOOD' | 'ORDINARY' | 'BAD';
const TROUBLES: Record<Kind, { chance: number; kinds: readonly Trouble[] }> = {
  GOOD: { chance: 0, kinds: ['RETRIED'] },
  ORDINARY: {
    chance: 0.5,
    kinds: [
      'RETRIED',
      'RETRIED',
      'FAILED_RECORDS',
      'FAILED_RECORDS',
      'INCOMPLETE',
      'INCOMPLETE',
      'STALE',
      'FRESHNESS_UNKNOWN',
      'FAILED',
    ],
  },
  BAD: { chance: 0.95, kinds: ['FAILED', 'FAILED', 'HANGS', 'INCOMPLETE', 'FAILED_RECORDS', 'STALE'] },
};
/** Of the days that are not bad. */
const GOOD_DAYS = 0.25;
/** An unresolved gap stays open until the next morning, and with this probability for good. */
const FORGOTTEN_GAP = 0.1;
/** The delay after its slot with which the reconciliation finds a run missing. */
const GAP_SEEN_MINUTES = 20;

const ERRORS: readonly [code: string, message: string][] = [
  ['HTTP_503', '공급 기관 서버가 점검 중이라는 응답을 보냈습니다.'],
  ['TIMEOUT', '30초 안에 응답이 오지 않았습니다.'],
  ['SCHEMA_MISMATCH', '응답에 약속된 항목이 없습니다.'],
];

/** A run's course through its tasks. */
interface Course {
  lane: LaneSpec;
  slot: string;
  random: Random;
  /** Key and fault of the failing task. */
  trouble: { task: string; kind: Trouble } | null;
}

export function generateRuns(day: Day): void {
  const kind = kindOf(day);
  const gap = kind === 'GOOD' ? null : gapOf(day);
  for (const lane of LANES) {
    const trouble = troubleOf(day, lane, kind);
    for (const slot of lane.slots) {
      const key = `${lane.lane}/${day.date}/${slot}`;
      const begins = day.at(slot);
      const planner_slot_id = day.id('planner_slot');
      day.add('planner_slot', day.at('0005'), { planner_slot_id, slot_key: key, planned_for: begins.toISOString() });
      if (gap?.lane === lane.lane && gap.slot === slot) generateGap(day, planner_slot_id, begins);
      else if (lane.tradingOnly && !day.trading) generateSkipped(day, lane, key, begins);
      else
        generateRun(day, key, {
          lane,
          slot,
          random: day.random(key),
          trouble: trouble?.slot === slot ? trouble : null,
        });
    }
  }
}

/**
 * One day of each week is bad, a trading day unless a holiday falls on it: explanations of that day hang on its failures.
 * Another is calm for certain.
 */
function kindOf(day: Day): Kind {
  const sinceMonday = daysBetween(MONDAY, day.date) % 7;
  const bad = between(day.randomOfWeek('bad day'), 0, 4);
  if (sinceMonday === bad) return 'BAD';
  if (sinceMonday === (bad + between(day.randomOfWeek('calm day'), 1, 6)) % 7) return 'GOOD';
  return day.random('kind').next() < GOOD_DAYS ? 'GOOD' : 'ORDINARY';
}

function gapOf(day: Day): { lane: string; slot: string } {
  const random = day.random('gap');
  const lane = pick(random, GAP_LANES);
  const slots = LANES.find((spec) => spec.lane === lane)?.slots ?? [];
  // Not the last slot: a lane continues after its gap.
  return { lane, slot: pick(random, slots.slice(1, -1)) };
}

function troubleOf(day: Day, lane: LaneSpec, dayKind: Kind): { slot: string; task: string; kind: Trouble } | null {
  const random = day.random(`trouble ${lane.lane}`);
  const { chance, kinds } = TROUBLES[dayKind];
  const happens = random.next() < chance;
  const slot = pick(random, lane.slots);
  const kind = pick(random, kinds);
  const due = lane.tasks.filter((spec) => isDue(spec, slot));
  const contracted = due.filter(({ contract }) => contract !== null);
  const task = pick(random, kind === 'STALE' || kind === 'FRESHNESS_UNKNOWN' ? contracted : due).key;
  // The close of a trading day has a fault to show, except on good days.
  if (dayKind === 'ORDINARY' && lane.lane === 'market')
    return { slot: '1550', task: 'load-etf-daily', kind: 'FAILED_RECORDS' };
  return happens ? { slot, task, kind } : null;
}

const isDue = (spec: TaskSpec, slot: string): boolean => spec.slots?.includes(slot) ?? true;

function generateGap(day: Day, planner_slot_id: number, begins: Date): void {
  const random = day.random('gap course');
  const resolved = later(day.at('0900'), 24 * 60);
  const forgotten = random.next() < FORGOTTEN_GAP;
  const opened = later(begins, GAP_SEEN_MINUTES);
  day.add('reconciliation_issue', opened, {
    reconciliation_issue_id: day.id('reconciliation_issue'),
    planner_slot_id,
    issue_type: 'PLANNER_MISSING',
    opened_at: opened.toISOString(),
    resolved_at: forgotten ? null : day.told(resolved),
  });
}

function generateSkipped(day: Day, lane: LaneSpec, run_key: string, begins: Date): void {
  day.add('pipeline_run', begins, {
    ...runRow(day, lane, run_key, begins),
    status: 'SKIPPED',
    skip_reason: 'NON_TRADING_DAY',
    updated_at: begins.toISOString(),
  });
}

function runRow(day: Day, lane: LaneSpec, run_key: string, begins: Date): LedgerRow {
  const name = run_key.replaceAll('/', '-');
  return {
    pipeline_run_id: day.id('pipeline_run'),
    run_key,
    lane: lane.lane,
    trading_date: day.trading ? day.date : null,
    status: 'PENDING',
    skip_reason: null,
    deadline: later(begins, lane.deadlineMinutes).toISOString(),
    execution_id: `execution:${name}`,
    expected_execution_id: `execution:${name}`,
    created_at: begins.toISOString(),
    updated_at: begins.toISOString(),
  };
}

function generateRun(day: Day, run_key: string, { lane, slot, random, trouble }: Course): void {
  const begins = day.at(slot);
  const row = runRow(day, lane, run_key, begins);
  const tasks = lane.tasks.filter((spec) => isDue(spec, slot));
  const minutes = lane.minutes * (0.7 + 0.5 * random.next());
  let at = later(begins, 1);
  /** The run does nothing more from here on. */
  let halted: { at: Date; status: string } | null = null;
  for (const spec of lane.tasks) {
    const starts = at;
    const ends = later(starts, minutes / tasks.length);
    const own = trouble?.task === spec.key ? trouble.kind : null;
    const due = tasks.includes(spec);
    const done = due && halted === null ? generateTask(day, row, spec, { starts, ends, trouble: own, random }) : null;
    if (done === null)
      day.add('expected_task', begins, { ...taskRow(day, row, spec), plan_status: due ? 'DUE' : 'NOT_DUE' });
    if (own === 'HANGS') halted = { at: later(begins, lane.deadlineMinutes + 30), status: 'TIMED_OUT' };
    if (own === 'FAILED' && spec.required) halted = { at: ends, status: 'FAILED' };
    if (done !== null) at = done;
  }
  const end = halted ?? { at: later(at, 1), status: 'SUCCEEDED' };
  const running = later(begins, 1);
  const moved = day.reached(end.at)
    ? end
    : day.reached(running)
      ? { at: running, status: 'RUNNING' }
      : { at: begins, status: 'PENDING' };
  day.add('pipeline_run', begins, { ...row, status: moved.status, updated_at: moved.at.toISOString() });
}

function taskRow(day: Day, run: LedgerRow, spec: TaskSpec): LedgerRow {
  return {
    expected_task_id: day.id('expected_task'),
    pipeline_run_id: run['pipeline_run_id'] ?? null,
    task_key: spec.key,
    stage: spec.stage,
    dataset: spec.dataset,
    plan_status: 'DUE',
    required: spec.required,
    contract_key: spec.contract,
    expected_as_of: spec.contract === null ? null : day.date,
    actual_as_of: null,
    collected_at: null,
    freshness_status: null,
    freshness_reason: null,
    records_out: null,
    unsupported_records: null,
    failed_records: null,
    completeness_expected: null,
    completeness_actual: null,
  };
}

interface TaskCourse {
  starts: Date;
  ends: Date;
  trouble: Trouble | null;
  random: Random;
}

/** @returns the end of the task */
function generateTask(day: Day, run: LedgerRow, spec: TaskSpec, { starts, ends, trouble, random }: TaskCourse): Date {
  const row = taskRow(day, run, spec);
  const records = Math.round(spec.records * (0.95 + 0.1 * random.next()));
  const unsupported = between(random, 0, 3);
  const [code, message] = pick(random, ERRORS);
  const attempt = (from: Date, to: Date | null, status: string, more: LedgerRow = {}): void => {
    const over = to !== null && day.reached(to);
    day.add('task_attempt', from, {
      task_attempt_id: day.id('task_attempt'),
      expected_task_id: row['expected_task_id'] ?? null,
      status: over ? status : 'RUNNING',
      started_at: from.toISOString(),
      ended_at: over ? to.toISOString() : null,
      duplicate_retry: false,
      error_code: over && status === 'FAILED' ? code : null,
      error_message: over && status === 'FAILED' ? message : null,
      numerator: null,
      denominator: null,
      ...more,
    });
  };
  const denominator =
    spec.resolves === undefined ? null : between(random, Math.round(spec.resolves * 0.8), spec.resolves);
  const numerator = denominator === null ? null : Math.round(denominator * (0.86 + 0.1 * random.next()));
  const measured = day.reached(trouble === 'RETRIED' ? later(ends, 3) : ends) ? { numerator, denominator } : {};
  const begins = String(run['created_at']);
  generateCollection(day, spec, { starts, ends, failed: trouble === 'FAILED', records, error: [code, message] });
  if (trouble === 'HANGS') {
    attempt(starts, null, 'RUNNING');
    day.add('expected_task', new Date(begins), row);
    return ends;
  }
  if (trouble === 'FAILED') {
    attempt(starts, ends, 'FAILED');
    day.add('expected_task', new Date(begins), row);
    return ends;
  }
  const through = trouble === 'RETRIED' ? later(ends, 3) : ends;
  if (trouble === 'RETRIED') {
    attempt(starts, ends, 'FAILED');
    attempt(later(ends, 1), through, 'SUCCEEDED', measured);
    attempt(later(ends, 2), through, 'SUCCEEDED', { duplicate_retry: true });
  } else attempt(starts, through, 'SUCCEEDED', measured);
  day.add(
    'expected_task',
    new Date(begins),
    day.reached(through) ? { ...row, ...signals(day, spec, through, { records, unsupported, trouble }) } : row,
  );
  if (spec.key === 'raw-etf-nav')
    day.add('nav_collection', through, {
      nav_collection_id: day.id('nav_collection'),
      expected_task_id: row['expected_task_id'] ?? null,
      collected_at: through.toISOString(),
      response_trading_date: day.date,
    });
  return through;
}

/** The ledger's facts about a successful task. */
function signals(
  day: Day,
  spec: TaskSpec,
  through: Date,
  { records, unsupported, trouble }: { records: number; unsupported: number; trouble: Trouble | null },
): LedgerRow {
  const lost = trouble === 'INCOMPLETE' ? Math.ceil(records * 0.04) : 0;
  const failed = trouble === 'FAILED_RECORDS' ? Math.ceil(records * 0.003) : 0;
  const stale = trouble === 'STALE';
  const unknown = trouble === 'FRESHNESS_UNKNOWN';
  return {
    collected_at: through.toISOString(),
    // Only raw tasks report records that the load model cannot take, and only loads count refused ones.
    unsupported_records: spec.stage === 'raw' ? null : unsupported,
    failed_records: spec.stage === 'raw' ? (failed === 0 ? null : failed) : failed,
    records_out: records - lost - failed,
    completeness_expected: records + unsupported,
    completeness_actual: records - lost + (spec.stage === 'raw' ? unsupported : 0),
    ...(spec.contract === null
      ? {}
      : {
          actual_as_of: unknown ? null : stale ? addDays(day.date, -1) : day.date,
          freshness_status: unknown ? 'UNKNOWN' : stale ? 'STALE' : 'FRESH',
          freshness_reason: unknown ? 'EVIDENCE_NOT_RECORDED' : stale ? 'VENDOR_PUBLISHED_LATE' : null,
        }),
  };
}

/** The source that a raw task collects from. */
const SOURCES: Record<string, string> = {
  'raw-news': 'NEWS',
  'raw-disclosure': 'DISCLOSURE',
  'raw-minute-quote': 'QUOTE',
  'raw-investor-flow': 'FLOW',
  'raw-financials': 'FINANCIALS',
};
/** Longer than the pause over a night; the exchange's sources also rest over a weekend and its neighbours. */
const NEXT_DUE_MINUTES: Record<string, number> = {
  NEWS: 10 * 60,
  DISCLOSURE: 15 * 60,
  QUOTE: 5 * 24 * 60,
  FLOW: 5 * 24 * 60,
  FINANCIALS: 15 * 60,
};

function generateCollection(
  day: Day,
  spec: TaskSpec,
  course: { starts: Date; ends: Date; failed: boolean; records: number; error: [code: string, message: string] },
): void {
  const source = SOURCES[spec.key];
  if (source === undefined) return;
  const over = day.reached(course.ends);
  const failed = over && course.failed;
  day.add('source_collection', course.starts, {
    source_collection_id: day.id('source_collection'),
    source,
    status: !over ? 'RUNNING' : failed ? 'FAILED' : 'SUCCEEDED',
    collected_at: course.starts.toISOString(),
    processed_at: over && !failed ? course.ends.toISOString() : null,
    next_due_at: later(course.starts, NEXT_DUE_MINUTES[source] ?? 24 * 60).toISOString(),
    records: over && !failed ? course.records : null,
    error_code: failed ? course.error[0] : null,
    error_message: failed ? course.error[1] : null,
  });
}
