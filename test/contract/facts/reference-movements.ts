/** The reference of the outcome of firings: `chain`, `etfLedger` and the trends. */
import type { Ledger, MinuteTriggerRow, ResultRow, RouteRow, TriggerRow } from './ledger.ts';
import { compare, instant, lastBy, runDay } from './reference-base.ts';

const routesOf = (ledger: Ledger, observation: string): RouteRow[] =>
  ledger.routes.filter((route) => route.price_observation_id === observation);

const explanationRunsOf = (ledger: Ledger, route: RouteRow): Ledger['explanationRuns'] =>
  ledger.explanationRuns.filter((run) => run.explanation_route_id === route.explanation_route_id);

const resultsOf = (ledger: Ledger, run: { explanation_run_id: string }): ResultRow[] =>
  [...ledger.results, ...ledger.analyses].filter((result) => result.explanation_run_id === run.explanation_run_id);

/** The observations that these triggers fed. */
function fed(
  ledger: Ledger,
  column: 'price_movement_trigger_id' | 'minute_price_trigger_id',
  triggers: readonly TriggerRow[],
): string[] {
  const ids = new Set(triggers.map(({ trigger_id }) => trigger_id));
  return [
    ...new Set(
      ledger.feedings
        .filter((row) => ids.has(row[column] ?? ''))
        .map(({ price_observation_id }) => price_observation_id),
    ),
  ];
}

export function chainOf(ledger: Ledger, day: string): unknown {
  const batch = ledger.batchTriggers.filter(({ trade_date }) => trade_date === day);
  const fires = firesOf(ledger, day);
  const cohorts = {
    batch: fed(ledger, 'price_movement_trigger_id', batch),
    intraday: fed(ledger, 'minute_price_trigger_id', fires),
  };
  const runs = (id: string): Ledger['explanationRuns'] =>
    routesOf(ledger, id).flatMap((route) => explanationRunsOf(ledger, route));
  const results = (id: string): ResultRow[] => runs(id).flatMap((run) => resultsOf(ledger, run));
  const stage = (id: string, label: string, src: string, reached: (observation: string) => boolean) => ({
    id,
    label,
    batch: cohorts.batch.filter(reached).length,
    intraday: cohorts.intraday.filter(reached).length,
    src,
  });
  return {
    feeds: [
      { id: 'feed.batch', label: 'batch trigger', v: batch.length, unit: 'triggers', src: 'price_movement_trigger' },
      {
        id: 'feed.intraday',
        label: 'intraday trigger',
        v: fires.length,
        unit: 'triggers',
        src: 'minute_price_trigger',
      },
    ],
    stages: [
      stage('c.obs', 'observation', 'price_observation', () => true),
      stage('c.route', 'route', 'explanation_route', (id) => routesOf(ledger, id).length > 0),
      stage('c.run', 'run', 'explanation_run', (id) => runs(id).length > 0),
      stage('c.res', 'result', 'explanation_result', (id) => results(id).length > 0),
      stage('c.pub', 'published', 'explanation_result', (id) =>
        results(id).some(({ publication_status }) => publication_status === 'PUBLISHED'),
      ),
    ],
  };
}

const firesOf = (ledger: Ledger, day: string): MinuteTriggerRow[] =>
  ledger.minuteTriggers.filter(({ trade_date, signal }) => trade_date === day && signal === 'FIRE');

const lastRun = (runs: Ledger['explanationRuns']): Ledger['explanationRuns'][number] | undefined =>
  lastBy(
    runs,
    (run) => instant(run.explanation_as_of) ?? '',
    (run) => instant(run.started_at) ?? '',
    (run) => run.explanation_run_id,
  );

export function etfsOf(ledger: Ledger, day: string): unknown {
  return ledger.instruments
    .toSorted((a, b) => compare(a.ticker, b.ticker) || compare(a.instrument_id, b.instrument_id))
    .flatMap((instrument) => {
      const batch = ledger.batchTriggers.filter(({ trade_date }) => trade_date === day);
      const fired = [
        ...batch.map((trigger) => ({ trigger, column: 'price_movement_trigger_id' as const })),
        ...firesOf(ledger, day).map((trigger) => ({ trigger, column: 'minute_price_trigger_id' as const })),
      ].filter(({ trigger }) => trigger.instrument_id === instrument.instrument_id);
      const latest = lastBy(
        fired,
        ({ trigger }) => instant(trigger.fired_at) ?? '',
        ({ column }) => (column === 'minute_price_trigger_id' ? '1' : '0'),
        ({ trigger }) => trigger.trigger_id,
      );
      if (latest === undefined) return [];
      const routes = ledger.routes.filter((route) => route[latest.column] === latest.trigger.trigger_id);
      const entity = ledger.entities.find(({ entity_id }) => entity_id === instrument.entity_id);
      return [
        {
          etf: instrument.ticker,
          name: entity?.entity_name === '' ? instrument.ticker : entity?.entity_name,
          triggered: true,
          outcome: lastRun(routes.flatMap((route) => explanationRunsOf(ledger, route)))?.status ?? null,
          error: null,
        },
      ];
    });
}

export function referenceEntityResolution(ledger: Ledger, last: string): unknown {
  const measured = ledger.attempts.flatMap((attempt) => {
    const task = ledger.tasks.find(({ expected_task_id }) => expected_task_id === attempt.expected_task_id);
    const run = ledger.runs.find(({ pipeline_run_id }) => pipeline_run_id === task?.pipeline_run_id);
    if (task === undefined || run === undefined) return [];
    const whole =
      task.task_key.startsWith('assertions-load') &&
      task.plan_status === 'DUE' &&
      attempt.status === 'SUCCEEDED' &&
      !attempt.duplicate_retry &&
      attempt.started_at !== null &&
      attempt.ended_at !== null &&
      attempt.numerator !== null &&
      attempt.denominator !== null;
    return whole && runDay(run) <= last ? [{ attempt, run, day: runDay(run) }] : [];
  });
  const days = [...new Set(measured.map(({ day }) => day))].toSorted().slice(-10);
  return {
    points: days.map((date) => {
      const best = lastBy(
        measured.filter(({ day }) => day === date),
        ({ run }) => instant(run.created_at) ?? '',
        ({ run }) => String(run.pipeline_run_id).padStart(12, '0'),
        ({ attempt }) => instant(attempt.started_at) ?? '',
        ({ attempt }) => String(attempt.task_attempt_id).padStart(12, '0'),
      );
      const total = best?.attempt.denominator ?? 0;
      const resolved = best?.attempt.numerator ?? 0;
      return { date, totalArguments: total, resolvedArguments: resolved, rate: total === 0 ? null : resolved / total };
    }),
  };
}

export function referenceIntraday(ledger: Ledger, now: string, last: string, days: number): unknown {
  const points = [];
  for (let back = days - 1; back >= 0; back -= 1) {
    const date = new Date(Date.parse(`${last}T00:00:00Z`) - back * 86_400_000).toISOString().slice(0, 10);
    const observations = fed(ledger, 'minute_price_trigger_id', firesOf(ledger, date));
    const lastOfRoutes = (id: string): string[] =>
      routesOf(ledger, id).flatMap((route) => lastRun(explanationRunsOf(ledger, route))?.status ?? []);
    const results = (id: string): ResultRow[] =>
      routesOf(ledger, id).flatMap((route) =>
        explanationRunsOf(ledger, route).flatMap((run) => resultsOf(ledger, run)),
      );
    const count = (holds: (id: string) => boolean): number => observations.filter(holds).length;
    points.push({
      date,
      triggers: firesOf(ledger, date).length,
      observations: observations.length,
      runs: count((id) => lastOfRoutes(id).length > 0),
      activeRuns: count((id) => lastOfRoutes(id).some((status) => status === 'PENDING' || status === 'RUNNING')),
      failedRuns: count((id) => lastOfRoutes(id).includes('FAILED')),
      results: count((id) => results(id).length > 0),
      published: count((id) => results(id).some(({ publication_status }) => publication_status === 'PUBLISHED')),
    });
  }
  return { asOf: instant(now), points };
}
