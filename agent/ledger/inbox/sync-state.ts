/** The state of the reception, as the Intake last recorded it (D55). */
import { sql } from 'kysely';
import { HELD_BY_ANOTHER } from '../storage/write-lock.ts';
import type { SyncAlarm, SyncState, SyncStatus } from '../../../shared/wire/console/console.ts';
import { tradingDaysBetween } from '../../../shared/time/trading-days.ts';
import { countHeld, countRejected } from './entries.ts';
import { darkTickers } from '../serving/dark.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import { quarantineNow } from './quarantine.ts';
import type { SyncEventTable, SyncStateTable } from '../storage/tables.ts';

/** The fields that every pull sets, successful or not. */
interface Pulled {
  at: string;
  /** The latest beginning of the next pull; null where it is unknown. */
  nextBy?: string | null;
  /** As `SyncStatus` has it. */
  cutSeconds?: number | null;
}

interface Well {
  at: string;
  head: number | null;
  nextBy: string | null;
  statedAt: string | null;
  withheld: number;
  waitSeconds: number | null;
  cutSeconds: number | null;
}
const pulledWell = prepared(
  ({ at, head, nextBy, statedAt, withheld, waitSeconds, cutSeconds }: Well) => sql`
  UPDATE sync_state SET state = 'OK', last_attempt_at = ${at}, last_success_at = ${at}, head = ${head},
    next_attempt_by = ${nextBy},
    statement_at = iif(${statedAt} > coalesce(statement_at, ''), ${statedAt}, statement_at),
    statement_seen_at = iif(${statedAt} > coalesce(statement_at, ''), ${at}, statement_seen_at),
    withheld_polls = CASE WHEN ${withheld} THEN withheld_polls + 1 ELSE 0 END,
    wait_seconds = ${waitSeconds}, wait_cut_seconds = ${cutSeconds},
    last_error_code = NULL, last_error_message = NULL, last_error_at = NULL
  WHERE id = 1`,
);

/**
 * Records a successful pull, which ends any present error. Of the statements the newest stays, whichever came last (D203). `head` is null when the answer did not give it; `statedAt`:
 * the time of its verified statement; `withheld`: it announced records beyond the committed cursor and gave none;
 * `waitSeconds`: the next pull follows at once and waits for so long.
 */
export function recordPull(
  tx: LedgerTransaction,
  {
    at,
    nextBy = null,
    head,
    statedAt = null,
    withheld = false,
    waitSeconds = null,
    cutSeconds = null,
  }: Pulled & { head: number | null; statedAt?: string | null; withheld?: boolean; waitSeconds?: number | null },
): void {
  recordChange(tx, { at, state: 'OK', code: null, message: null });
  tx.run(pulledWell({ at, nextBy, head, statedAt, withheld: withheld ? 1 : 0, waitSeconds, cutSeconds }));
}

/** A pull that failed. */
export function recordPullFailure(
  tx: LedgerTransaction,
  failure: Pulled & {
    state: Exclude<SyncState, 'NEVER' | 'OK'>;
    code: string;
    message: string;
    head?: number | null;
  },
): void {
  recordChange(tx, failure);
  tx.run(
    sqlite
      .updateTable('sync_state')
      .set({
        state: failure.state,
        last_attempt_at: failure.at,
        next_attempt_by: failure.nextBy ?? null,
        last_error_code: failure.code,
        last_error_message: failure.message,
        last_error_at: failure.at,
        wait_seconds: null,
        wait_cut_seconds: failure.cutSeconds ?? null,
        ...(failure.head === undefined ? {} : { head: failure.head }),
      })
      .where('id', '=', 1),
  );
}

/** Records why applying cannot continue, once until it does. Null: it continues. */
export function recordApplyFault(
  tx: LedgerTransaction,
  fault: { at: string; code: string; message: string } | null,
): void {
  const now = tx.first(sqlite.selectFrom('sync_state').select(['state', 'apply_error_message']));
  if (now === undefined || now.apply_error_message === (fault?.message ?? null)) return;
  tx.run(
    sqlite.updateTable('sync_state').set({
      apply_error_code: fault?.code ?? null,
      apply_error_message: fault?.message ?? null,
      apply_error_at: fault?.at ?? null,
    }),
  );
  if (fault !== null) tx.run(insertEvent({ ...fault, state: now.state }));
}

const stateNow = prepared(() => sqlite.selectFrom('sync_state').select('state').where('id', '=', 1));
const insertEvent = insertion<Omit<SyncEventTable, 'id'>>('sync_event', ['at', 'state', 'code', 'message']);

/** Adds a changed state to the history; an unchanged one adds nothing. */
function recordChange(
  tx: LedgerTransaction,
  { at, state, code, message }: { at: string; state: SyncState; code: string | null; message: string | null },
): void {
  if (tx.first(stateNow())?.state !== state) tx.run(insertEvent({ at, state, code, message }));
}

const headNow = prepared(() => sqlite.selectFrom('sync_state').select('head').where('id', '=', 1));

/** The cloud's last known head, or null (D31). Below the committed cursor: the cloud has lost records. */
export function readHead(reader: LedgerReader): number | null {
  return reader.first(headNow())?.head ?? null;
}

/** The state of the reception alone. */
export function receptionState(reader: LedgerReader): SyncState {
  return reader.first(stateNow())?.state ?? 'NEVER';
}

/** This many answers in a row may say "nothing new" below the head: a record may arrive between two reads. */
const WITHHELD_POLLS = 3;
/** A pull may last two minutes, and wait for 45 s before; and the ledger may be busy. */
const LATE_MS = 180_000;
/** A pull that waits has an answer so long after its wait, or its Intake has ended. */
const WAIT_OVER_MS = 30_000;
/** The clocks of host and cloud may differ by this (D203). */
const CLOCK_OFF_MS = 120_000;
/** A pause of this many whole trading days is unusual for a market, even with good answers. */
const QUIET_DAYS = 2;

/** @param now gives the length of the quiet time  @param isLedgerHeld as a `WriteLockWatch` says */
export function syncStatus(reader: LedgerReader, now: Date, isLedgerHeld = false): SyncStatus {
  const row = reader.first(sqlite.selectFrom('sync_state').selectAll().where('id', '=', 1));
  if (row === undefined) throw new Error('the ledger has no sync_state row');
  const held = countHeld(reader);
  const rejected = countRejected(reader);
  const quarantined = quarantineNow(reader);
  const dark = darkTickers(reader, now);
  const lastReceivedAt = lastReceived(reader);
  const { state, head, committed_cursor: committed, applied_cursor: applied } = row;
  const isLate = isOverdue(row, now);
  const quietSince = lastReceivedAt ?? firstAnswered(reader);
  const isQuiet = quietSince !== null && tradingDaysBetween(new Date(quietSince), now) >= QUIET_DAYS;
  const alarms: [SyncAlarm, boolean][] = [
    ['NOT_OK', state !== 'OK' && state !== 'NEVER'],
    ['NOT_ASKING', isLate],
    ['RAW_DAMAGED', row.apply_error_code === RAW_DAMAGED],
    ['CLOUD_BEHIND', head !== null && head < committed],
    ['STALLED', state === 'OK' && row.withheld_polls >= WITHHELD_POLLS],
    // Where pulling itself fails, or the cloud is known to withhold records, this alarm adds nothing.
    ['QUIET', state === 'OK' && isQuiet && !isLate && row.withheld_polls < WITHHELD_POLLS],
    ['NOT_APPLIED', applied < committed],
    ['HELD_INVALIDATIONS', held > 0],
    ['REJECTED_ENTRIES', rejected > 0],
    ['QUARANTINED_BUNDLES', quarantined.unseen > 0],
    ['LEDGER_HELD', isLedgerHeld],
    ['CLOCK_OFF', isClockOff(row)],
    ['DARK_TICKERS', dark.length > 0],
  ];
  return {
    state,
    committedCursor: committed,
    appliedCursor: applied,
    head,
    lag: head === null ? null : Math.max(0, head - committed),
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    lastReceivedAt,
    waitSeconds: isWaiting(row, now) ? row.wait_seconds : null,
    waitCutSeconds: row.wait_cut_seconds,
    lastError:
      (isLedgerHeld ? { code: 'LEDGER_HELD', message: HELD_BY_ANOTHER, at: now.toISOString() } : null) ??
      errorOf(row.last_error_code, row.last_error_message, row.last_error_at) ??
      errorOf(row.apply_error_code, row.apply_error_message, row.apply_error_at),
    heldInvalidations: held,
    rejectedEntries: rejected,
    quarantinedBundles: quarantined.kept,
    quarantinedUnseen: quarantined.unseen,
    quarantinedDropped: quarantined.dropped,
    darkTickers: dark,
    alarms: alarms.filter(([, isOn]) => isOn).map(([alarm]) => alarm),
  };
}

/**
 * Whether the Intake is late with its next pull. A last attempt in the future was made before the clock was set back:
 * until the next one it is unknown whether the Intake still runs.
 */
function isOverdue(
  { next_attempt_by: by, last_attempt_at: last }: Pick<SyncStateTable, 'next_attempt_by' | 'last_attempt_at'>,
  now: Date,
): boolean {
  if (by === null) return false;
  return Date.parse(by) + LATE_MS < now.getTime() || (last !== null && Date.parse(last) - LATE_MS > now.getTime());
}

/** Whether the Intake is connected and waits for news: its last pull was good, and the next one began with its end. */
function isWaiting(
  {
    state,
    wait_seconds: seconds,
    last_attempt_at: last,
  }: Pick<SyncStateTable, 'state' | 'wait_seconds' | 'last_attempt_at'>,
  now: Date,
): boolean {
  if (state !== 'OK' || seconds === null || last === null) return false;
  const since = now.getTime() - Date.parse(last);
  return since > -WAIT_OVER_MS && since < seconds * 1_000 + WAIT_OVER_MS;
}

type Clocks = Pick<SyncStateTable, 'statement_at' | 'statement_seen_at' | 'last_error_code'>;
/** A statement that is refused for its time is further off. */
export const isClockOff = ({ statement_at: at, statement_seen_at: seenAt, last_error_code: code }: Clocks): boolean =>
  code === 'STATEMENT_TIME' ||
  (at !== null && seenAt !== null && Math.abs(Date.parse(at) - Date.parse(seenAt)) > CLOCK_OFF_MS);

/** Since when the cloud has answered successfully, for a ledger without any record. */
function firstAnswered(reader: LedgerReader): string | null {
  const query = sqlite.selectFrom('sync_event').select('at').where('state', '=', 'OK').orderBy('id').limit(1);
  return reader.first(query)?.at ?? null;
}

/** The code of a stored body that no longer fits its hash. */
export const RAW_DAMAGED = 'RAW_DAMAGED';

function lastReceived(reader: LedgerReader): string | null {
  const query = sqlite.selectFrom('raw_bundle').select('received_at').orderBy('cursor_from', 'desc').limit(1);
  return reader.first(query)?.received_at ?? null;
}

function errorOf(code: string | null, message: string | null, at: string | null): SyncStatus['lastError'] {
  return code === null || message === null || at === null ? null : { code, message, at };
}
