/**
 * The facts of a ledger, computed row by row in plain code from operator API 2 alone: slow, and without any code of the
 * server. A difference between both is a defect of one of them.
 */
import type { Ledger, RunRow, TaskRow } from './ledger.ts';
import { compare, dayOf, instant, runDay } from './reference-base.ts';
import { chainOf, etfsOf } from './reference-movements.ts';
import { rhythmOf, slotsOf } from './reference-rhythm.ts';

/** Unicode's white space by its code points, and the byte order mark. */
const WHITE = new Set([
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
]);

interface Gap {
  key: string;
  lane: string | null;
  date: string | null;
  day: string;
}

function slotOf(key: string): { key: string; lane: string | null; date: string | null } {
  const [lane = '', date = '', ...rest] = key.split('/');
  const time = Date.parse(`${date}T00:00:00Z`);
  const readable =
    !/\s/.test(key) &&
    lane !== '' &&
    /^\d\d\d\d-\d\d-\d\d$/.test(date) &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(date) &&
    rest.join('/') !== '';
  return { key, lane: readable ? lane : null, date: readable ? date : null };
}

function gapsOf(ledger: Ledger): Gap[] {
  const gaps: Gap[] = [];
  for (const slot of ledger.slots) {
    const open = ledger.issues.filter(
      (issue) =>
        issue.planner_slot_id === slot.planner_slot_id &&
        issue.issue_type === 'PLANNER_MISSING' &&
        issue.resolved_at === null,
    );
    if (open.length === 0 || ledger.runs.some((run) => run.run_key === slot.slot_key)) continue;
    const { lane, date } = slotOf(slot.slot_key);
    const opened = open.map((issue) => new Date(issue.opened_at).toISOString()).toSorted()[0] ?? '';
    gaps.push({
      key: slot.slot_key,
      lane,
      date,
      day: date ?? dayOf(opened),
    });
  }
  return gaps;
}

/** @param outside whether control plane and queues are read, from their tables */
export function referenceFacts(ledger: Ledger, now: string, asked: string | null, outside: boolean): unknown {
  const today = dayOf(now);
  const gaps = gapsOf(ledger);
  const busyDays = [...ledger.runs.map(runDay), ...gaps.map((gap) => gap.day)].filter((day) => day <= today).toSorted();
  const day = asked ?? busyDays.at(-1) ?? today;
  const runs = ledger.runs.filter((run) => runDay(run) === day);
  return {
    runs: [
      ...runs.map((run) => ({
        id: run.run_key,
        lane: run.lane,
        tradingDate: run.trading_date,
        ledgerStatus: run.status,
        ledgerUpdated: instant(run.updated_at),
        deadline: instant(run.deadline),
        ...(outside ? cloudOf(ledger, run.execution_id || run.expected_execution_id) : {}),
      })),
      ...gaps
        .filter((gap) => gap.day === day)
        .map((gap) => ({
          id: gap.key,
          lane: gap.lane,
          tradingDate: gap.date,
          ledgerStatus: null,
          ledgerUpdated: null,
          deadline: null,
          ...(outside ? { cloudStatus: null, cloudStop: null } : {}),
          planned: true,
          noRunRow: true,
        })),
    ].toSorted((a, b) => compare(a.id, b.id)),
    meta: { db: instant(now), today: day, ...(outside ? { cloud: instant(now) } : {}) },
    tasks: tasksOf(ledger, runs),
    datasets: datasetsOf(ledger, runs),
    outputs: outputsOf(ledger, gaps, day, today),
    boundary: boundaryOf(ledger),
    chain: chainOf(ledger, day),
    etfLedger: { rows: etfsOf(ledger, day) },
    slots: slotsOf(ledger, slotOf, day, now),
    rhythm: rhythmOf(ledger, day, now),
    ...(outside ? { queues: queuesOf(ledger) } : {}),
  };
}

function cloudOf(ledger: Ledger, id: string | null): { cloudStatus: string | null; cloudStop: string | null } {
  const execution = ledger.executions.find((one) => one.execution_id === id);
  const stopped = execution?.status === 'RUNNING' ? null : (execution?.stopped_at ?? null);
  return { cloudStatus: execution?.status ?? null, cloudStop: instant(stopped) };
}

function queuesOf(ledger: Ledger): unknown {
  return ledger.queues
    .map((queue) => {
      const dead = ['dead_visible', 'dead_in_flight', 'dead_delayed'].map((name) => Number(queue[name] ?? 0));
      const dlq = dead.reduce((sum, count) => sum + count, 0);
      return { name: queue.queue_name, visible: queue.visible, inFlight: queue.in_flight, delayed: queue.delayed, dlq };
    })
    .filter(({ visible, inFlight, delayed, dlq }) => [visible, inFlight, delayed, dlq].some((count) => count > 0))
    .map(({ name, visible, inFlight, dlq }) => ({ name, visible, inFlight, dlq }))
    .toSorted((a, b) => compare(a.name, b.name));
}

function runOf(runs: readonly RunRow[], task: TaskRow): RunRow | undefined {
  return runs.find((run) => run.pipeline_run_id === task.pipeline_run_id);
}

function tasksOf(ledger: Ledger, runs: readonly RunRow[]): unknown {
  const stages = ['raw', 'normalize'];
  const stage = (task: TaskRow): number => (stages.includes(task.stage) ? stages.indexOf(task.stage) : 2);
  return ledger.tasks
    .flatMap((task) => {
      const run = runOf(runs, task);
      return run === undefined ? [] : [{ task, run }];
    })
    .toSorted(
      (a, b) =>
        stage(a.task) - stage(b.task) ||
        compare(a.run.run_key, b.run.run_key) ||
        Number(a.task.dataset === null) - Number(b.task.dataset === null) ||
        compare(a.task.dataset ?? '', b.task.dataset ?? '') ||
        a.task.expected_task_id - b.task.expected_task_id,
    )
    .map(({ task, run }) => ({
      runId: run.run_key,
      dataset: task.dataset,
      attempts: ledger.attempts.filter(
        (attempt) => attempt.expected_task_id === task.expected_task_id && !attempt.duplicate_retry,
      ).length,
      recordsOut: task.records_out,
      unsupportedRecords: task.unsupported_records,
      failedRecords: task.failed_records,
      completenessExpected: task.completeness_expected,
      completenessActual: task.completeness_actual,
    }));
}

function datasetsOf(ledger: Ledger, runs: readonly RunRow[]): unknown {
  const tasks = ledger.tasks.filter((task) => runOf(runs, task) !== undefined);
  const ids = new Set(tasks.flatMap(({ dataset }) => (dataset === null || dataset === '' ? [] : [dataset])));
  const keyOf = (task: TaskRow): string => runOf(runs, task)?.run_key ?? '';
  const navDates = ledger.navs
    .filter((nav) => tasks.some((task) => task.expected_task_id === nav.expected_task_id && task.dataset === 'etf_nav'))
    .flatMap((nav) => (nav.response_trading_date === null ? [] : [nav.response_trading_date]))
    .toSorted();
  return [...ids].toSorted(compare).map((id) => {
    const own = tasks.filter((task) => task.dataset === id);
    const contract = own.some((task) => task.contract_key !== null);
    const folded = own
      .filter((task) => task.contract_key !== null && task.plan_status === 'DUE')
      .toSorted((a, b) => compare(keyOf(a), keyOf(b)) || a.expected_task_id - b.expected_task_id);
    if (folded.length === 0) {
      return {
        id,
        contract,
        expectedAsOf: null,
        actualAsOf: null,
        collectedAt: null,
        unverifiable: contract ? 'NOT_APPLICABLE' : 'CONTRACT_NOT_APPLIED',
      };
    }
    const actualOf = (task: TaskRow): string | null =>
      id === 'etf_nav' ? (navDates.at(-1) ?? null) : task.actual_as_of;
    let reference: TaskRow | null = null;
    for (const task of folded) {
      const actual = actualOf(task);
      if (actual === null) continue;
      const best: string | null = reference === null ? null : actualOf(reference);
      const older = best === null || actual < best;
      const laterExpected =
        actual === best &&
        task.expected_as_of !== null &&
        (reference?.expected_as_of ?? null) !== task.expected_as_of &&
        task.expected_as_of > (reference?.expected_as_of ?? '');
      if (older || laterExpected) reference = task;
    }
    const expected = folded.flatMap((task) => (task.expected_as_of === null ? [] : [task.expected_as_of])).toSorted();
    const actualAsOf = reference === null ? null : actualOf(reference);
    const unknown =
      reference?.freshness_status === 'UNKNOWN'
        ? reference
        : folded.find((task) => task !== reference && task.freshness_status === 'UNKNOWN');
    const reason = unknown?.freshness_reason ?? '';
    const collected = folded.flatMap((task) => instant(task.collected_at) ?? []).toSorted();
    return {
      id,
      contract,
      expectedAsOf: reference === null ? (expected.at(-1) ?? null) : reference.expected_as_of,
      actualAsOf,
      collectedAt: collected.at(-1) ?? null,
      unverifiable:
        unknown !== undefined
          ? [...reason].every((one) => WHITE.has(one.codePointAt(0) ?? 0))
            ? 'FRESHNESS_REASON_MISSING'
            : reason
          : actualAsOf === null
            ? 'ACTUAL_AS_OF_MISSING'
            : null,
    };
  });
}

function outputsOf(ledger: Ledger, gaps: readonly Gap[], day: string, today: string): unknown {
  const isNonTrading = (one: string): boolean =>
    [0, 6].includes(new Date(`${one}T00:00:00Z`).getUTCDay()) ||
    ledger.runs.some((run) => runDay(run) === one && run.skip_reason === 'NON_TRADING_DAY');
  const union = new Set([...ledger.runs.map(runDay), ...gaps.map((gap) => gap.day)]);
  const sample = [...union]
    .filter((one) => one < day)
    .filter((one) => !isNonTrading(one))
    .toSorted()
    .slice(-10);
  const published = (one: string): number =>
    [...ledger.results, ...ledger.analyses].filter(
      (result) => result.trade_date === one && result.publication_status === 'PUBLISHED',
    ).length;
  const onDay = (rows: readonly { available_at: string }[]) => (one: string) =>
    rows.filter((row) => dayOf(row.available_at) === one).length;
  const output = (id: string, label: string, unit: string, marketBound: boolean, count: (one: string) => number) => ({
    id,
    label,
    today: count(day),
    base: day === today || (marketBound && isNonTrading(day)) ? null : medianOf(sample.map(count)),
    unit,
  });
  const news = ledger.documents.filter(({ document_type }) => document_type === 'NEWS');
  return [
    output('o.pub', 'explanation results', 'results', true, published),
    output(
      'o.trig',
      'batch price-movement triggers',
      'triggers',
      true,
      (one) => ledger.batchTriggers.filter((trigger) => trigger.trade_date === one).length,
    ),
    output('o.doc', 'documents', 'documents', false, onDay(news)),
    output('o.asr', 'document assertions', 'assertions', false, onDay(ledger.assertions)),
    output('o.evt', 'source events', 'events', false, onDay(ledger.events)),
  ];
}

function medianOf(values: number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle)
    ? ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
    : (sorted[Math.floor(middle)] ?? 0);
}

function boundaryOf(ledger: Ledger): unknown {
  const removed = (id: number): boolean =>
    ledger.tenants.some((tenant) => tenant.tenant_id === id && tenant.removed_at !== null);
  const all = [
    ...ledger.results.map((result) => ({ result, column: 'explanation_result_id' })),
    ...ledger.analyses.map((result) => ({ result, column: 'movement_analysis_id' })),
  ];
  let without = 0;
  let nonpublished = 0;
  for (const { result, column } of all) {
    const delivered = ledger.deliveries.filter((row) => row[column] === result.id);
    if (result.publication_status === 'PUBLISHED') {
      if (delivered.length === 0) without += 1;
      continue;
    }
    for (const { tenant_id } of delivered) {
      const told = ledger.deliveries.some(
        (row) => row.tenant_id === tenant_id && row[`target_${column}`] === result.id,
      );
      if (!told && !removed(tenant_id)) nonpublished += 1;
    }
  }
  return {
    publishedWithoutDelivery: ledger.tenants.some(({ removed_at }) => removed_at === null) ? without : 0,
    deliveryNowNonpublished: nonpublished,
    deliveryRows: ledger.deliveries.length,
  };
}
