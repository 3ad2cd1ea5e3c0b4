/**
 * What decides about serving and is on record in no row of the audit log (D199): the counts of what channels were served,
 * by which a hold stays over after a clock was set back (`visibility.ts`), and the newest statement's time (`ahead.ts`).
 * An alteration that had an effect leaves a trace here, and so does a clock that was set back. Hence notices.
 */
import { sql } from 'kysely';
import { isClockOff } from '../../ledger/inbox/sync-state.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { prepared, sqlite } from '../../ledger/storage/query.ts';

const MOST = 20;

const servedEarly = prepared(
  () => sql<{ id: string; channel: string; at: string; until: string }>`
  SELECT explanation_result_id AS id, channel, served_period.first_at AS at, move.held_until AS until
  FROM state_history AS move
  CROSS JOIN served_period ON served_period.explanation_id = move.explanation_id AND after_move = move.id
  JOIN explanation ON explanation.id = move.explanation_id
  WHERE move.held_until > served_period.first_at ORDER BY move.id LIMIT ${MOST}`,
);

const exposedEarly = prepared(
  (now: string) => sql<{ id: string; at: string; until: string }>`
  SELECT explanation_result_id AS id, max(last_at) AS at, held_until AS until
  FROM explanation JOIN served_period ON explanation_id = explanation.id
  WHERE held_until > ${now} AND last_at >= held_until GROUP BY explanation.id ORDER BY explanation.id LIMIT ${MOST}`,
);

const OR_ALTERED = 'the clock was set back, or somebody has altered the counts of what was given.';

/** One sentence each. */
export function unprovedNotices(reader: LedgerReader, now: Date): string[] {
  const notices = [
    ...reader
      .all(exposedEarly(now.toISOString()))
      .map(
        ({ id, at, until }) =>
          `The text of ${id} is provided before its hold is over (${until}), because it counts as given at ${at}: ${OR_ALTERED}`,
      ),
    ...reader
      .all(servedEarly())
      .map(
        ({ id, channel, at, until }) =>
          `The text of ${id} was given to ${channel} at ${at}, before its hold was over (${until}): ${OR_ALTERED}`,
      ),
  ];
  const state = reader.first(
    sqlite.selectFrom('sync_state').select(['statement_at', 'statement_seen_at', 'last_error_code']),
  );
  if (state !== undefined && isClockOff(state))
    notices.push(
      `The newest statement of the cloud is of ${state.statement_at}, and came at ${state.statement_seen_at} by this host’s clock: one of the clocks is off, or somebody has altered these times.`,
    );
  return notices;
}
