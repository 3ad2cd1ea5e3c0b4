/** Run Overview: per lane of the ledger the state of its latest run, outcomes, defects and ways to look closer. */
import type { LaneLink, LaneOverview, PipelineRun, RunOverview } from '../../shared/wire/operator/operator.ts';
import { daysFrom } from './days.ts';
import { openGaps, toPlanningGap, type Gap } from './gaps.ts';
import { judgeRun, runDefect, type Judged } from './judge.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { toRun } from './run-view.ts';
import { latestRuns, tasksOf, type RunRow } from './runs.ts';
import type { Snapshot } from './snapshot.ts';

/** Runs of the strip. */
const RECENT_RUNS = 12;
/** Of so many days planning gaps are told of here, the viewed one included; the run history shows older ones. */
const GAP_DAYS = 7;

/** @param date the last day that is looked at; what is judged by the time is judged by the present one, whatever the day */
export async function readOverview({ trx, asOf, today }: Snapshot, date: string): Promise<RunOverview> {
  const runs = await latestRuns(trx, date, RECENT_RUNS);
  const tasks = await tasksOf(trx, runs);
  const [since = date] = daysFrom(date, GAP_DAYS);
  const gaps = await openGaps(trx, since, date);
  const runsByLane = Map.groupBy(runs, ({ lane }) => lane);
  const gapsByLane = Map.groupBy(gaps, ({ lane }) => lane);
  const lanes = new Set([...runsByLane.keys(), ...[...gapsByLane.keys()].filter((lane) => lane !== null)]);
  return {
    asOf: asOf.toISOString(),
    today,
    date,
    lanes: [...lanes].toSorted(byCodePoint).map((lane) => {
      const judged = (runsByLane.get(lane) ?? []).map((run) => ({
        run,
        verdict: judgeRun(run, tasks.get(run.id) ?? [], asOf),
      }));
      return laneOverview(lane, judged, gapsByLane.get(lane) ?? []);
    }),
    unreadableGaps: (gapsByLane.get(null) ?? []).map(toPlanningGap),
  };
}

function laneOverview(lane: string, judged: { run: RunRow; verdict: Judged }[], gaps: Gap[]): LaneOverview {
  const [latest] = judged;
  const shown = gaps.filter(({ date }) => latest === undefined || date >= latest.run.run_date);
  const later = gaps.some(({ plannedFor }) => latest === undefined || plannedFor > latest.run.created_at);
  const recentRuns = judged.map(({ run, verdict }) => toRun(run, verdict));
  const latestRun = recentRuns[0] ?? null;
  return {
    lane,
    state: latest === undefined || later ? 'UNKNOWN' : latest.verdict.state,
    latestRun,
    defects: [
      ...shown.map(({ slotKey }) => runDefect(slotKey, 'PLANNING_GAP', null)),
      ...(latest?.verdict.defects ?? []),
    ],
    recentRuns: recentRuns.toReversed(),
    links: linksOf(lane, latestRun),
  };
}

const HISTORY = '/api/v1/sources/grid';

/** What some lanes have beside their runs. A lane that is not named here has its runs and history all the same. */
const VIEWS: Record<string, (run: PipelineRun | null) => LaneLink> = {
  market: () => ({ rel: 'HOLDINGS_IMPACT', href: '/api/v1/sources/impact/holdings' }),
  news: (run) => ({ rel: 'NEWS_LINEAGE', href: dated('/api/v1/sources/lineage/news', run) }),
  intraday_flow: (run) => ({ rel: 'MINUTE', href: dated('/api/v1/sources/minute', run) }),
  source_observation: () => ({ rel: 'SOURCES', href: '/api/v1/sources/report' }),
};

function dated(path: string, run: PipelineRun | null): string {
  return run === null ? path : `${path}?date=${run.date}`;
}

function linksOf(lane: string, run: PipelineRun | null): LaneLink[] {
  const view = Object.hasOwn(VIEWS, lane) ? VIEWS[lane] : undefined;
  return [
    ...(run === null ? [] : [{ rel: 'RUN' as const, href: `${HISTORY}?runKey=${encodeURIComponent(run.runKey)}` }]),
    { rel: 'HISTORY', href: `${HISTORY}?lane=${encodeURIComponent(lane)}` },
    ...(view === undefined ? [] : [view(run)]),
  ];
}
