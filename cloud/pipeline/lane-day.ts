/** The worst of a lane's day. */
import { needsAttention, STATES_BY_URGENCY } from '../../shared/wire/operator/constants.ts';
import type { LaneDay, OperationalState } from '../../shared/wire/operator/operator.ts';
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
