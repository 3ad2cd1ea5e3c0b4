/** What the tests of the Intake begin with: bundles as a cloud would send them, and a log that can be read. */
import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import type { NewEntry } from '../../shared/wire/bundle.ts';
import { newEntry } from '../ledger/testing.ts';
import type { RawEntry } from './entry.ts';

export const TENANT = 7;

/** A NEW entry at a cursor. */
export function newAt(cursor: number, id: string, result: Partial<NewEntry['explanation_result']> = {}): RawEntry {
  return newEntry(id, result, { cursor });
}

export function invalidationAt(cursor: number, target: string, reason = '출처 기사가 정정되었습니다.'): RawEntry {
  return { cursor, delivery_type: 'INVALIDATION', target_explanation_result_id: target, reason };
}

/** The fields of a bundle that fits; give what matters to the test. */
export function bundleOf(
  cursorFrom: number,
  entries: readonly RawEntry[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    bundle_id: crypto.randomUUID(),
    tenant_id: TENANT,
    generated_at: '2026-11-20T08:00:00.000Z',
    cursor_from: cursorFrom,
    cursor_to: entries.at(-1)?.cursor ?? cursorFrom,
    entries,
    ...fields,
  };
}

/** The bytes of an answer with this bundle, or of one without news. */
export function bodyOf(result?: unknown): Buffer {
  return Buffer.from(
    JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK', ...(result === undefined ? {} : { result }) }),
  );
}

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

/** A log whose lines the test reads. */
export function readableLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as LogLine);
      done();
    },
  });
  return { log: pino({ level: 'debug' }, stream), lines };
}
