/**
 * A planned run is missing, or a run was not over by its deadline.
 *
 * Reads `runs[]`: `planned`, `noRunRow`, `ledgerStatus`, `ledgerUpdated`, `deadline`; `slots[]`; `meta.db`. Absent `runs`:
 * not measured; absent `slots`: an older server, whose gaps are those of `runs` alone. A slot whose time has passed is
 * missing without an issue too. No run with a deadline: nothing to judge. `deadline` null: the run has none and cannot be late.
 * `ledgerUpdated` null on a run that is over: its end is unknown. An unknown status: unknown once the deadline has
 * passed, and no verdict before.
 */
import { finding, type Finding, type Rule } from './rule.ts';
import { minuteWords } from './reading/silence.ts';
import { isOver } from './reading/statuses.ts';

export const runLate: Rule = {
  id: 'run-late',
  version: 4,
  name: 'verdict.runLate.name',
  meaning: 'verdict.runLate.good',
  judge: ({ runs, slots = [], meta }) => {
    if (runs === undefined) return { absent: '/runs' };
    const findings: Finding[] = slots.map(({ id, plannedFor }, index) =>
      finding(
        'BAD',
        'verdict.runLate.passed',
        { run: id, time: minuteWords(plannedFor) },
        `/slots/${index}/plannedFor`,
        '/meta/db',
      ),
    );
    const unseen: string[] = [];
    const judged =
      slots.length +
      runs.filter((run) => run.planned === true || run.noRunRow === true || run.deadline !== null).length;
    for (const [index, run] of runs.entries()) {
      const at = `/runs/${index}`;
      if (run.planned === true || run.noRunRow === true) {
        findings.push(finding('BAD', 'verdict.runLate.missing', { run: run.id }, `${at}/planned`, `${at}/noRunRow`));
        continue;
      }
      if (run.deadline === null) continue;
      const over = isOver(run.ledgerStatus);
      const read = [`${at}/ledgerStatus`, `${at}/deadline`];
      const isPast = Date.parse(meta.db) > Date.parse(run.deadline);
      if (over === null) {
        if (isPast) unseen.push(`${at}/ledgerStatus`);
      } else if (!over) {
        if (isPast) findings.push(finding('BAD', 'verdict.runLate.overdue', { run: run.id }, ...read, '/meta/db'));
      } else if (run.ledgerUpdated === null) {
        unseen.push(`${at}/ledgerUpdated`);
      } else if (Date.parse(run.ledgerUpdated) > Date.parse(run.deadline)) {
        findings.push(finding('WARNING', 'verdict.runLate.late', { run: run.id }, ...read, `${at}/ledgerUpdated`));
      }
    }
    return { read: ['/runs'], judged, findings, unseen };
  },
};
