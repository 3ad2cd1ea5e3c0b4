/** Verdicts that say the same of several things, together: the reader sees one sentence and how often it holds. */
import type { Verdict } from '../../../rules/rule.ts';
import type { NamedVerdict } from './verdict-keys.ts';

export interface VerdictGroup {
  /** Names the group as `verdict` names one of its members. */
  key: string;
  first: NamedVerdict;
  members: readonly NamedVerdict[];
}

/** The subjects of a sentence; the first of them that it has may differ inside a group. */
const SUBJECTS = [
  ['run', 'slot'],
  ['etf', 'name', 'analysis'],
  ['dataset'],
] as const satisfies readonly (readonly string[])[];

/** In the order of the first of each. */
export function groupVerdicts(verdicts: readonly NamedVerdict[]): VerdictGroup[] {
  const groups = Map.groupBy(verdicts, ({ verdict }) => samenessOf(verdict));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ key: `all ${first.key}`, first, members }];
  });
}

/** Equal: the same rule says the same sentence of another subject. How much it is does not matter. */
function samenessOf({ rule, severity, sentence: { id, values } }: Verdict): string {
  const subject: readonly string[] = SUBJECTS.find(([name]) => values[name] !== undefined) ?? [];
  const kept = Object.entries(values).filter(([name, value]) => typeof value === 'string' && !subject.includes(name));
  return JSON.stringify([rule, severity, id, kept.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
