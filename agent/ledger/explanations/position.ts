/**
 * The order in which statements about a ticker count (D202): that of the vendor's cursors, so that it never depends on
 * when an entry is applied. An entry has its cursor. A person's act comes after all that was committed by then, and acts
 * at one cursor follow each other by a number. Positions are compared as texts.
 *
 * Written out: it runs in every act of a person.
 */
import { readCursors } from '../inbox/raw-bundles.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';

/** 2^53 has 16 digits (D3). */
const DIGITS = 16;
const ACT_DIGITS = 9;

export const positionOfEntry = (cursor: number): string => String(cursor).padStart(DIGITS, '0');

/** Of a move by the program that no entry causes. */
export const positionNow = (reader: LedgerReader): string => positionOfEntry(readCursors(reader).committed);

const lastOfTicker = statement<[id: string], { position: string | null }>(`
  SELECT max(max(stated_position, coalesce(ended_position, ''))) AS position FROM explanation
  WHERE etf_ticker = (SELECT etf_ticker FROM explanation WHERE id = ?)`);

/** Of a person's act on an explanation. */
export function positionOfAct(reader: LedgerReader, id: string): string {
  const here = `${positionNow(reader)}+`;
  const last = reader.first(lastOfTicker(id))?.position ?? '';
  const number = last.startsWith(here) ? Number(last.slice(here.length)) + 1 : 1;
  return here + String(number).padStart(ACT_DIGITS, '0');
}

const firstMove = statement<[id: string], { position: string }>(
  'SELECT position FROM state_history WHERE explanation_id = ? ORDER BY id LIMIT 1',
);

/** The cursor of the entry with which an explanation was first received, by its history. */
export function firstCursorOf(reader: LedgerReader, id: string): number | undefined {
  const first = reader.first(firstMove(id));
  return first === undefined ? undefined : Number.parseInt(first.position, 10);
}
