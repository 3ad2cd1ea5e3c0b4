/** The worst of a lane's day. */
import { needsAttention, STATES_BY_URGENCY } from '../../shared/wire/operator/constants.ts';
import type { LaneDay, OperationalState, PipelineRun, Recovery } from '../../shared/wire/operator/operator.ts';
import type { Gap } from './gaps.ts';
import { runDefect } from './judge.ts';
import { openDefectsOf, openStateOf, type JudgedRow } from './recovery.ts';
import { toRun } from './run-view.ts';

export interface JudgedRun extends JudgedRow {
  /** What has repaired all of its failures (D216). */
  recovery: Recovery | null;
}

const stateOf = ({ verdict, recovery }: JudgedRun): OperationalState => openStateOf(verdict, recovery);

/** A planned slot without a run: its outcome is unknown. */
const GAP_STATE: OperationalState = 'UNKNOWN';
const urgency = (state: OperationalState): number => STATES_BY_URGENCY.indexOf(state);

/** Skipped for a reason: nothing was due, so there is nothing to judge (D68). */
const isSkipped = ({ run }: JudgedRun): boolean => run.status === 'SKIPPED' && run.skip_reason !== null;

/** Not skipped, not repaired, and neither good nor under way. */
export const isTroubled = (one: JudgedRun): boolean => !isSkipped(one) && needsAttention(stateOf(one));

export const viewOf = ({ run, verdict, recovery }: JudgedRun): PipelineRun => toRun(run, verdict, recovery);

/** @param judged the lane's runs of the day, the latest first */
export function laneDay(judged: readonly JudgedRun[], gaps: readonly Gap[]): LaneDay {
  const counted = judged.filter((one) => !isSkipped(one));
  const [worst] = counted.toSorted((a, b) => urgency(stateOf(a)) - urgency(stateOf(b)));
  const states = [...(worst === undefined ? [] : [stateOf(worst)]), ...(gaps.length === 0 ? [] : [GAP_STATE])];
  const [state = null] = states.toSorted((a, b) => urgency(a) - urgency(b));
  const recovered = counted.filter(({ recovery }) => recovery !== null);
  const [lastRecovered] = recovered;
  return {
    course: state !== null ? 'RAN' : judged.length > 0 ? 'SKIPPED' : 'EMPTY',
    state,
    run: worst === undefined ? null : viewOf(worst),
    defects: [
      ...gaps.map(({ slotKey }) => runDefect(slotKey, 'PLANNING_GAP', null)),
      ...(worst === undefined ? [] : openDefectsOf(worst.verdict, worst.recovery)),
    ],
    runCount: counted.length,
    troubledCount: counted.filter(isTroubled).length,
    recoveredCount: recovered.length,
    recovered: lastRecovered === undefined ? null : viewOf(lastRecovered),
  };
}

/** The state of a lane: a day without a counted run keeps the state of an earlier day. */
export function carriedState(day: LaneDay, last: JudgedRun | null, gaps: readonly Gap[]): OperationalState | null {
  if (day.state !== null) return day.state;
  const states = [
    ...(last === null ? [] : [stateOf(last)]),
    ...(gaps.some(({ plannedFor }) => last === null || plannedFor > last.run.created_at) ? [GAP_STATE] : []),
  ];
  const [worst = null] = states.toSorted((a, b) => urgency(a) - urgency(b));
  return worst === 'READY' ? null : worst;
}
