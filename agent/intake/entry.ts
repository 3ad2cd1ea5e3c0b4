/** Reads one entry of a committed bundle (document 3 section 2). What does not fit is set aside with its reason (D34). */
import {
  invalidationEntrySchema,
  newEntrySchema,
  type InvalidationEntry,
  type NewEntry,
} from '../../shared/wire/bundle.ts';
import { badText } from './json.ts';

/** An entry as the envelope has let it through: all that is known is its cursor. */
export interface RawEntry extends Record<string, unknown> {
  cursor: number;
}

export type ReadEntry =
  | { kind: 'NEW'; entry: NewEntry }
  | { kind: 'INVALIDATION'; entry: InvalidationEntry }
  /** `reason` is a sentence. */
  | { kind: 'REJECTED'; reason: string };

/** How many faults of one entry are told. */
const TOLD = 3;

/** `text` is the entry as it stands in the body: only an escape can put into it what is no text. */
export function readEntry(raw: RawEntry, text: string): ReadEntry {
  const bad = text.includes('\\u') ? badText(raw) : null;
  if (bad !== null) return { kind: 'REJECTED', reason: `The entry does not fit: ${bad}.` };
  switch (raw['delivery_type']) {
    case 'NEW': {
      const read = newEntrySchema.safeParse(raw);
      return read.success ? { kind: 'NEW', entry: read.data } : rejected(read.error.issues);
    }
    case 'INVALIDATION': {
      const read = invalidationEntrySchema.safeParse(raw);
      return read.success ? { kind: 'INVALIDATION', entry: read.data } : rejected(read.error.issues);
    }
    default:
      return { kind: 'REJECTED', reason: `The delivery_type ${shown(raw['delivery_type'])} is not known.` };
  }
}

/** Whose explanation an invalidation withdraws. v2 analyses stand in the place of results (document 3 section 9). */
export function targetOf(entry: InvalidationEntry): string {
  const target = entry.target_explanation_result_id ?? entry.target_movement_analysis_id;
  if (target === undefined) throw new TypeError('an invalidation without a target passed its schema');
  return target;
}

function rejected(issues: readonly { path: readonly PropertyKey[]; message: string }[]): ReadEntry {
  const told = issues.slice(0, TOLD).map(({ path, message }) => `${path.map(String).join('.') || 'entry'}: ${message}`);
  const more = issues.length > TOLD ? `; and ${issues.length - TOLD} more` : '';
  return { kind: 'REJECTED', reason: `The entry does not fit: ${told.join('; ')}${more}.` };
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value).slice(0, 80);
}
