/**
 * The deliveries of the cloud in these tests: entries in the form of sync protocol 2, written here
 * from the contract and not from the code under test, so that a field that the code forgets is missed.
 */
import { createHash } from 'node:crypto';
import { Seeded } from '../support/seeded.ts';

export const TENANT = 7;

/** An entry in the form of a bundle. */
export interface Entry {
  cursor: number;
  delivery_type: string;
  [field: string]: unknown;
}

/** Texts and where each leads under the seed policy (D14). */
export const TEXTS = {
  '반도체 수출 증가 소식에 지수가 올랐습니다.': 'AUTO_PUBLISHED',
  '외국인 매물에 지수가 내렸습니다.': 'AUTO_PUBLISHED',
  '지금은 매수 시점입니다.': 'PENDING_REVIEW',
  '이 상품은 확정 수익을 드립니다.': 'BLOCKED',
} as const;
export type Text = keyof typeof TEXTS;
export const TEXT_LIST = Object.keys(TEXTS) as Text[];

export interface NewFields {
  summary?: string;
  /** The instrument's name: content that has no part in screening. */
  name?: string;
  ticker?: string;
  v2?: boolean;
}

/** A NEW entry with the least grounds that pass the seed policy: two sources, one document evidence. */
export function newAt(cursor: number, id: string, { summary, name, ticker, v2 }: NewFields = {}): Entry {
  return {
    cursor,
    delivery_type: 'NEW',
    explanation_result: {
      explanation_result_id: id,
      etf_instrument_id: `instrument-${ticker ?? '069500'}`,
      etf_ticker: ticker ?? '069500',
      etf_name: name ?? 'KODEX 200',
      trade_date: '2026-11-20',
      explanation_as_of: '2026-11-20T06:30:00.000Z',
      explanation_type: v2 === true ? null : 'EVENT_SUPPORTED',
      summary: summary ?? TEXT_LIST[0],
      confidence_level: v2 === true ? null : 'HIGH',
      primary_thread_id: `thread-${id}`,
      ...(v2 === true ? { analysis_engine: 'v2' } : {}),
    },
    explanation_run: { explanation_run_id: `run-${id}`, release_bundle_version: v2 === true ? null : '2026.11.1' },
    source_events: [
      { source_event_id: `${id}-a`, source_class: 'NEWS', event_type_code: 'EARNINGS', event_date: '2026-11-20' },
      { source_event_id: `${id}-b`, source_class: 'DISCLOSURE', event_type_code: 'CONTRACT', event_date: null },
    ],
    evidences: [{ kind: 'NEWS', title: '수출 증가', source: 'HANKANG', published_at: '2026-11-20T01:00:00.000Z' }],
  };
}

export function invalidationAt(cursor: number, target: string, reason = '출처 기사가 정정되었습니다.'): Entry {
  return { cursor, delivery_type: 'INVALIDATION', target_explanation_result_id: target, reason };
}

/**
 * The entry at a place of an endless, colourful stream: new ones, the same ids again with and without
 * other content (38), withdrawals of known, of unknown and of withdrawn ones (7), retired and unknown
 * types and broken entries (36). Cursors have gaps.
 */
export function entryNumber(index: number, seed = 1): Entry {
  const random = new Seeded(seed * 1_000_003 + index);
  const cursor = cursorNumber(index, seed);
  const id = `e${seed}-${random.chance(0.75) ? index : random.below(index + 3)}`;
  const kind = random.next();
  if (kind < 0.8) {
    return newAt(cursor, id, {
      summary: random.pick(TEXT_LIST),
      name: random.pick(['KODEX 200', 'KODEX 200TR']),
      ticker: random.pick(['069500', '102110', '229200']),
      v2: random.chance(0.1),
    });
  }
  if (kind < 0.95) return invalidationAt(cursor, id, random.pick(['기사 정정', '계산 오류']));
  return random.pick([
    { cursor, delivery_type: 'CORRECTION', explanation_result_id: id },
    { cursor, delivery_type: 'SOMETHING_NEW' },
    { ...newAt(cursor, id), explanation_result: { explanation_result_id: id } },
    { cursor, delivery_type: 'INVALIDATION', reason: '대상이 없음' },
    newAt(cursor, id, { summary: 'a\u0000b' }),
  ]);
}

/** Ascending, with gaps of up to two. */
function cursorNumber(index: number, seed: number): number {
  return 3 * index + 1 + new Seeded(seed + index * 7).below(3);
}

export function entries(count: number, seed = 1): Entry[] {
  return Array.from({ length: count }, (_, index) => entryNumber(index, seed));
}

/** A bundle's fields for some entries; anything can be put wrong. */
export function bundleOf(after: number, some: readonly unknown[], fields: Record<string, unknown> = {}) {
  const last = some.at(-1) as { cursor?: number } | undefined;
  return {
    bundle_id: crypto.randomUUID(),
    tenant_id: TENANT,
    generated_at: new Date().toISOString(),
    cursor_from: after,
    cursor_to: last?.cursor ?? after,
    entries: some,
    ...fields,
  };
}

/** The bytes of a pull's answer: with this bundle, or without news (sync protocol 4). */
export function bodyOf(result?: unknown): Buffer {
  return Buffer.from(
    JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK', ...(result === undefined ? {} : { result }) }),
  );
}

/** The bytes of a failure (D4). */
export function failureOf(code: string, message = 'said by the cloud'): Buffer {
  return Buffer.from(JSON.stringify({ isSuccess: false, code, message }));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
