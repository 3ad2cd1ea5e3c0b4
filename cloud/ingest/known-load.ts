/** A load that was taken, by the id of its result or analysis (D218). */
import { sql } from 'kysely';
import { z } from 'zod';
import { LONGEST } from '../../shared/wire/entry-fields.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import type { Db } from '../store/open.ts';

export const knownLoadSchema = z.strictObject({
  id: z.string(),
  /** Its present state. */
  outcome: z.enum(['PUBLISHED', 'DRAFT', 'WITHDRAWN']),
  /** Why it is a DRAFT, or was withdrawn; null otherwise. */
  reason: z.string().nullable(),
  /** As the load told it (D205). */
  ticker: z.string(),
  tradeDate: z.string(),
  explanationAsOf: z.string(),
  takenAt: z.string(),
  withdrawnAt: z.string().nullable(),
});
export type KnownLoad = z.infer<typeof knownLoadSchema>;

interface Row {
  status: KnownLoad['outcome'];
  draft_reason: string | null;
  withdrawal_reason: string | null;
  withdrawn_at: Date | null;
  trade_date: string;
  explanation_as_of: Date;
  created_at: Date;
  ticker: string;
}

/** @throws ApiError COMMON404 for an id that was never loaded */
export async function findLoad(db: Db, id: string): Promise<KnownLoad> {
  // The path of all loads with a slash behind it is no surface.
  if (id === '') throw new ApiError('COMMON403');
  if (id.length > LONGEST.id || id.includes('\0') || !id.isWellFormed()) throw unknown();
  const of = (table: string, key: string, reason: string) => sql`
    select publication_status as status, ${sql.raw(reason)} as draft_reason, withdrawal_reason, withdrawn_at, trade_date, explanation_as_of,
      created_at, instrument_name_id
    from ${sql.table(table)} where ${sql.ref(key)} = ${id}`;
  const { rows } = await sql<Row>`
    select k.*, n.ticker from (
      ${of('explanation_result', 'explanation_result_id', 'draft_reason')}
      union all ${of('movement_analysis', 'movement_analysis_id', 'null')}
    ) k join instrument_name n using (instrument_name_id)`.execute(db);
  const [row] = rows;
  if (row === undefined) throw unknown();
  return {
    id,
    outcome: row.status,
    reason: row.withdrawal_reason ?? row.draft_reason,
    ticker: row.ticker,
    tradeDate: row.trade_date,
    explanationAsOf: row.explanation_as_of.toISOString(),
    takenAt: row.created_at.toISOString(),
    withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
  };
}

const unknown = (): ApiError =>
  new ApiError('COMMON404', 'No load with this id was taken: a FAILED or SKIPPED one leaves nothing.');
