/**
 * Reads one entry of a committed bundle (sync protocol 2). An entry that does not fit is rejected with its reason
 * (D34).
 */
import {
  invalidationEntrySchema,
  newEntrySchema,
  type InvalidationEntry,
  type NewEntry,
} from '../../../shared/wire/bundle.ts';
import { MAX_ENTRY_BYTES, MAX_ENTRY_VALUES } from '../../../shared/wire/bundle-endpoint.ts';
import { kstMidnight } from '../../../shared/time/kst.ts';
import { countValues } from '../../../shared/wire/json.ts';
import { badText } from '../receive/json.ts';

/** An entry that has passed the envelope: only its cursor is checked. */
export interface RawEntry extends Record<string, unknown> {
  cursor: number;
}

export type ReadEntry =
  | { kind: 'NEW'; entry: NewEntry }
  | { kind: 'INVALIDATION'; entry: InvalidationEntry }
  /** `reason` is a sentence. */
  | { kind: 'REJECTED'; reason: string };

/** The number of faults that are reported of one entry. */
const TOLD = 3;

/**
 * @param text the entry's text in the body: only an escape can put a character into it that no store keeps
 * @param toldAt when the cloud made the bundle
 */
export function readEntry(raw: RawEntry, text: string, toldAt: string): ReadEntry {
  if (isTooLarge(text)) return { kind: 'REJECTED', reason: TOO_LARGE };
  if (hasTooManyValues(text)) return { kind: 'REJECTED', reason: TOO_MANY_VALUES };
  const bad = text.includes('\\u') ? badText(raw) : null;
  if (bad !== null) return { kind: 'REJECTED', reason: `${DOES_NOT_FIT}${bad}.` };
  switch (raw['delivery_type']) {
    case 'NEW': {
      const read = newEntrySchema.safeParse(raw);
      if (!read.success) return rejected(read.error.issues);
      const ahead = aheadOf(read.data, toldAt);
      return ahead === null ? { kind: 'NEW', entry: read.data } : { kind: 'REJECTED', reason: ahead };
    }
    case 'INVALIDATION': {
      const read = invalidationEntrySchema.safeParse(raw);
      return read.success ? { kind: 'INVALIDATION', entry: read.data } : rejected(read.error.issues);
    }
    default:
      return { kind: 'REJECTED', reason: `${UNKNOWN_TYPE}${shown(raw['delivery_type'])} is not known.` };
  }
}

/** More than any clock or calendar of the cloud is off by. */
const MOST_AHEAD_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * The fault in the times of an explanation, or null. Channels get the latest snapshot of a ticker, so an explanation of
 * a far day would displace every later one for good.
 */
function aheadOf({ explanation_result: { trade_date, explanation_as_of } }: NewEntry, toldAt: string): string | null {
  const most = Date.parse(toldAt) + MOST_AHEAD_MS;
  const times = { trade_date: kstMidnight(trade_date).getTime(), explanation_as_of: Date.parse(explanation_as_of) };
  const [found] = Object.entries(times).filter(([, time]) => time > most);
  return found === undefined
    ? null
    : `${DOES_NOT_FIT}explanation_result.${found[0]} lies more than a week after ${toldAt}, when the cloud sent it.`;
}

/** How the reasons begin, for `rejection-code.ts`. */
export const DOES_NOT_FIT = 'The entry does not fit: ';
export const UNKNOWN_TYPE = 'The delivery_type ';
/** An id stands for one text of one moment (D37). */
export const OTHER_GRAIN = `${DOES_NOT_FIT}its id is known with another instrument, ticker, trade_date or explanation_as_of, which never change.`;

export const TOO_LARGE = `${DOES_NOT_FIT}it is longer than ${MAX_ENTRY_BYTES} bytes, the most that an entry has.`;

export const TOO_MANY_VALUES = `${DOES_NOT_FIT}it holds more than ${MAX_ENTRY_VALUES} values, the most that an entry has.`;

/** A value and its separator take at least two characters. */
const hasTooManyValues = (text: string): boolean =>
  text.length > 2 * MAX_ENTRY_VALUES && countValues(text) > MAX_ENTRY_VALUES;

function isTooLarge(text: string): boolean {
  return text.length > MAX_ENTRY_BYTES / 3 && Buffer.byteLength(text) > MAX_ENTRY_BYTES;
}

/** Whether the text alone rejects an entry; the entry is not parsed then. */
export const isBeyondBounds = (text: string): boolean => isTooLarge(text) || hasTooManyValues(text);

/** The part that is kept of an entry that is too large; the raw record has all of it. */
const BEGINNING = 20_000;

/** The text that stays on record of a rejected entry. */
export function rejectedText(text: string): string {
  return isTooLarge(text) ? text.slice(0, BEGINNING).toWellFormed() : text;
}

/**
 * The id of the explanation that an invalidation withdraws. A v2 analysis takes the place of a result (sync protocol
 * 9).
 */
export function targetOf(entry: InvalidationEntry): string {
  const target = entry.target_explanation_result_id ?? entry.target_movement_analysis_id;
  if (target === undefined) throw new TypeError('an invalidation without a target passed its schema');
  return target;
}

function rejected(issues: readonly { path: readonly PropertyKey[]; message: string }[]): ReadEntry {
  const told = issues.slice(0, TOLD).map(({ path, message }) => `${path.map(String).join('.') || 'entry'}: ${message}`);
  const more = issues.length > TOLD ? `; and ${issues.length - TOLD} more` : '';
  return { kind: 'REJECTED', reason: `${DOES_NOT_FIT}${told.join('; ')}${more}.` };
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value).slice(0, 80);
}
