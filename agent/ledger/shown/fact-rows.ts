/**
 * Holds the facts beside the moves against the audit log (D189). The rows are looked up by what they are about, so that
 * the cost follows from the number of switches, channels and versions, and not from the length of the log.
 */
import {
  beginning,
  inOrder,
  rowsOfMaintenance,
  rowsOfPeople,
  rowsOfPolicy,
  rowsOfPolicyTexts,
} from '../audit/rows-about.ts';
import { hashFault } from '../audit/row-hash.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import { RecordNotWholeError } from './errors.ts';
import { upTo, type ShownFacts } from './shown-at.ts';
import { checkFacts, checkPolicy, RecordFaultError, type LoggedPolicy } from './logged-facts.ts';

const policyOf = prepared((version: number) =>
  sqlite
    .selectFrom('policy_version')
    .leftJoin('policy_start', 'policy_start.version', 'policy_version.version')
    .select(['policy_version.version', 'snapshot', 'changes', 'author', 'created_at', 'starts_at', 'started_at'])
    .where('policy_version.version', '=', version),
);

export const policiesOf = (reader: LedgerReader, versions: Iterable<number>): LoggedPolicy[] =>
  [...new Set(versions)]
    .toSorted((one, other) => one - other)
    .flatMap((version) => reader.first(policyOf(version)) ?? []);

/**
 * Of a policy that was in force in no moment of the span the words are not read: it may hold thousands.
 *
 * @returns the rows of the facts, ascending
 * @throws RecordNotWholeError
 */
export function refuseUnlogged(
  reader: LedgerReader,
  facts: ShownFacts,
  { from, to }: { from: string; to: string },
): ConsoleActionLogTable[] {
  const inForce = upTo(facts.policies, to, facts).slice(Math.max(0, upTo(facts.policies, from, facts).length - 1));
  const policies = policiesOf(
    reader,
    inForce.map(({ version }) => version),
  );
  const rows = inOrder([
    ...beginning(reader),
    ...rowsOfSwitches(reader, facts),
    ...[1, ...facts.policies.map(({ version }) => version)].flatMap((version) => rowsOfPolicy(reader, version)),
    ...rowsOfPolicyTexts(reader),
    ...rowsOfMaintenance(reader, facts.ticker),
  ]);
  onRecord(`the ticker ${facts.ticker}`, () => {
    const changed = hashFault(rows);
    if (changed !== null) throw new RecordFaultError(changed);
    for (const policy of policies) checkPolicy(policy, rows);
    checkFacts(facts, rows, policies, inForce);
  });
  return rows;
}

/** @throws RecordNotWholeError where the rule finds a fault */
export function onRecord<T>(subject: string, rule: () => T): T {
  try {
    return rule();
  } catch (error) {
    if (error instanceof RecordFaultError) throw new RecordNotWholeError(subject, error.message);
    throw error;
  }
}

/** People's rows about scope, channels and sectors, also of keys that the facts do not have. */
function rowsOfSwitches(reader: LedgerReader, facts: ShownFacts): ConsoleActionLogTable[] {
  const { ticker, scope, channels, instrument, explanations } = facts;
  const fields = explanations.flatMap((each) => [each.fields, ...each.former.map((former) => former.fields)]);
  const markets = [...instrument, ...fields].map(({ market }) => market);
  const sectors = instrument.map(({ sector }) => sector);
  const names = channels.map(({ channel }) => channel);
  const keys = new Set([...scope.map(({ key }) => key), ...names, ...markets, ...sectors, ticker]);
  return [
    ...[...keys].flatMap((key) => (key === null ? [] : rowsOfPeople(reader, key, 'serving_scope'))),
    ...[...new Set(names)].flatMap((channel) => rowsOfPeople(reader, channel, 'channel')),
    ...rowsOfPeople(reader, ticker, 'instrument'),
  ];
}
