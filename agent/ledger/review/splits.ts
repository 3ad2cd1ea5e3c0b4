/**
 * The splits of the queue (D232): what it is a person's turn to decide, what waits for the second of four eyes or for an
 * opinion, and what no decision exposes any more.
 */
import { sql } from 'kysely';
import type { Split, SplitCounts } from '../../../shared/wire/console/console.ts';
import { statusCounts } from '../explanations/counts.ts';
import { candidateOf, momentOf, type Moment } from '../serving/visibility.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { beforeWorkingMs } from '../../../shared/time/working-hours.ts';
import { reviewTarget } from './target.ts';
import { handedToOthers } from './hand-overs.ts';
import { editsForSecond, isSecondPerson } from './waiting-edits.ts';

/** Whose queue, and when. */
export interface Beholder {
  memberId: string;
  now: Date;
}

/** A literal: a bound value uses no partial index. */
const allWaiting = sqlite
  .selectFrom('explanation')
  .select('explanation.number')
  .where('explanation.status', '=', sql.lit('PENDING_REVIEW' as const));
/** Few: people make them one by one. */
const waitingEdits = prepared(() =>
  allWaiting.innerJoin('waiting_edit', 'waiting_edit.explanation_id', 'explanation.id').select('explanation.id'),
);
const openOpinions = prepared(() =>
  allWaiting
    .innerJoin('second_opinion', 'second_opinion.explanation_id', 'explanation.id')
    .select('asked_by_id')
    .where('second_opinion.outcome', '=', sql.lit('OPEN' as const)),
);
/** The candidate of a ticker is looked up once. */
const superseded = prepared(
  (moment: Moment) => sql<{ number: number }>`WITH front AS MATERIALIZED (
      SELECT top.etf_ticker, top.trade_date, top.explanation_as_of, top.cursor
      FROM (SELECT DISTINCT etf_ticker FROM explanation WHERE status = 'PENDING_REVIEW') AS waiting
      JOIN explanation AS top ON top.id = ${candidateOf('waiting', moment)})
    SELECT explanation.number FROM front JOIN explanation ON explanation.etf_ticker = front.etf_ticker
    WHERE explanation.status = 'PENDING_REVIEW' AND (front.trade_date, front.explanation_as_of, front.cursor)
      > (explanation.trade_date, explanation.explanation_as_of, explanation.cursor)`,
);

/** What waits for somebody, and whether it waits for another person than this one. */
function awaited(reader: LedgerReader, memberId: string) {
  const rows = reader.all(waitingEdits());
  const edits = editsForSecond(
    reader,
    rows.map(({ id }) => id),
  );
  return {
    SECOND_PERSON: rows.flatMap(({ number, id }) => {
      const edit = edits.get(id);
      return edit === undefined ? [] : [{ number, isMine: isSecondPerson(edit, memberId) }];
    }),
    OPINION: reader
      .all(openOpinions())
      .map(({ number, asked_by_id: asker }) => ({ number, isMine: asker !== memberId })),
  };
}

const supersededAt = (reader: LedgerReader, now: Date): number[] =>
  reader.all(superseded(momentOf(now))).map(({ number }) => number);

/** The numbers of a split; null: all that waits. */
export function splitNumbers(reader: LedgerReader, split: Split, { memberId, now }: Beholder): number[] | null {
  if (split === 'SUPERSEDED') return supersededAt(reader, now);
  const waits = awaited(reader, memberId);
  if (split !== 'MY_TURN') return waits[split].map(({ number }) => number);
  const others = notMine(waits, [...supersededAt(reader, now), ...handedToOthers(reader, memberId)]);
  return others.size === 0
    ? null
    : reader.all(allWaiting).flatMap(({ number }) => (others.has(number) ? [] : [number]));
}

const waitingBefore = prepared((instant: string) => allWaiting.where('status_since', '<', instant));

/** The numbers of the items that have waited for longer than the target, as the dashboard counts them (D233). */
export function lateNumbers(reader: LedgerReader, now: Date): number[] {
  const { minutes } = reviewTarget(reader);
  if (minutes === null) return [];
  return reader.all(waitingBefore(beforeWorkingMs(now, minutes * 60_000).toISOString())).map(({ number }) => number);
}

/** @param others superseded, or handed over to another person */
function notMine(waits: ReturnType<typeof awaited>, others: readonly number[]): ReadonlySet<number> {
  const theirs = [...waits.SECOND_PERSON, ...waits.OPINION].filter(({ isMine }) => !isMine);
  return new Set([...theirs.map(({ number }) => number), ...others]);
}

export function splitCounts(reader: LedgerReader, { memberId, now }: Beholder): SplitCounts {
  const waits = awaited(reader, memberId);
  const replaced = supersededAt(reader, now);
  const all = statusCounts(reader).PENDING_REVIEW;
  return {
    ALL: all,
    MY_TURN: all - notMine(waits, [...replaced, ...handedToOthers(reader, memberId)]).size,
    SECOND_PERSON: waits.SECOND_PERSON.length,
    OPINION: waits.OPINION.length,
    SUPERSEDED: replaced.length,
  };
}
