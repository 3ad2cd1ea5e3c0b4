/**
 * The order in which statements about a ticker count (D202): that of the vendor's cursors, so that it never depends on
 * when an entry is applied. An entry has its cursor. A person's act comes after all that was committed by then, and acts
 * at one cursor follow each other by a number. Positions are compared as texts.
 *
 * Where raw records are set aside the cursors fall. What the cloud sends from there on comes after all that was before:
 * each set-aside begins an epoch, which stands before the cursor, except in the first one. An entry is of the last epoch
 * that began before its cursor, and an act of the present one.
 */
import { sql } from 'kysely';
import { commandActor, recordAction } from '../audit/audit.ts';
import { provedCursor } from '../inbox/raw-bundles.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

/** 2^53 has 16 digits (D3). */
const DIGITS = 16;
const ACT_DIGITS = 9;
const EPOCH_DIGITS = 6;

/** Epochs rise with the rows. */
const epochBefore = prepared(
  (cursor: number) => sql<{ epoch: number }>`
  SELECT detail ->> 'epoch' AS epoch
  FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action = 'ledger.set-aside' AND actor_role IS NOT 'SYSTEM' AND detail ->> 'committed' < ${cursor} ORDER BY seq DESC LIMIT 1`,
);
const epochOf = (reader: LedgerReader, cursor: number): number => reader.first(epochBefore(cursor))?.epoch ?? 0;

export const epochNow = (reader: LedgerReader): number => epochOf(reader, Number.MAX_SAFE_INTEGER);

/** The row that begins an epoch: what the ledger holds stands before all that comes after the cursor `committed`. */
export function beginEpoch(
  tx: LedgerTransaction,
  at: string,
  detail: { epoch: number; committed: number } & Record<string, number>,
): void {
  const actor = commandActor();
  recordAction(tx, { at, actor, action: 'ledger.set-aside', targetType: 'ledger', targetId: null, detail });
}

/** A letter stands behind all digits. */
export const positionIn = (epoch: number, cursor: number): string =>
  `${epoch === 0 ? '' : `e${String(epoch).padStart(EPOCH_DIGITS, '0')}:`}${String(cursor).padStart(DIGITS, '0')}`;

export const positionOfEntry = (reader: LedgerReader, cursor: number): string =>
  positionIn(epochOf(reader, cursor), cursor);

const positionNow = (reader: LedgerReader): string => positionIn(epochNow(reader), provedCursor(reader));

/** Of a move by the program; undefined: no entry causes it. */
export const positionOfMove = (reader: LedgerReader, cursor: number | undefined): string =>
  cursor === undefined ? positionNow(reader) : positionOfEntry(reader, cursor);

const PARTS = /^(?:e(\d+):)?(\d+)/;

/** Epoch and cursor of a position. */
export function partsOf(position: string): { epoch: number; cursor: number } {
  const [, epoch = 0, cursor = 0] = PARTS.exec(position) ?? [];
  return { epoch: Number(epoch), cursor: Number(cursor) };
}

const lastOfTicker = prepared(
  (id: string) => sql<{ position: string | null }>`
  SELECT max(max(stated_position, coalesce(ended_position, ''))) AS position FROM explanation
  WHERE etf_ticker = (SELECT etf_ticker FROM explanation WHERE id = ${id})`,
);

/** Of a person's act on an explanation. */
export function positionOfAct(reader: LedgerReader, id: string): string {
  const here = `${positionNow(reader)}+`;
  const last = reader.first(lastOfTicker(id))?.position ?? '';
  const number = last.startsWith(here) ? Number(last.slice(here.length)) + 1 : 1;
  return here + String(number).padStart(ACT_DIGITS, '0');
}

const firstMove = prepared(
  (id: string) =>
    sql<{ position: string }>`SELECT position FROM state_history WHERE explanation_id = ${id} ORDER BY id LIMIT 1`,
);

/** The cursor of the entry with which an explanation was first received, by its history. */
export function firstCursorOf(reader: LedgerReader, id: string): number | undefined {
  const first = reader.first(firstMove(id));
  return first === undefined ? undefined : partsOf(first.position).cursor;
}
