/** Defects in reading order: by stage, with equal ones grouped. */
import type { Defect } from '../../../shared/wire/operator/operator.ts';

export interface DefectGroup {
  kind: Defect['kind'];
  stage: string | null;
  reason: string | null;
  defects: readonly Defect[];
  /** The sum over defects with a count; null without any. */
  count: number | null;
}

/** Groups what repeats; the order of stages stays, and inside one the order of the first of each. */
export function groupDefects(defects: readonly Defect[]): DefectGroup[] {
  const groups = Map.groupBy(defects, ({ stage, kind, reason }) => JSON.stringify([stage, kind, reason]));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const counts = members.map(({ count }) => count).filter((count) => count !== null);
    return [
      {
        kind: first.kind,
        stage: first.stage,
        reason: first.reason,
        defects: members,
        count: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
      },
    ];
  });
}

/** The subject of a defect, by the ledger's own name. */
export function subjectOf({ dataset, taskKey, runKey }: Defect): string {
  return dataset !== null && dataset !== '' ? dataset : (taskKey ?? runKey);
}
