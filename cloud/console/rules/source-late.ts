/**
 * A source was not collected when it was due. Without a due time its own rhythm says when it usually is; hours of the viewed
 * day that it missed before a later collection are told as well.
 *
 * Reads `rhythm.sources[]`: `last`, `dueAt`, `hours`; `meta.db`: current values for any viewed day. Absent `rhythm`: not
 * measured. No source: nothing to judge. `dueAt` null: judged by the hours; without weeks before to compare with, and
 * without a collection today, unknown.
 */
import { finding, type Rule } from './rule.ts';
import { isSourceLate, isSourceUnknown, minuteWords, pastSilences, silenceNow } from './reading/silence.ts';

export const sourceLate: Rule = {
  id: 'source-late',
  version: 2,
  name: 'verdict.sourceLate.name',
  meaning: 'verdict.sourceLate.good',
  judge: ({ rhythm, meta }) => {
    if (rhythm === undefined) return { absent: '/rhythm' };
    const sources = rhythm.sources.map((source, index) => ({ source, at: `/rhythm/sources/${index}` }));
    const late = sources.filter(({ source }) => isSourceLate(source, meta.db));
    return {
      read: ['/rhythm/sources'],
      judged: sources.length,
      findings: [
        ...late.map(({ source, at }) => {
          const { id, last, dueAt } = source;
          const known = { source: id, last: last === null ? '' : minuteWords(last) };
          if (dueAt !== null)
            return finding(
              'WARNING',
              'verdict.sourceLate.due',
              { ...known, due: minuteWords(dueAt) },
              `${at}/dueAt`,
              `${at}/last`,
            );
          const usual = minuteWords(silenceNow(source, meta.db)?.missed.at ?? meta.db);
          return finding('WARNING', 'verdict.sourceLate.rhythm', { ...known, usual }, `${at}/last`, `${at}/hours`);
        }),
        ...sources.flatMap(({ source, at }) =>
          (source.dueAt === null ? pastSilences(source, meta.today, meta.db) : []).map(({ missed, until }) => {
            const values = { source: source.id, from: minuteWords(missed.at), until: minuteWords(until) };
            return finding('WARNING', 'verdict.sourceLate.past', values, `${at}/hours/${source.hours.indexOf(missed)}`);
          }),
        ),
      ],
      unseen: sources.flatMap(({ source, at }) => (isSourceUnknown(source, meta.db) ? [at] : [])),
    };
  },
};
