/**
 * A task needed more attempts than usual.
 *
 * Reads `tasks[].attempts` of both days. Usual is the most that any task of the same dataset needed on the earlier day;
 * without one, a single attempt. An earlier reading of the same day does not show the usual number. Absent `tasks`: not
 * measured. `attempts` is never null; 0 is a count: no attempt. No task with an attempt: nothing to judge.
 */
import { finding, type ReadFacts, type Rule } from './rule.ts';

export const retriesUnusual: Rule = {
  id: 'retries-unusual',
  version: 3,
  name: 'verdict.retriesUnusual.name',
  meaning: 'verdict.retriesUnusual.good',
  judge: ({ tasks, meta }, previous) => {
    if (tasks === undefined) return { absent: '/tasks' };
    const usual = usualAttempts(previous !== null && previous.meta.today < meta.today ? previous : null);
    return {
      read: ['/tasks'],
      judged: tasks.filter(({ attempts }) => attempts > 0).length,
      findings: tasks.flatMap(({ runId, dataset, attempts }, index) => {
        const known = usual.get(dataset);
        const most = Math.max(1, known?.attempts ?? 1);
        return attempts <= most
          ? []
          : [
              finding(
                'WARNING',
                'verdict.retriesUnusual.more',
                { run: runId, dataset: dataset ?? '', attempts, usual: most },
                `/tasks/${index}/attempts`,
                ...(known === undefined ? [] : [known.at]),
              ),
            ];
      }),
      unseen: [],
    };
  },
};

function usualAttempts(previous: ReadFacts | null): Map<string | null, { attempts: number; at: string }> {
  const usual = new Map<string | null, { attempts: number; at: string }>();
  for (const [index, { dataset, attempts }] of (previous?.tasks ?? []).entries())
    if (attempts > (usual.get(dataset)?.attempts ?? -1))
      usual.set(dataset, { attempts, at: `previous/tasks/${index}/attempts` });
  return usual;
}
