/**
 * How long the vendor's last withdrawal took (D235): from its issue, as its entry in the raw bundle tells it, to the move that
 * took the text off. Both are rows of the ledger that never change, so that no count can be wrong.
 */
import { sql } from 'kysely';
import type { LastOff } from '../../../shared/wire/console/traffic.ts';
import { issuedAtIn, lagSeconds } from '../../../shared/service/lag.ts';
import { rawBundleAfter } from '../inbox/raw-bundles.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { partsOf, positionOfEntry } from './position.ts';

const DAYS = 30;

/**
 * The newest withdrawal of a text that a channel had been served: its hold, if any, was over, and no person had taken it off
 * before (index `explanation_waiting`).
 */
const lastOff = (since: string) => sql<{ id: string; at: string; position: string }>`
  SELECT explanation.id, state_history.at, state_history.position
  FROM explanation JOIN state_history ON state_history.id =
    (SELECT max(h.id) FROM state_history AS h WHERE h.explanation_id = explanation.id AND h.move = 'invalidate')
  WHERE explanation.status = 'INVALIDATED' AND status_since >= ${since}
    AND from_status IN ('AUTO_PUBLISHED', 'PUBLISHED') AND during_hold = 0
    AND EXISTS (SELECT 1 FROM served_period WHERE served_period.explanation_id = explanation.id AND first_at <= state_history.at)
  ORDER BY status_since DESC, state_history.id DESC LIMIT 1`;

/** A ledger that came from a backup applies again what was off before. */
const restoredSince = (since: string) => sql<{ known: number }>`
  SELECT EXISTS (SELECT 1 FROM serving_fact WHERE kind = 'RESTORED' AND at >= ${since}) AS known`;

/** Null without any in the last 30 days, and where its entry does not tell when it was issued. */
export function lastWithdrawalOff(reader: LedgerReader, now: Date): LastOff | null {
  const off = reader.first(lastOff(new Date(now.getTime() - DAYS * 86_400_000).toISOString()));
  if (off === undefined) return null;
  const { cursor } = partsOf(off.position);
  // After a set-aside another entry may stand there.
  const issuedAt = off.position === positionOfEntry(reader, cursor) ? issuedAtOf(reader, cursor) : null;
  if (issuedAt === null || reader.first(restoredSince(issuedAt.toISOString()))?.known === 1) return null;
  return { id: off.id, at: off.at, ms: Math.round(lagSeconds(issuedAt, new Date(off.at)) * 1_000) };
}

/** As the cloud writes it, before all that is longer: the bundle may hold megabytes of other entries. */
function issuedAtOf(reader: LedgerReader, cursor: number): Date | null {
  const raw = rawBundleAfter(reader, cursor - 1);
  if (raw === undefined) return null;
  const body = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength);
  const start = body.indexOf(`{"cursor":${cursor},"issued_at":"`);
  const told = /"issued_at":"([^"]+)","delivery_type":"INVALIDATION"/.exec(
    start === -1 ? '' : body.toString('utf8', start, start + LONGEST_HEAD),
  );
  return issuedAtIn(told?.[1]);
}

/** Bytes of an entry up to its type. */
const LONGEST_HEAD = 150;
