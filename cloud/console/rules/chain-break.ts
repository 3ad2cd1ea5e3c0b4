/**
 * The chain from a firing to publication breaks: one stage was reached by some, the next one by none.
 *
 * Reads `meta.db` and `meta.today`, and of `chain`: `feeds[0].v` and the column `batch` of the stages, `feeds[1].v` and
 * the column `intraday`. Feeds are read by position; further ones are ignored. Absent `chain`: not measured. Fewer than
 * two feeds, or no stages: the axis is invalid, unknown. More at a stage than at the one before: a contradiction,
 * unknown. On a day that is not over in Korea a break may still be pending work: a warning. Nothing fired: nothing to
 * judge.
 */
import { kstDate } from '../../../shared/time/kst.ts';
import { finding, type Finding, type Rule } from './rule.ts';

const COLUMNS = ['batch', 'intraday'] as const;

export const chainBreak: Rule = {
  id: 'chain-break',
  version: 3,
  name: 'verdict.chainBreak.name',
  meaning: 'verdict.chainBreak.good',
  judge: ({ chain, meta }) => {
    if (chain === undefined) return { absent: '/chain' };
    if (chain.feeds.length < COLUMNS.length)
      return { read: ['/chain'], judged: 0, findings: [], unseen: ['/chain/feeds'] };
    if (chain.stages.length === 0) return { read: ['/chain'], judged: 0, findings: [], unseen: ['/chain/stages'] };
    const isUnderWay = kstDate(new Date(meta.db)) === meta.today;
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [position, column] of COLUMNS.entries()) {
      let before = {
        label: chain.feeds[position]?.id ?? '',
        count: chain.feeds[position]?.v ?? 0,
        at: `/chain/feeds/${position}/v`,
      };
      for (const [index, stage] of chain.stages.entries()) {
        const now = { label: stage.id, count: stage[column], at: `/chain/stages/${index}/${column}` };
        // Several firings may feed one observation, and one firing several: only stages are subsets of each other.
        if (index > 0 && now.count > before.count) unseen.push(before.at, now.at);
        else if (before.count > 0 && now.count === 0)
          findings.push(
            finding(
              isUnderWay ? 'WARNING' : 'BAD',
              'verdict.chainBreak.break',
              { feed: column, from: before.label, to: now.label, count: before.count },
              before.at,
              now.at,
              '/meta/today',
              '/meta/db',
            ),
          );
        before = now;
      }
    }
    const judged = chain.feeds.slice(0, COLUMNS.length).filter(({ v }) => v > 0).length;
    return { read: ['/chain'], judged, findings, unseen };
  },
};
