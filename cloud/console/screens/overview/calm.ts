/** When the overview is calm: no lane needs attention, and every lane ran within its usual rhythm (D215). Pure. */
import { kstDate } from '../../../../shared/time/kst.ts';
import { needsAttention } from '../../../../shared/wire/operator/constants.ts';
import type { RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { isSourceLate, isUnheard } from '../../rules/reading/silence.ts';
import { skippedFor } from '../../runs/skipped-for.ts';
import { judgeLanes } from './overview-filter.ts';

export interface Calm {
  /** The last of the listed runs and slots that needed attention; null: none of them did. */
  lastTrouble: { at: string; runKey: string } | null;
}

/** The sources that are late now; a past day is not judged by them. */
export const lateSources = ({ rhythm, date, asOf }: RunOverview): RunOverview['rhythm']['sources'] =>
  date < kstDate(new Date(asOf)) ? [] : rhythm.sources.filter((source) => isSourceLate(source, asOf));

/** Null: something needs attention, or a lane cannot be judged. */
export function calmOf(overview: RunOverview): Calm | null {
  const { lanes, rhythm, unreadableGaps, otherDays, date, asOf } = overview;
  const isToday = date === kstDate(new Date(asOf));
  const isCalm =
    lanes.length > 0 &&
    unreadableGaps.length === 0 &&
    otherDays.total === 0 &&
    lateSources(overview).length === 0 &&
    // A lane that planned slots alone name has no rhythm, and needs attention already.
    !(isToday && rhythm.lanes.some((lane) => isUnheard(lane, asOf))) &&
    judgeLanes(overview).every(({ judged }) => judged === 'IDLE' || (judged !== 'SILENT' && !needsAttention(judged)));
  return isCalm ? { lastTrouble: lastTroubleOf(overview) } : null;
}

function lastTroubleOf({ lanes }: RunOverview): Calm['lastTrouble'] {
  const troubles = lanes.flatMap(({ recentRuns, recentGaps }) => [
    ...recentRuns
      .filter((run) => skippedFor(run) === null && run.recovery === null && needsAttention(run.state))
      .map(({ updatedAt, runKey }) => ({ at: updatedAt, runKey })),
    ...recentGaps.map(({ plannedFor, slotKey }) => ({ at: plannedFor, runKey: slotKey })),
  ]);
  return troubles.reduce<Calm['lastTrouble']>(
    (last, one) => (last === null || Date.parse(one.at) > Date.parse(last.at) ? one : last),
    null,
  );
}
