/**
 * Detects changes to the data of screens, made by any process or by time alone. SQLite counts the commits of other
 * connections (`data_version`), so a check is cheap while nothing happens; the marks below separate commits that no
 * screen shows (sessions, traffic counts).
 */
import { sql } from 'kysely';
import type { Clock } from '../../../shared/time/clock.ts';
import { sqlite, type Ledger, type LedgerReader } from './ledger.ts';

export interface Watcher {
  /** Whether there is news since the last call. */
  hasChanged(): boolean;
}

/** Whether time alone has changed the content of a screen since an earlier moment. */
export type TimeTells = (reader: LedgerReader, before: Date, now: Date) => boolean;

/** `ledger` must be a connection of its own: SQLite does not count a connection's own commits. */
export function watchLedger(ledger: Ledger, clock: Clock, timeTells: TimeTells): Watcher {
  let seenMoment = clock.now();
  let seenVersion = ledger.dataVersion();
  let seenMarks = marks(ledger);
  return {
    hasChanged() {
      const before = seenMoment;
      seenMoment = clock.now();
      const hasTold = timeTells(ledger, before, seenMoment);
      const version = ledger.dataVersion();
      if (version === seenVersion) return hasTold;
      seenVersion = version;
      const now = marks(ledger);
      if (now === seenMarks) return hasTold;
      seenMarks = now;
      return true;
    },
  };
}

function marks(ledger: Ledger): string {
  const row = ledger.first(
    sqlite
      .selectFrom('sync_state')
      .select([
        'state',
        'committed_cursor',
        'applied_cursor',
        'last_success_at',
        'last_error_at',
        sql<number | null>`(SELECT max(seq) FROM console_action_log)`.as('seq'),
      ])
      .where('id', '=', 1),
  );
  return JSON.stringify(row);
}
