/** When the overview is calm: no lane needs attention, and every lane ran within its usual rhythm (D215). Pure. */
import { kstDate } from '../../../../shared/time/kst.ts';
import type { SourceRhythm } from '../../../../shared/wire/facts.ts';
import { needsAttention } from '../../../../shared/wire/operator/constants.ts';
import type { RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { isSourceLate, isSourceUnknown } from '../../rules/reading/silence.ts';
import { skippedFor } from '../../runs/skipped-for.ts';
import { judgeLanes, type JudgedLane } from './overview-filter.ts';

export interface Calm {
  /** The last of the listed runs and slots that needed attention; null: none of them did. */
  lastTrouble: { at: string; runKey: string } | null;
}

/** The sources that are now late, or unknown; a past day is not judged by them. */
export function sourcesToTell({ rhythm, date, asOf }: RunOverview): Record<'late' | 'unknown', SourceRhythm[]> {
  const sources = date < kstDate(new Date(asOf)) ? [] : rhythm.sources;
  return {
    late: sources.filter((source) => isSourceLate(source, asOf)),
    unknown: sources.filter((source) => isSourceUnknown(source, asOf)),
  };
}

/** Null: something needs attention, or a lane cannot be judged. */
export function calmOf(overview: RunOverview): Calm | null {
  const { lanes, unreadableGaps, otherDays } = overview;
  const { late, unknown } = sourcesToTell(overview);
  const isCalm =
    lanes.length > 0 &&
    unreadableGaps.length === 0 &&
    otherDays.total === 0 &&
    late.length + unknown.length === 0 &&
    judgeLanes(overview).every(isWell);
  return isCalm ? { lastTrouble: lastTroubleOf(overview) } : null;
}

/** Without a rhythm a lane is well only where something began on the day. */
const isWell = ({ judged, silence, quiet }: JudgedLane): boolean =>
  silence === null && quiet === null && (judged === 'IDLE' || (judged !== 'SILENT' && !needsAttention(judged)));

function lastTroubleOf({ lanes }: RunOverview): Calm['lastTrouble'] {
  const troubles = lanes.flatMap(({ recentRuns, recentGaps }) => [
    ...recentRuns
      .filter((run) => skippedFor(run) === null && needsAttention(run.openState))
      .map(({ updatedAt, runKey }) => ({ at: updatedAt, runKey })),
    ...recentGaps.map(({ plannedFor, slotKey }) => ({ at: plannedFor, runKey: slotKey })),
  ]);
  return troubles.reduce<Calm['lastTrouble']>(
    (last, one) => (last === null || Date.parse(one.at) > Date.parse(last.at) ? one : last),
    null,
  );
}
