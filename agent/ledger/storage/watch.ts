/**
 * Detects changes to the data of screens, made by any process or by time alone. SQLite counts the commits of other
 * connections (`data_version`), so a check is cheap while nothing happens; the marks below separate commits that no
 * screen shows (sessions, traffic counts).
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Ledger, LedgerReader } from './ledger.ts';
import { sqlite } from './query.ts';

/** What is new: anything, or only that these members have claimed or released items. */
export type News = 'ANYTHING' | { claimsOf: ReadonlySet<string> };

export interface Watcher {
  /** The news since the last call; null for none. */
  news(): News | null;
}

/** Whether time alone has changed the content of a screen since an earlier moment. */
export type TimeTells = (reader: LedgerReader, before: Date, now: Date) => boolean;

/** `ledger` must be a connection of its own: SQLite does not count a connection's own commits. */
export function watchLedger(ledger: Ledger, clock: Clock, timeTells: TimeTells): Watcher {
  let seenMoment = clock.now();
  let seenVersion = ledger.dataVersion();
  let seen = marks(ledger);
  return {
    news() {
      const before = seenMoment;
      seenMoment = clock.now();
      const byTime = timeTells(ledger, before, seenMoment) ? 'ANYTHING' : null;
      const version = ledger.dataVersion();
      if (version === seenVersion) return byTime;
      seenVersion = version;
      const former = seen;
      seen = marks(ledger);
      if (seen.other !== former.other) return 'ANYTHING';
      if (seen.seq === former.seq) return byTime;
      return byTime ?? newRows(ledger, former.seq ?? 0);
    },
  };
}

/** A moment and a digest of the marks, to be compared with a later state by `hasChangedSince`. */
export const MARK = /^(\d{1,14})-([0-9a-f]{16})$/u;

export function markOf(reader: LedgerReader, clock: Clock): string {
  // The moment first: what time changes from then on is found.
  return `${clock.now().getTime()}-${digestOf(reader)}`;
}

/** Whether screens may show something else than at the time of a mark. */
export function hasChangedSince(reader: LedgerReader, mark: string, clock: Clock, timeTells: TimeTells): boolean {
  const [, moment, digest] = MARK.exec(mark) ?? [];
  if (moment === undefined || digest !== digestOf(reader)) return true;
  return timeTells(reader, new Date(Number(moment)), clock.now());
}

interface Marks {
  /** The newest row of the audit log. */
  seq: number | null;
  other: string;
}

function marks(reader: LedgerReader): Marks {
  const { seq = null, ...other } =
    reader.first(
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
    ) ?? {};
  return { seq, other: JSON.stringify(other) };
}

function digestOf(reader: LedgerReader): string {
  return createHash('sha256')
    .update(JSON.stringify(marks(reader)))
    .digest('hex')
    .slice(0, 16);
}

const CLAIMS = ['review.claim', 'review.claim-released'];

function newRows(reader: LedgerReader, after: number): News {
  const rows = sqlite.selectFrom('console_action_log').where('seq', '>', after);
  if (reader.first(rows.select('seq').where('action', 'not in', CLAIMS).limit(1)) !== undefined) return 'ANYTHING';
  const members = reader.all(rows.select('actor_id').distinct()).flatMap(({ actor_id }) => actor_id ?? []);
  return members.length === 0 ? 'ANYTHING' : { claimsOf: new Set(members) };
}
