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
import { laneSilent } from './lane-silent.ts';
import { outputUnusual } from './output-unusual.ts';
import { publishedNotDelivered } from './published-not-delivered.ts';
import { retriesUnusual } from './retries-unusual.ts';
import { judgeRule } from './judge-rule.ts';
import { SEVERITIES, type ReadFacts, type Rule, type Verdict } from './rule.ts';
import { runFailed } from './run-failed.ts';
import { runLate } from './run-late.ts';
import { sourceLate } from './source-late.ts';
import { staleDataset } from './stale-dataset.ts';
import { statusMismatch } from './status-mismatch.ts';
import { taskFailed } from './task-failed.ts';
import { taskIncomplete } from './task-incomplete.ts';
import { unverifiableDataset } from './unverifiable-dataset.ts';
import { withdrawalUnreceived } from './withdrawal-unreceived.ts';

/** In the order of the pipeline. */
export const RULES: readonly Rule[] = [
  laneSilent,
  runLate,
  runFailed,
  taskFailed,
  statusMismatch,
  taskIncomplete,
  retriesUnusual,
  sourceLate,
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

/** @param previous facts of an earlier day, or an earlier reading of the same day, for rules that compare; null: none */
export function judge(facts: ReadFacts, previous: ReadFacts | null = null): Verdict[] {
  return RULES.flatMap((rule) => judgeRule(rule, facts, previous)).toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}
