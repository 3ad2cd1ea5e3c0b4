/**
 * A task lost records or brought fewer than it should have.
 *
 * Reads `tasks[]`: `failedRecords`, `completenessExpected`, `completenessActual`, and `unsupportedRecords`, which are
 * no loss and make no task incomplete (operator API 2): they count as received. Absent `tasks`: not measured. Empty:
 * nothing to judge. Null: the ledger gave no signal, unknown; a null in `unsupportedRecords` too, where fewer came than
 * expected, because it may explain the difference. 0 failed and as many as expected (0 of 0 as well): complete.
 */
import { finding, type Finding, type Rule } from './rule.ts';

export const taskIncomplete: Rule = {
  id: 'task-incomplete',
  version: 4,
  name: 'verdict.taskIncomplete.name',
  meaning: 'verdict.taskIncomplete.good',
  judge: ({ tasks }) => {
    if (tasks === undefined) return { absent: '/tasks' };
    const findings: Finding[] = [];
    const unseen: string[] = [];
    for (const [index, task] of tasks.entries()) {
      const at = `/tasks/${index}`;
      const { failedRecords: failed, completenessExpected: expected, completenessActual: actual } = task;
      const unsupported = task.unsupportedRecords;
      const names = { run: task.runId, dataset: task.dataset ?? '' };
      if (failed !== null && failed > 0)
        findings.push(finding('BAD', 'verdict.taskIncomplete.failed', { ...names, failed }, `${at}/failedRecords`));
      const isShort = expected !== null && actual !== null && actual < expected;
      if (isShort && unsupported === null) unseen.push(`${at}/unsupportedRecords`);
      if (isShort && unsupported !== null && actual + unsupported < expected)
        findings.push(
          finding(
            'WARNING',
            'verdict.taskIncomplete.short',
            { ...names, expected, actual: actual + unsupported },
            `${at}/completenessExpected`,
            `${at}/completenessActual`,
            `${at}/unsupportedRecords`,
          ),
        );
      if (failed === null) unseen.push(`${at}/failedRecords`);
      if (expected === null) unseen.push(`${at}/completenessExpected`);
      if (actual === null) unseen.push(`${at}/completenessActual`);
    }
    return { read: ['/tasks'], judged: tasks.length, findings, unseen, unseenSays: 'verdict.taskIncomplete.noSignal' };
  },
};
