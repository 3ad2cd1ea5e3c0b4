/** The worst of a lane's day, and the time since the last trouble. */
import { kstMidnight } from '../../shared/time/kst.ts';
import { needsAttention, STATES_BY_URGENCY } from '../../shared/wire/operator/constants.ts';
import type { LaneDay, OperationalState, RunOverview } from '../../shared/wire/operator/operator.ts';
import type { Gap } from './gaps.ts';
import { runDefect, type Judged } from './judge.ts';
import { toRun } from './run-view.ts';
import type { RunRow } from './runs.ts';

export interface JudgedRun {
  run: RunRow;
  verdict: Judged;
}

/** A planned slot without a run: its outcome is unknown. */
const GAP_STATE: OperationalState = 'UNKNOWN';
const urgency = (state: OperationalState): number => STATES_BY_URGENCY.indexOf(state);

/** Skipped for a reason: nothing was due, so there is nothing to judge (D68). */
const isSkipped = ({ run }: JudgedRun): boolean => run.status === 'SKIPPED' && run.skip_reason !== null;

/** @param judged the lane's runs of the day, the latest first */
export function laneDay(judged: readonly JudgedRun[], gaps: readonly Gap[]): LaneDay {
  const counted = judged.filter((one) => !isSkipped(one));
  const [worst] = counted.toSorted((a, b) => urgency(a.verdict.state) - urgency(b.verdict.state));
  const states = [...(worst === undefined ? [] : [worst.verdict.state]), ...(gaps.length === 0 ? [] : [GAP_STATE])];
  const [state = null] = states.toSorted((a, b) => urgency(a) - urgency(b));
  return {
    course: state !== null ? 'RAN' : judged.length > 0 ? 'SKIPPED' : 'EMPTY',
    state,
    run: worst === undefined ? null : toRun(worst.run, worst.verdict),
    defects: [
      ...gaps.map(({ slotKey }) => runDefect(slotKey, 'PLANNING_GAP', null)),
      ...(worst?.verdict.defects ?? []),
    ],
    runCount: counted.length,
    troubledCount: counted.filter(({ verdict }) => needsAttention(verdict.state)).length,
  };
}

/** The state of a lane: a day without a counted run keeps the state of an earlier day. */
export function standingOf(day: LaneDay, last: JudgedRun | null, gaps: readonly Gap[]): OperationalState | null {
  if (day.state !== null) return day.state;
  const states = [
    ...(last === null ? [] : [last.verdict.state]),
    ...(gaps.some(({ plannedFor }) => last === null || plannedFor > last.run.created_at) ? [GAP_STATE] : []),
  ];
  const [worst = null] = states.toSorted((a, b) => urgency(a) - urgency(b));
  return worst === 'READY' ? null : worst;
}

/** @param from the first day of these runs and gaps */
export function calmSince(judged: readonly JudgedRun[], gaps: readonly Gap[], from: string): RunOverview['calm'] {
  const troubles = [
    ...judged
      .filter((one) => !isSkipped(one) && needsAttention(one.verdict.state))
      .map(({ run }) => ({ at: run.updated_at, runKey: run.run_key })),
    ...gaps.map(({ plannedFor, slotKey }) => ({ at: plannedFor, runKey: slotKey })),
  ];
  const last = troubles.reduce<(typeof troubles)[number] | null>(
    (latest, one) => (latest === null || one.at > latest.at ? one : latest),
    null,
  );
  return { since: (last?.at ?? kstMidnight(from)).toISOString(), runKey: last?.runKey ?? null };
}
