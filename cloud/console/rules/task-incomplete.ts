/**
 * A task lost records or brought fewer than it should have.
 *
 * Reads `tasks[]`: `failedRecords`, `completenessExpected`, `completenessActual`; never `unsupportedRecords`, which are no
 * loss. Absent `tasks`: not measured. Empty: no task, none incomplete. Null: the ledger gave no signal, unknown. 0 failed
 * and as much as expected (0 of 0 as well): complete.
 */
import { finding, type Finding, type Rule } from './rule.ts';

export const taskIncomplete: Rule = {
  id: 'task-incomplete',
  version: 1,
  meaning: 'verdict.taskIncomplete.good',
  judge: ({ tasks }) => {
    if (tasks === undefined) return { absent: '/tasks' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [index, task] of tasks.entries()) {
      const at = `/tasks/${index}`;
      const { failedRecords: failed, completenessExpected: expected, completenessActual: actual } = task;
      const names = { run: task.runId, dataset: task.dataset ?? '' };
      if (failed !== null && failed > 0)
        findings.push(finding('BAD', 'verdict.taskIncomplete.failed', { ...names, failed }, `${at}/failedRecords`));
      if (expected !== null && actual !== null && actual < expected)
        findings.push(
          finding(
            'WARNING',
            'verdict.taskIncomplete.short',
            { ...names, expected, actual },
            `${at}/completenessExpected`,
            `${at}/completenessActual`,
          ),
        );
      if (failed === null) unseen.push(`${at}/failedRecords`);
      if (expected === null) unseen.push(`${at}/completenessExpected`);
      if (actual === null) unseen.push(`${at}/completenessActual`);
    }
    return { read: ['/tasks'], findings, unseen };
  },
};
