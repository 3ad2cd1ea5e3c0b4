/**
 * The expected explanations of a tenant after some entries, in the plainest code: the oracle of these tests.
 * It knows the contract (sync protocol 2, D12, D14, D33 to D37) and none of the product's code.
 */
import { TEXTS, type Entry, type Text } from './truth.ts';

export interface Told {
  status: string;
  summary: string;
  name: string;
  /** The cursor of the entry that the content is from. */
  cursor: number;
}

export interface Folded {
  /** Explanations by the vendor's id. */
  explanations: Map<string, Told>;
  /** Targets of withdrawals without their original (D35). */
  held: Set<string>;
  /** Cursors of the entries that do not fit (D34). */
  rejected: number[];
}

export function fold(entries: readonly Entry[]): Folded {
  const explanations = new Map<string, Told>();
  const contents = new Map<string, string>();
  const grains = new Map<string, string>();
  /** Ids with present content from v2, which no check has seen (D14). */
  const unchecked = new Set<string>();
  const held = new Set<string>();
  const rejected: number[] = [];
  for (const entry of entries) {
    const { cursor, ...content } = entry;
    if (!fits(entry)) {
      rejected.push(cursor);
      continue;
    }
    if (entry.delivery_type === 'INVALIDATION') {
      const target = String(entry['target_explanation_result_id']);
      const told = explanations.get(target);
      if (told === undefined) held.add(target);
      else told.status = 'INVALIDATED';
      continue;
    }
    const result = entry['explanation_result'] as Record<string, unknown>;
    const id = String(result['explanation_result_id']);
    // An id stands for one instrument and moment (D37).
    const grain = GRAIN.map((field) => String(result[field])).join(' ');
    if ((grains.get(id) ?? grain) !== grain) {
      rejected.push(cursor);
      continue;
    }
    grains.set(id, grain);
    if (contents.get(id) === JSON.stringify(content)) continue;
    contents.set(id, JSON.stringify(content));
    const summary = String(result['summary']);
    const isV2 = result['analysis_engine'] === 'v2';
    const screened = isV2 ? 'AUTO_PUBLISHED' : TEXTS[summary as Text];
    const before = explanations.get(id);
    const isRead = before?.summary === summary && (isV2 || !unchecked.has(id));
    let status = before === undefined ? screened : isRead ? before.status : again(before, screened);
    if (isV2) unchecked.add(id);
    else unchecked.delete(id);
    if (before?.status === 'INVALIDATED' || held.delete(id)) status = 'INVALIDATED';
    explanations.set(id, { status, summary, name: String(result['etf_name']), cursor });
  }
  return { explanations, held, rejected };
}

/** The state after another text: D12 has no move that exposes a held-back text without a person. */
function again({ status }: Told, screened: string): string {
  if (status === 'PENDING_REVIEW') return status;
  return status === 'BLOCKED' && screened === 'AUTO_PUBLISHED' ? 'PENDING_REVIEW' : screened;
}

const GRAIN = ['etf_instrument_id', 'etf_ticker', 'trade_date', 'explanation_as_of'];

const RESULT_TEXTS = [
  'explanation_result_id',
  'etf_instrument_id',
  'etf_ticker',
  'etf_name',
  'trade_date',
  'explanation_as_of',
  'summary',
  'primary_thread_id',
];

/** Whether an entry has the fields that sync protocol 2 requires, and only texts that a store can keep. */
function fits(entry: Entry): boolean {
  if (/\\u0000|\\ud[89a-f]/.test(JSON.stringify(entry))) return false;
  if (entry.delivery_type === 'INVALIDATION') {
    const targets = [entry['target_explanation_result_id'], entry['target_movement_analysis_id']];
    return targets.filter((target) => target !== undefined).length === 1 && typeof entry['reason'] === 'string';
  }
  if (entry.delivery_type !== 'NEW') return false;
  const result = entry['explanation_result'] as Record<string, unknown>;
  return (
    RESULT_TEXTS.every((field) => typeof result[field] === 'string') &&
    Array.isArray(entry['source_events']) &&
    Array.isArray(entry['evidences'])
  );
}
