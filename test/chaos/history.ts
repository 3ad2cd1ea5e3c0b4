/**
 * What the parts have answered, as a list of operations and reads with begin and end on one monotonic clock. An answer
 * that never came leaves the operation open: it may have taken effect, or may not.
 */

/** In ms of the monotonic clock. The effect of an acknowledged operation lies between both. */
export interface Interval {
  begin: number;
  end: number;
}

/** `DONE`: acknowledged; `REFUSED`: certainly not made; `OPEN`: no answer, so that its end is without a bound. */
export type Outcome = 'DONE' | 'REFUSED' | 'OPEN';

/** A load or a withdrawal that the vendor's cloud was asked for. */
export interface Publication extends Interval {
  kind: 'PUBLICATION';
  /** `NEW id` or `INVALIDATION id`. */
  entry: string;
  outcome: Outcome;
}

export interface BundleRead extends Interval {
  kind: 'BUNDLE';
  tenant: number;
  after: number;
  head: number;
  entries: { cursor: number; entry: string }[];
}

/** What a channel was served of a ticker; null: nothing. */
export interface ProvisionRead extends Interval {
  kind: 'PROVISION';
  tenant: number;
  channel: string;
  ticker: string;
  text: string | null;
}

export type PersonalMove = 'approve' | 'approve-edited' | 'reject' | 'block' | 'stop' | 'move-to-review' | 'correct';

/** A person's decision about an item. */
export interface Decision extends Interval {
  kind: 'DECISION';
  tenant: number;
  item: string;
  move: PersonalMove;
  /** Unlike that of any other decision; it stands in the item's history. */
  token: string;
  /** The username of who decided. */
  person: string;
  /** The version that the person had read, sent as `If-Match`. */
  seen: number;
  /** The version that the answer names; null without an answer. */
  version: number | null;
  /** The text that the decision exposes; null: none. */
  text: string | null;
  outcome: Outcome;
}

/** What a person has read of an item. */
export interface ItemRead extends Interval {
  kind: 'ITEM';
  tenant: number;
  item: string;
  version: number;
  status: string;
}

/** A channel switched off or on. */
export interface Switch extends Interval {
  kind: 'SWITCH';
  tenant: number;
  channel: string;
  enabled: boolean;
  /** The version that was replaced; the one that an acknowledged switch makes follows it. */
  seen: number;
  outcome: Outcome;
}

export type Operation = Publication | BundleRead | ProvisionRead | Decision | ItemRead | Switch;

/** A publication's text: which item it belongs to, and its place among those of the ticker. */
export interface Text {
  item: string;
  ticker: string;
  place: number;
  /** Whether it is exposed only after a screening (v1). */
  isScreened: boolean;
}

/** A word that a tenant's policy sends to a reviewer, and when that was acknowledged. */
export interface ForbiddenWord {
  tenant: number;
  word: string;
  since: number;
}

/** A row of an item's history in a ledger that a person has caused. */
export interface RecordedMove {
  tenant: number;
  item: string;
  move: string;
  token: string;
  person: string;
  /** The state that the move led to. */
  status: string;
  /** The text that the move exposed; null: none. */
  text: string | null;
  /** The ledger's cursor at the move: what came later has a higher one. */
  cursor: number;
}

export interface Calm {
  since: number;
  longestPauseMs: number;
}

export interface History {
  operations: Operation[];
  /** Received and edited texts by their words. */
  texts: ReadonlyMap<string, Text>;
  words: readonly ForbiddenWord[];
  /** The moves of people in all ledgers at the end, in the order of each ledger. */
  recorded: RecordedMove[];
  /** Since when no fault is left, and the longest pause that may have begun before; null: faults go on. */
  calm: Calm | null;
}

type Kind<K extends Operation['kind']> = Extract<Operation, { kind: K }>;

export function ofKind<K extends Operation['kind']>(history: History, kind: K): Kind<K>[] {
  return history.operations.filter((each): each is Kind<K> => each.kind === kind);
}

/** Whether all of `one` lies before all of `other`. */
export const precedes = (one: Interval, other: Interval): boolean => one.end < other.begin;

export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf);
}
