/**
 * A run ended without success. What later runs have repaired is a warning, and only what is open is bad (D216).
 *
 * Reads `runs[].ledgerStatus`, and the run's tasks in `failures` for the reason in the sentence. Absent `runs`: not
 * measured. Absent `failures`, or none of the run: the sentence has the status alone. No run: nothing to judge. Null on a
 * planning gap: no run can fail. An unknown status: UNKNOWN.
 */
import type { FailedRun, FailedTask } from '../../../shared/wire/operator/operator.ts';
import { finding, type Finding, type ReadFacts, type Rule } from './rule.ts';
import { minuteWords } from './reading/silence.ts';
import { ledgerCourse } from './reading/statuses.ts';

export const runFailed: Rule = {
  id: 'run-failed',
  version: 4,
  name: 'verdict.runFailed.name',
  meaning: 'verdict.runFailed.good',
  judge: ({ runs, failures }) => {
    if (runs === undefined) return { absent: '/runs' };
    const judged = runs.flatMap((run, index) =>
      run.noRunRow === true ? [] : [{ run, course: ledgerCourse(run.ledgerStatus), at: `/runs/${index}/ledgerStatus` }],
    );
    return {
      read: ['/runs'],
      judged: judged.length,
      findings: judged
        .filter(({ course }) => course === 'FAILED')
        .map(
          ({ run, at }) =>
            byTask(failures, run, at) ??
            finding('BAD', 'verdict.runFailed.failed', { run: run.id, status: run.ledgerStatus ?? '' }, at),
        ),
      unseen: judged.filter(({ course }) => course === null).map(({ at }) => at),
    };
  },
};

/** Null: its tasks are unknown. */
function byTask(
  failures: ReadFacts['failures'],
  { id, ledgerStatus }: NonNullable<ReadFacts['runs']>[number],
  status: string,
): Finding | null {
  const index = failures?.runs.findIndex(({ runKey }) => runKey === id) ?? -1;
  const run = failures?.runs[index];
  const cause = run?.tasks[0];
  if (run === undefined || cause === undefined) return null;
  const at = `/failures/runs/${index}/tasks/0`;
  const values = { run: id, ...runWords(run), status: ledgerStatus ?? '', task: cause.taskKey };
  const repair = lastRepair(run);
  if (repair !== null)
    return finding(
      'WARNING',
      'verdict.runFailed.recovered',
      { ...values, time: minuteWords(repair.at), by: repair.runKey },
      status,
      `${at}/recovery`,
    );
  switch (cause.outcome) {
    case 'FAILED': {
      const more = run.tasks.filter(({ outcome }) => outcome === 'FAILED').length - 1;
      return finding(
        'BAD',
        'verdict.runFailed.task',
        { ...values, reason: reasonOf(cause), more },
        status,
        `${at}/outcome`,
        `${at}/errorCode`,
        `${at}/errorMessage`,
      );
    }
    case 'MISSING':
      return finding('BAD', 'verdict.runFailed.untried', values, status, `${at}/outcome`);
    case 'RUNNING':
    case 'PENDING':
    case 'UNKNOWN':
    case 'SUCCEEDED':
      return finding('BAD', 'verdict.runFailed.unfinished', values, status, `${at}/outcome`, `${at}/at`);
  }
}

/** The last of a run's repairs; null: one of its tasks is open, and comes first. */
const lastRepair = ({ tasks }: FailedRun): FailedTask['recovery'] =>
  tasks.some(({ recovery }) => recovery === null)
    ? null
    : tasks.reduce<FailedTask['recovery']>(
        (last, { recovery }) => (last === null || (recovery !== null && recovery.at > last.at) ? recovery : last),
        null,
      );

/** `NONE`: the ledger has no reason; the sentence says so. */
export const reasonOf = ({ errorCode, errorMessage }: FailedTask): string => errorCode ?? errorMessage ?? 'NONE';

/** Lane and slot; a key of another form than `lane/date/slot` is used as the slot. */
export const runWords = ({ runKey, lane }: Pick<FailedRun, 'runKey' | 'lane'>): { lane: string; slot: string } => ({
  lane,
  slot: /^[^/\s]+\/\d{4}-\d{2}-\d{2}\/(\S+)$/.exec(runKey)?.[1] ?? runKey,
});
