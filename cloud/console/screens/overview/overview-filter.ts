/** The filter of the overview, kept in the address. */
import {
  STATES_BY_URGENCY,
  type LaneOverview,
  type OperationalState,
  type RunOverview,
} from '../../../../shared/wire/operator/operator.ts';
import { readDay, readWord } from '../../navigation/address.ts';
import { quietOn, silenceOn, type Quiet, type Silence } from '../../rules/reading/silence.ts';

/** The state of a lane for the filter. SILENT: by its own rhythm it should have run (D215). IDLE: nothing to judge (D68). */
export type LaneStatus = OperationalState | 'SILENT' | 'IDLE';
/** Lanes that need attention come first. */
export const LANE_STATUSES = ['SILENT', ...STATES_BY_URGENCY, 'IDLE'] as const satisfies LaneStatus[];

/** A lane as this console judges it. */
export interface JudgedLane extends LaneOverview {
  judged: LaneStatus;
  silence: Silence | null;
  /** Why its rhythm says nothing of the day; null: it does, or the day has runs. */
  quiet: Quiet | null;
}

const HOUR_MS = 3_600_000;

type Counted = Pick<JudgedLane, 'judged'>;

export function judgeLanes({ lanes, rhythm, date, asOf }: RunOverview): JudgedLane[] {
  return lanes.map((lane) => {
    const heard = rhythm.lanes.find(({ id }) => id === lane.lane);
    const silence = heard === undefined ? null : silenceOn(heard, date, asOf);
    const hasRun = lane.day.runCount > 0 || lane.day.course === 'SKIPPED';
    const quiet = heard === undefined || hasRun ? null : exactly(quietOn(heard, date, asOf), lane);
    return { ...lane, silence, quiet, judged: worstOf([lane.standing ?? 'IDLE', ...rhythmStatus(silence, quiet)]) };
  });
}

/** The hours of a past day know the hour of its last run; the listed runs know the minute. */
function exactly(quiet: Quiet | null, { recentRuns }: LaneOverview): Quiet | null {
  if (quiet === null || quiet.since === null) return quiet;
  const from = Date.parse(quiet.since);
  const begun = recentRuns
    .map(({ createdAt }) => createdAt)
    .filter((at) => Date.parse(at) >= from && Date.parse(at) < from + HOUR_MS);
  return { ...quiet, since: begun.toSorted().at(-1) ?? quiet.since };
}

const worstOf = (standings: readonly LaneStatus[]): LaneStatus =>
  standings.reduce((worst, one) => (LANE_STATUSES.indexOf(one) < LANE_STATUSES.indexOf(worst) ? one : worst), 'IDLE');

/** What the rhythm says: a silence that is over is a warning, and a lane of which nothing is known is unknown. */
function rhythmStatus(silence: Silence | null, quiet: Quiet | null): LaneStatus[] {
  if (silence !== null) return [silence.until === null ? 'SILENT' : 'DEGRADED'];
  return quiet?.isUnknown === true ? ['UNKNOWN'] : [];
}

export interface OverviewFilter {
  /** The last day in view; null for today. */
  date: string | null;
  state: LaneStatus | null;
  /** The selected run, or slot without one, in the pane; null for the worst of the lane's day. */
  run: string | null;
}

export function readOverviewFilter(params: URLSearchParams): OverviewFilter {
  return {
    date: readDay(params.get('date')),
    state: readWord(params.get('state'), LANE_STATUSES),
    run: params.get('run'),
  };
}

/** The number of lanes in each standing, zeros included. */
export function countStatuses(lanes: readonly Counted[]): Record<LaneStatus, number> {
  const counts = Object.fromEntries(LANE_STATUSES.map((standing) => [standing, 0])) as Record<LaneStatus, number>;
  for (const lane of lanes) counts[lane.judged] += 1;
  return counts;
}

/** Lanes that need attention first; equal ones keep their order. */
export function byUrgency<Lane extends Counted>(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((a, b) => LANE_STATUSES.indexOf(a.judged) - LANE_STATUSES.indexOf(b.judged));
}
