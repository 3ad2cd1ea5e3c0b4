/**
 * Items that a reviewer has put off (D222). A postponement is its person's own: it hides the item from nobody else, is no
 * work on it, and ends by itself.
 */
import { kstDate, kstInstant } from '../../../shared/time/kst.ts';
import { isTradingDay } from '../../../shared/time/trading-days.ts';
import { WORKING_DAY } from '../../../shared/time/working-hours.ts';
import type { Postponement } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { MoveNotAllowedError } from '../explanations/transitions.ts';
import { itemNow, refuseStale } from './claims.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

const HALF_HOUR_MS = 30 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MARKET_CLOSE = '15:30';
/** No row of days without trading is so long. */
const MOST_DAYS = 60;

interface Postponing {
  id: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: Date;
  expectedVersion?: number;
}

/** The end of a postponement that begins now: in half an hour, at the next close of the market, on the next trading day. */
export function endOf(postponement: Postponement, now: Date): Date {
  switch (postponement) {
    case 'HALF_HOUR':
      return new Date(now.getTime() + HALF_HOUR_MS);
    case 'MARKET_CLOSE':
      return nextAt(MARKET_CLOSE, now, 0);
    case 'TOMORROW':
      return nextAt(WORKING_DAY.begins, now, 1);
  }
}

/** The first such time of a trading day after now, at least `fromDay` days from today in Korea. */
function nextAt(time: string, now: Date, fromDay: number): Date {
  for (let day = fromDay; day < MOST_DAYS; day += 1) {
    const date = kstDate(new Date(now.getTime() + day * DAY_MS));
    const at = kstInstant(date, time);
    if (isTradingDay(date) && at > now) return at;
  }
  throw new RangeError(`No trading day follows ${now.toISOString()} within ${MOST_DAYS} days.`);
}

/**
 * Puts a waiting item off for one person; a further postponement replaces it.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function postpone(tx: LedgerTransaction, asked: Postponing & { until: Date }): void {
  const { id, actor, at, until } = asked;
  const now = itemNow(tx, id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('postpone', now.status, now.version);
  refuseStale(asked, now);
  tx.run(sqlite.deleteFrom('postponed_item').where('member_id', '=', actor.id).where('until', '<=', at.toISOString()));
  const kept = { member_id: actor.id, explanation_id: id, until: until.toISOString() };
  tx.run(
    sqlite
      .insertInto('postponed_item')
      .values(kept)
      .onConflict((conflict) => conflict.columns(['member_id', 'explanation_id']).doUpdateSet({ until: kept.until })),
  );
  record(tx, 'review.postpone', { id, actor, at, detail: { until: kept.until } });
}

/** Ends a person's postponement of an item, if there is one. @throws UnknownExplanationError, VersionMismatchError */
export function resume(tx: LedgerTransaction, asked: Postponing): void {
  const { id, actor, at } = asked;
  refuseStale(asked, itemNow(tx, id));
  if (postponedUntil(tx, [id], actor.id, at).size === 0) return;
  tx.run(sqlite.deleteFrom('postponed_item').where('member_id', '=', actor.id).where('explanation_id', '=', id));
  record(tx, 'review.resume', { id, actor, at, detail: {} });
}

/** Until when a person has put these items off, by id; those that have ended are left out. */
export function postponedUntil(
  reader: LedgerReader,
  ids: readonly string[],
  memberId: string,
  now: Date,
): ReadonlyMap<string, string> {
  if (ids.length === 0) return new Map();
  const rows = reader.all(
    sqlite
      .selectFrom('postponed_item')
      .select(['explanation_id', 'until'])
      .where('member_id', '=', memberId)
      .where('explanation_id', 'in', ids)
      .where('until', '>', now.toISOString()),
  );
  return new Map(rows.map(({ explanation_id, until }) => [explanation_id, until]));
}

function record(
  tx: LedgerTransaction,
  action: 'review.postpone' | 'review.resume',
  { id, actor, at, detail }: Postponing & { detail: Record<string, unknown> },
): void {
  recordAction(tx, { at: at.toISOString(), actor, action, targetType: 'explanation', targetId: id, detail });
}
