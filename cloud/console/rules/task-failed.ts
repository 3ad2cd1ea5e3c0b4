/**
 * A task failed in a run that did not: the run's own status hides it. What a later run has repaired is a warning (D216).
 *
 * Reads `failures.runs[]` with `tasks[]`: `required`, `outcome`, `errorCode`, `errorMessage`, and `status` of the run;
 * `runs` for their number. Absent `failures`: not measured. No run: nothing to judge. An unknown outcome: unknown.
 * `run-failed` and `run-late` report tasks that never began or did not end.
 */
import { finding, type Finding, type Rule } from './rule.ts';
import { reasonOf, runWords } from './run-failed.ts';
import { minuteWords } from './reading/silence.ts';
import { ledgerCourse } from './reading/statuses.ts';

export const taskFailed: Rule = {
  id: 'task-failed',
  version: 2,
  name: 'verdict.taskFailed.name',
  meaning: 'verdict.taskFailed.good',
  judge: ({ failures, runs }) => {
    if (failures === undefined) return { absent: '/failures' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [runIndex, run] of failures.runs.entries()) {
      if (ledgerCourse(run.status) === 'FAILED') continue;
      for (const [index, task] of run.tasks.entries()) {
        const at = `/failures/runs/${runIndex}/tasks/${index}`;
        if (task.outcome === 'UNKNOWN') unseen.push(`${at}/outcome`);
        if (task.outcome !== 'FAILED') continue;
        const values = { run: run.runKey, ...runWords(run), task: task.taskKey, reason: reasonOf(task) };
        if (task.recovery !== null) {
          const { at: repaired, runKey: by } = task.recovery;
          findings.push(
            finding(
              'WARNING',
              'verdict.taskFailed.recovered',
              { ...values, time: minuteWords(repaired), by },
              `${at}/outcome`,
              `${at}/recovery`,
            ),
          );
          continue;
        }
        const [severity, sentence] = task.required
          ? (['BAD', 'verdict.taskFailed.failed'] as const)
          : (['WARNING', 'verdict.taskFailed.optional'] as const);
        findings.push(finding(severity, sentence, values, `${at}/outcome`, `${at}/errorCode`, `${at}/errorMessage`));
      }
    }
    const judged = runs?.filter(({ noRunRow }) => noRunRow !== true).length ?? failures.runs.length;
    return { read: ['/failures/runs'], judged, findings, unseen };
  },
};
