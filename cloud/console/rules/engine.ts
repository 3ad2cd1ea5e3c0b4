/**
 * The rule engine (D27): all rules over one day's facts, worst first. Pure.
 *
 * Before it: `cloud/console/screens/facts/day-view.tsx`. After it: `day-view.tsx` shows the verdicts.
 */
import { backlogGrowing } from './backlog-growing.ts';
import { chainBreak } from './chain-break.ts';
import { deadLetters } from './dead-letters.ts';
import { deliveredNotPublished } from './delivered-not-published.ts';
import { etfWithoutOutcome } from './etf-without-outcome.ts';
import { outputUnusual } from './output-unusual.ts';
import { publishedNotDelivered } from './published-not-delivered.ts';
import { retriesUnusual } from './retries-unusual.ts';
import { SEVERITIES, type ReadFacts, type Rule, type Verdict } from './rule.ts';
import { runFailed } from './run-failed.ts';
import { runLate } from './run-late.ts';
import { staleDataset } from './stale-dataset.ts';
import { statusMismatch } from './status-mismatch.ts';
import { taskFailed } from './task-failed.ts';
import { taskIncomplete } from './task-incomplete.ts';
import { unverifiableDataset } from './unverifiable-dataset.ts';
import { withdrawalUnreceived } from './withdrawal-unreceived.ts';

/** In the order of the pipeline. */
export const RULES: readonly Rule[] = [
  runLate,
  runFailed,
  taskFailed,
  statusMismatch,
  taskIncomplete,
  retriesUnusual,
  staleDataset,
  unverifiableDataset,
  outputUnusual,
  chainBreak,
  etfWithoutOutcome,
  publishedNotDelivered,
  deliveredNotPublished,
  withdrawalUnreceived,
  deadLetters,
  backlogGrowing,
];

/** @param previous facts of an earlier day, or of an earlier look at the same one, for rules that compare; null: none */
export function judge(facts: ReadFacts, previous: ReadFacts | null = null): Verdict[] {
  return RULES.flatMap((rule) => judgeBy(rule, facts, previous)).toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}

/** At least one verdict: what was found, then what could not be seen; without either nothing to judge (D68), or all is well. */
export function judgeBy(
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
