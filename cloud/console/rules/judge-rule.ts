/** Applies one rule to facts. Pure. */
import type { ReadFacts, Rule, Verdict } from './rule.ts';

/** At least one verdict: findings, then unreadable values; without either nothing to judge (D68), or all is well. */
export function judgeRule(
  { id: rule, version, meaning, judge: look }: Rule,
  facts: ReadFacts,
  previous: ReadFacts | null,
): Verdict[] {
  const found = look(facts, previous);
  if ('absent' in found) {
    const { absent, sentence = { id: 'verdict.absent', values: { fact: absent } } as const } = found;
    return [{ rule, version, severity: 'NOT_MEASURED', sentence, facts: [absent] }];
  }
  const verdicts: Verdict[] = found.findings.map((one) => ({ rule, version, ...one }));
  if (found.unseen.length > 0) {
    const sentence = { id: found.unseenSays ?? 'verdict.unseen', values: { count: found.unseen.length } } as const;
    verdicts.push({ rule, version, severity: 'UNKNOWN', sentence, facts: found.unseen });
  }
  if (verdicts.length > 0) return verdicts;
  const said =
    found.judged > 0
      ? ({ severity: 'GOOD', sentence: { id: meaning, values: {} } } as const)
      : ({ severity: 'NOT_MEASURED', sentence: { id: found.nothingSays ?? 'verdict.nothing', values: {} } } as const);
  return [{ rule, version, ...said, facts: found.read }];
}
