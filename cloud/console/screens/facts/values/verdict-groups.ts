/** Groups equal verdicts about several subjects: the reader sees one sentence and its number of subjects. */
import type { Verdict } from '../../../rules/rule.ts';
import type { NamedVerdict } from './verdict-keys.ts';

export interface VerdictGroup {
  /** Names the group in the way that `verdict` names a member. */
  key: string;
  first: NamedVerdict;
  members: readonly NamedVerdict[];
}

/** The subjects of a sentence; the first one present may differ inside a group. */
const SUBJECTS = [
  ['run', 'slot', 'time', 'by'],
  ['etf', 'name', 'analysis'],
  ['dataset'],
  ['silentLane', 'since', 'usual'],
  ['source', 'last', 'usual', 'due'],
] as const satisfies readonly (readonly string[])[];

/** In the order of the first of each. */
export function groupVerdicts(verdicts: readonly NamedVerdict[]): VerdictGroup[] {
  const groups = Map.groupBy(verdicts, ({ verdict }) => samenessOf(verdict));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ key: `all ${first.key}`, first, members }];
  });
}

/** Equal: the same sentence of the same rule about another subject. Amounts do not count. */
function samenessOf({ rule, severity, sentence: { id, values } }: Verdict): string {
  const subject: readonly string[] = SUBJECTS.find(([name]) => values[name] !== undefined) ?? [];
  const kept = Object.entries(values).filter(([name, value]) => typeof value === 'string' && !subject.includes(name));
  return JSON.stringify([rule, severity, id, kept.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
