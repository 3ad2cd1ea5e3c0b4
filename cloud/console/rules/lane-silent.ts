/**
 * Nothing began in a lane at hours in which it usually does: neither a run nor a skip. A total stop leaves no run that
 * another rule could judge.
 *
 * Reads `rhythm.lanes[]`: `last`, `hours`; `meta`. Absent `rhythm`: not measured. A silence that lasts is bad on any viewed
 * day, and so is one with which a past day ended. No lane, or none with weeks before to compare with: nothing to judge. A
 * lane without those weeks and without any run for seven days: unknown.
 */
import { kstDate } from '../../../shared/time/kst.ts';
import type { LaneRhythm } from '../../../shared/wire/facts.ts';
import { finding, type Finding, type ReadFacts, type Rule } from './rule.ts';
import { hasRhythm, isUnheard, minuteWords, silenceNow, silenceOfDay, type Silence } from './reading/silence.ts';

export const laneSilent: Rule = {
  id: 'lane-silent',
  version: 1,
  name: 'verdict.laneSilent.name',
  meaning: 'verdict.laneSilent.good',
  judge: ({ rhythm, meta }) => {
    if (rhythm === undefined) return { absent: '/rhythm' };
    return {
      read: ['/rhythm/lanes'],
      judged: rhythm.lanes.filter(hasRhythm).length,
      findings: rhythm.lanes.flatMap((lane, index) => {
        const found = silenceNow(lane, meta.db) ?? ofPastDay(lane, meta);
        return found === null ? [] : [saying(lane, index, found)];
      }),
      unseen: rhythm.lanes.flatMap((lane, index) => (isUnheard(lane, meta.db) ? [`/rhythm/lanes/${index}`] : [])),
      unseenSays: 'verdict.laneSilent.unheard',
      nothingSays: 'verdict.laneSilent.noWeeks',
    };
  },
};

const ofPastDay = (lane: LaneRhythm, { today, db }: ReadFacts['meta']): Silence | null =>
  today < kstDate(new Date(db)) ? silenceOfDay(lane, today) : null;

function saying(lane: LaneRhythm, index: number, { since, missed, lasts }: Silence): Finding {
  const at = `/rhythm/lanes/${index}`;
  const hour = `${at}/hours/${lane.hours.indexOf(missed)}`;
  const values = { silentLane: lane.id, usual: minuteWords(missed.at) };
  const read = [...(lasts ? [`${at}/last`] : []), `${hour}/at`, `${hour}/count`, `${hour}/before`];
  return since === null
    ? finding('BAD', 'verdict.laneSilent.never', values, ...read)
    : finding(
        'BAD',
        lasts ? 'verdict.laneSilent.since' : 'verdict.laneSilent.ofDay',
        { ...values, since: minuteWords(since) },
        ...read,
      );
}
