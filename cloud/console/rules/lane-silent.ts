/**
 * Nothing began in a lane at hours in which it usually does: neither a run nor a skip. A total stop leaves no run that
 * another rule could judge.
 *
 * Reads `rhythm.lanes[]`: `last`, `hours`; `runs[].lane`; `meta`. Absent `rhythm`: not measured. A silence that lasts is bad
 * on any viewed day, and so is one with which a past day ended. One that ended on the viewed day is a warning. No lane, or
 * none with weeks before to compare with: nothing to judge. A lane without those weeks, and without a run on the day: unknown.
 */
import { kstDate } from '../../../shared/time/kst.ts';
import type { LaneRhythm } from '../../../shared/wire/facts.ts';
import { finding, type Finding, type ReadFacts, type Rule } from './rule.ts';
import {
  hasRhythm,
  minuteWords,
  pastSilences,
  quietOn,
  silenceNow,
  silenceOfDay,
  type Silence,
} from './reading/silence.ts';

export const laneSilent: Rule = {
  id: 'lane-silent',
  version: 2,
  name: 'verdict.laneSilent.name',
  meaning: 'verdict.laneSilent.good',
  judge: ({ rhythm, runs = [], meta }) => {
    if (rhythm === undefined) return { absent: '/rhythm' };
    const ran = new Set(runs.flatMap(({ lane, noRunRow }) => (noRunRow === true ? [] : [lane])));
    return {
      read: ['/rhythm/lanes'],
      judged: rhythm.lanes.filter((lane) => hasRhythm(lane, meta.today)).length,
      findings: rhythm.lanes.flatMap((lane, index) => [
        ...openOf(lane, meta).map((found) => saying(lane, index, found)),
        ...pastSilences(lane, meta.today, meta.db).map((found) => sayingPast(lane, index, found)),
      ]),
      unseen: rhythm.lanes.flatMap((lane, index) =>
        !ran.has(lane.id) && quietOn(lane, meta.today, meta.db)?.isUnknown === true ? [`/rhythm/lanes/${index}`] : [],
      ),
      unseenSays: 'verdict.laneSilent.unheard',
      nothingSays: 'verdict.laneSilent.noWeeks',
    };
  },
};

/** The silence of now, else the one that a past day ended with. */
function openOf(lane: LaneRhythm, { today, db }: ReadFacts['meta']): Silence[] {
  const found = silenceNow(lane, db) ?? (today < kstDate(new Date(db)) ? silenceOfDay(lane, today, db) : null);
  return found === null ? [] : [found];
}

const hourAt = (lane: LaneRhythm, index: number, { missed }: Silence): string =>
  `/rhythm/lanes/${index}/hours/${lane.hours.indexOf(missed)}`;

function saying(lane: LaneRhythm, index: number, silence: Silence): Finding {
  const { since, missed, lasts } = silence;
  const hour = hourAt(lane, index, silence);
  const values = { silentLane: lane.id, usual: minuteWords(missed.at) };
  const read = [...(lasts ? [`/rhythm/lanes/${index}/last`] : []), `${hour}/at`, `${hour}/count`, `${hour}/before`];
  return since === null
    ? finding('BAD', 'verdict.laneSilent.never', values, ...read)
    : finding(
        'BAD',
        lasts ? 'verdict.laneSilent.since' : 'verdict.laneSilent.ofDay',
        { ...values, since: minuteWords(since) },
        ...read,
      );
}

function sayingPast(lane: LaneRhythm, index: number, silence: Silence & { until: string }): Finding {
  const hour = hourAt(lane, index, silence);
  const values = { silentLane: lane.id, from: minuteWords(silence.missed.at), until: minuteWords(silence.until) };
  return finding('WARNING', 'verdict.laneSilent.past', values, `${hour}/at`, `${hour}/count`, `${hour}/before`);
}
