/** Folds the day's tasks into one fact per dataset (operator API 2, `datasets`; D48). Pure. */
import type { DatasetFact } from '../../shared/wire/facts.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import type { LedgerTask } from './tasks.ts';

/** The dataset that takes its actual as-of from the NAV collection ledger. */
const ETF_NAV = 'etf_nav';

/** Codes of the server's own; the others are the ledger's words. */
const CONTRACT_NOT_APPLIED = 'CONTRACT_NOT_APPLIED';
const NOT_APPLICABLE = 'NOT_APPLICABLE';
const FRESHNESS_REASON_MISSING = 'FRESHNESS_REASON_MISSING';
const ACTUAL_AS_OF_MISSING = 'ACTUAL_AS_OF_MISSING';

/** Unicode white space, U+0085 included, which `trim` leaves; and the byte order mark, which it takes (D48). */
const BLANK = /^[\p{White_Space}\uFEFF]*$/u;

/**
 * By dataset id. Tasks without a dataset are in none.
 *
 * @param navAsOf the NAV evidence of the day
 */
export function foldDatasets(tasks: readonly LedgerTask[], navAsOf: string | null): DatasetFact[] {
  const named = tasks.filter((task) => !lacksDataset(task));
  return [...Map.groupBy(named, ({ dataset }) => dataset ?? '')]
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .map(([id, own]) => fold(id, id === ETF_NAV ? own.map((task) => ({ ...task, actualAsOf: navAsOf })) : own));
}

export function lacksDataset({ dataset }: LedgerTask): boolean {
  return dataset === null || dataset === '';
}

function fold(id: string, tasks: readonly LedgerTask[]): DatasetFact {
  const contract = tasks.some((task) => task.contract);
  const folded = tasks
    .filter((task) => task.contract && task.due)
    .toSorted((a, b) => byCodePoint(a.runKey, b.runKey) || a.id - b.id);
  if (folded.length === 0) {
    const unverifiable = contract ? NOT_APPLICABLE : CONTRACT_NOT_APPLIED;
    return { id, contract, expectedAsOf: null, actualAsOf: null, collectedAt: null, unverifiable };
  }
  const reference = referenceOf(folded);
  const actualAsOf = reference?.actualAsOf ?? null;
  return {
    id,
    contract,
    expectedAsOf: reference === null ? latest(folded.map((task) => task.expectedAsOf)) : reference.expectedAsOf,
    actualAsOf,
    collectedAt: latest(folded.map((task) => task.collectedAt?.toISOString() ?? null)),
    unverifiable: unverifiableOf(folded, reference) ?? (actualAsOf === null ? ACTUAL_AS_OF_MISSING : null),
  };
}

/**
 * The task with the oldest actual; of those the one with the later expected; of those the first. Null when no task has
 * an actual.
 */
function referenceOf(folded: readonly LedgerTask[]): LedgerTask | null {
  const [first] = folded
    .filter((task) => task.actualAsOf !== null)
    .toSorted((a, b) => compareDates(a.actualAsOf, b.actualAsOf) || compareDates(b.expectedAsOf, a.expectedAsOf));
  return first ?? null;
}

/** A missing date is earlier than all others. Dates as text sort by time. */
function compareDates(a: string | null, b: string | null): number {
  return byCodePoint(a ?? '', b ?? '');
}

/** Why freshness is unverifiable: the reference task's word, or that of the first other task with UNKNOWN. */
function unverifiableOf(folded: readonly LedgerTask[], reference: LedgerTask | null): string | null {
  const isUnknown = (task: LedgerTask): boolean => task.freshnessStatus === 'UNKNOWN';
  const unknown = reference !== null && isUnknown(reference) ? reference : folded.find(isUnknown);
  if (unknown === undefined) return null;
  const reason = unknown.freshnessReason;
  return reason === null || BLANK.test(reason) ? FRESHNESS_REASON_MISSING : reason;
}

function latest(values: readonly (string | null)[]): string | null {
  return values.reduce((best, value) => (compareDates(value, best) > 0 ? value : best), null);
}
