/** Run Overview: for each lane of the ledger the state of its latest run, outcomes, defects and links to details. */
import type { LaneLink, LaneOverview, PipelineRun, RunOverview } from '../../shared/wire/operator/operator.ts';
import { OTHER_DAYS_SHOWN } from '../../shared/wire/operator/constants.ts';
import { daysFrom } from './days.ts';
import { openGaps, toPlanningGap, type Gap } from './gaps.ts';
import { judgeRun, runDefect } from './judge.ts';
import { isTroubled, laneDay, viewOf, carriedState, type JudgedRun } from './lane-day.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { readRhythm } from './rhythm.ts';
import { recoveriesOf } from './recovery.ts';
import { lastCountedRuns, latestRuns, runsOfDays, runsOfEarlierDays, tasksOf, type RunRow } from './runs.ts';
import type { Snapshot } from './snapshot.ts';

/** Runs of the strip. */
const RECENT_RUNS = 12;
/** The number of days, the viewed one included, that are searched for planning gaps; the run history shows older ones. */
const LOOK_BACK_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** @param date the last day in view; judgements by time use the present time for any day */
export async function readOverview(snapshot: Snapshot, date: string): Promise<RunOverview> {
  const { trx, asOf, today } = snapshot;
  const recent = await latestRuns(trx, date, RECENT_RUNS);
  const ofDay = await runsOfDays(trx, date, date, null);
  const counted = await lastCountedRuns(trx, date);
  const earlier = date === today ? await runsOfEarlierDays(trx, date, new Date(asOf.getTime() - DAY_MS)) : [];
  const [since = date] = daysFrom(date, LOOK_BACK_DAYS);
  const gaps = await openGaps(trx, since, date, asOf);
  const judge = await judgeAll(trx, [...recent, ...ofDay, ...counted, ...earlier], asOf);
  const lanes = new Set([...recent, ...gaps].map(({ lane }) => lane).filter((lane) => lane !== null));
  return {
    asOf: asOf.toISOString(),
    today,
    date,
    lanes: [...lanes].toSorted(byCodePoint).map((lane) =>
      laneOverview(lane, date, {
        recent: judge(recent.filter((run) => run.lane === lane)),
        ofDay: judge(ofDay.filter((run) => run.lane === lane).toSorted(latestFirst)),
        lastCounted: judge(counted.filter((run) => run.lane === lane))[0] ?? null,
        gaps: gaps.filter((gap) => gap.lane === lane),
      }),
    ),
    unreadableGaps: gaps.filter(({ lane }) => lane === null).map(toPlanningGap),
    otherDays: needingALook(judge(earlier)),
    rhythm: await readRhythm(snapshot, date),
  };
}

function needingALook(judged: readonly JudgedRun[]): RunOverview['otherDays'] {
  const open = judged.filter((one) => isTroubled(one));
  return { total: open.length, runs: open.slice(0, OTHER_DAYS_SHOWN).map(viewOf) };
}

const latestFirst = (a: RunRow, b: RunRow): number => b.created_at.getTime() - a.created_at.getTime() || b.id - a.id;

async function judgeAll(
  trx: Snapshot['trx'],
  runs: readonly RunRow[],
  asOf: Date,
): Promise<(some: readonly RunRow[]) => JudgedRun[]> {
  const known = new Map(runs.map((run) => [run.id, run]));
  const tasks = await tasksOf(trx, [...known.values()]);
  const judged = [...known.values()].map((run) => ({ run, verdict: judgeRun(run, tasks.get(run.id) ?? [], asOf) }));
  const recoveries = await recoveriesOf(trx, judged);
  const byId = new Map(
    judged.map((one) => [one.run.id, { ...one, recovery: recoveries.get(one.run.id)?.run ?? null }]),
  );
  return (some) => some.flatMap(({ id }) => byId.get(id) ?? []);
}

interface LaneLook {
  /** The last runs, the latest first. */
  recent: JudgedRun[];
  ofDay: JudgedRun[];
  lastCounted: JudgedRun | null;
  gaps: Gap[];
}

function laneOverview(lane: string, date: string, { recent, ofDay, lastCounted, gaps }: LaneLook): LaneOverview {
  const [latest] = recent;
  const oldest = recent.at(-1);
  const shown = gaps.filter((gap) => latest === undefined || gap.date >= latest.run.run_date);
  const later = gaps.some(({ plannedFor }) => latest === undefined || plannedFor > latest.run.created_at);
  const recentRuns = recent.map(viewOf);
  const latestRun = recentRuns[0] ?? null;
  const day = laneDay(
    ofDay,
    gaps.filter((gap) => gap.date === date),
  );
  return {
    lane,
    state: latest === undefined || later ? 'UNKNOWN' : latest.verdict.state,
    latestRun,
    defects: [
      ...shown.map(({ slotKey }) => runDefect(slotKey, 'PLANNING_GAP', null)),
      ...(latest?.verdict.defects ?? []),
    ],
    recentRuns: recentRuns.toReversed(),
    recentGaps: gaps
      .filter(
        ({ plannedFor }) => oldest === undefined || recent.length < RECENT_RUNS || plannedFor >= oldest.run.created_at,
      )
      .toSorted((a, b) => a.plannedFor.getTime() - b.plannedFor.getTime())
      .map(toPlanningGap),
    day,
    standing: carriedState(day, lastCounted, gaps),
    lastCounted: lastCounted === null ? null : viewOf(lastCounted),
    links: linksOf(lane, latestRun),
  };
}

const HISTORY = '/api/v1/sources/grid';

/** The further links of some lanes beside their runs. An unlisted lane has its runs and history nevertheless. */
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
