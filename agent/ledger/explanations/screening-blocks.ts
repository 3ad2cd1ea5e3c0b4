/**
 * What the screening blocked and no person has decided (D209): the last move is the screening's, and the received entry
 * is there. A text whose raw record was truncated is blocked without a screening, and has no cursor (D67). After a
 * person's decision the screening never blocks (D37), so one in the audit log means that the history has lost it.
 */
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import type { ScreeningTable } from '../storage/tables.ts';
import { SCREENED_COLUMNS, type ScreenedRow } from './recent.ts';

/** A block, with the checks that the screening recorded, as JSON. */
export interface ScreeningBlock extends Omit<ScreenedRow, 'row'>, Pick<ScreeningTable, 'checks'> {
  version: number;
}

const blockOf = prepared(
  (id: string) => sql<ScreeningBlock>`
  SELECT ${sql.join(SCREENED_COLUMNS.map((column) => sql.ref(`explanation.${column}`)))}, explanation.version, screening.checks
  FROM explanation
  JOIN state_history AS last
    ON last.id = (SELECT max(id) FROM state_history AS move WHERE move.explanation_id = explanation.id)
  JOIN screening ON screening.id = last.screening_id
  WHERE explanation.id = +${id} AND explanation.status = 'BLOCKED' AND explanation.cursor > 0 AND last.to_status = 'BLOCKED'
    AND NOT EXISTS (SELECT 1 FROM console_action_log WHERE target_id = explanation.id
      AND actor_role IS NOT 'SYSTEM' AND action GLOB 'explanation.*' AND target_type = 'explanation')`,
);

/** Undefined for what is not blocked, or not by the screening. */
export function screeningBlock(reader: LedgerReader, id: string): ScreeningBlock | undefined {
  return reader.first(blockOf(id));
}

const blocked = (most: number) => sql<{ id: string }>`
  SELECT id FROM explanation INDEXED BY explanation_by_status WHERE status = 'BLOCKED'
  ORDER BY trade_date DESC, explanation_as_of DESC, id LIMIT ${most}`;

/** The ids of blocked explanations, whoever blocked them, the latest first. */
export function blockedIds(reader: LedgerReader, most: number): string[] {
  return reader.all(blocked(most)).map(({ id }) => id);
}
