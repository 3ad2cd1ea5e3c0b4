/**
 * A run ended without success.
 *
 * Reads `runs[].ledgerStatus`. Absent `runs`: not measured. No run: nothing to judge. Null on a planning gap: there is no
 * run that could fail. A status that is not known here: unknown.
 */
import { finding, type Rule } from './rule.ts';
import { ledgerCourse } from './statuses.ts';

export const runFailed: Rule = {
  id: 'run-failed',
  version: 2,
  meaning: 'verdict.runFailed.good',
  judge: ({ runs }) => {
    if (runs === undefined) return { absent: '/runs' };
    const judged = runs.flatMap((run, index) =>
      run.noRunRow === true ? [] : [{ run, course: ledgerCourse(run.ledgerStatus), at: `/runs/${index}/ledgerStatus` }],
    );
    return {
      read: ['/runs'],
      judged: judged.length,
      findings: judged
        .filter(({ course }) => course === 'FAILED')
        .map(({ run, at }) =>
          finding('BAD', 'verdict.runFailed.failed', { run: run.id, status: run.ledgerStatus ?? '' }, at),
        ),
      unseen: judged.filter(({ course }) => course === null).map(({ at }) => at),
    };
  },
};
