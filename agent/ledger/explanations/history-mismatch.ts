/**
 * Whether an explanation stands as its history tells. A row that was altered past the program must not lead to a decision
 * in good faith, after which nothing tells of it any more (D199).
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import type { ExplanationTable, StateHistoryTable } from '../storage/tables.ts';

/** Row and records differ: nobody lets the text out before a rebuild. */
export class HistoryMismatchError extends Error {
  override name = 'HistoryMismatchError';
  constructor(id: string, what: string) {
    super(
      `${what} of ${id} is not as its records tell: "intake verify" names what differs, "intake rebuild" mends it.`,
    );
  }
}

/** The history's digest of the screened text. */
export function textDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const ID_CHARACTERS = 22;

/** The same as the audit log tells it: 128 bits are enough against another text for it. */
export const textId = (digest: Uint8Array): string => Buffer.from(digest).toString('base64url').slice(0, ID_CHARACTERS);

const history = (id: string) =>
  sqlite.selectFrom('state_history').where('explanation_id', '=', id).orderBy('id', 'desc').limit(sql.lit(1));

/** What the last move has left; undefined without a history. */
export const lastMoveOf = (
  reader: LedgerReader,
  id: string,
): Pick<StateHistoryTable, 'to_status' | 'held_until' | 'position'> | undefined =>
  reader.first(history(id).select(['to_status', 'held_until', 'position']));

/**
 * Nobody decides about a row in another state, or with another text, than its history tells.
 *
 * @param last its last move
 * @throws HistoryMismatchError
 */
export function refuseOther(
  reader: LedgerReader,
  id: string,
  { status, summary }: Pick<ExplanationTable, 'status' | 'summary'>,
  last: Pick<StateHistoryTable, 'to_status'> | undefined,
): void {
  if (last?.to_status !== status) throw new HistoryMismatchError(id, 'The state');
  const text = reader.first(history(id).select('text_sha256 as sha256').where('text_sha256', 'is not', null))?.sha256;
  if (!textDigest(summary).equals(text ?? Buffer.alloc(0))) throw new HistoryMismatchError(id, 'The text');
}
