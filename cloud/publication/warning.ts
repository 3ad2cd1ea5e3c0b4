/** What looks wrong in a load that can be taken: it is told beside the outcome, and changes nothing (D217). */
import type { UnchangedDocument } from './lineage.ts';
import { isSuspectReturn, returnOf } from '../../shared/wire/suspect-return.ts';
import type { Load } from './load.ts';

/** Undefined: nothing looks wrong. */
export function warningOf(load: Load): string | undefined {
  const { observed_return: observed } = load.trigger;
  const values = load.mode === 'V2' ? {} : (load.result?.surface ?? {});
  const units = load.mode === 'V2' ? {} : (load.result?.surface_units ?? {});
  const suspects = [
    ...(observed !== null && isSuspectReturn(observed) ? [`trigger.observed_return ${observed}`] : []),
    ...Object.entries(values)
      .filter(([name, value]) => {
        const ratio = returnOf(name, value, Object.hasOwn(units, name) ? (units[name] ?? null) : null);
        return ratio !== null && isSuspectReturn(ratio);
      })
      .map(([name, value]) => `result.surface.${name} ${value}`),
  ];
  return suspects.length === 0
    ? undefined
    : `${suspects.join(', ')}: beyond ±100 %. A return is a ratio, 0.0123 is 1.23 %; only a value of unit PERCENT is one, 1.23 is 1.23 %: check the unit. Operators and reviewers see it marked as suspect.`;
}

/** Runs share documents, and evidences show the first values: a load is told that its own do not count. */
export function unchangedWarning([first, ...more]: readonly UnchangedDocument[]): string | undefined {
  if (first === undefined) return undefined;
  const { id, title } = first;
  const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
  return `The document ${id} is known otherwise${others}: its first title, time and address stay${title === null ? '' : `, "${title}"`}. Give a changed document an id of its own.`;
}

/** A tenant whose cursors are used up (D3) would lack the load in silence: its pulls find nothing new. */
export function usedUpWarning(tenants: number): string | undefined {
  if (tenants === 0) return undefined;
  const named = tenants === 1 ? '1 tenant, whose cursors are' : `${tenants} tenants, whose cursors are`;
  return `The load was not issued to ${named} used up at 2^53-1, and no later one will be: "doctor" names each. ${USED_UP_REMEDY}`;
}

export const USED_UP_REMEDY =
  'Remove such a tenant and register it anew ("tenant remove", "tenant add"): its Intake begins another ledger.';
