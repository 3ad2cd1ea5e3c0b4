/**
 * What a person's approval gives to a text of v1 beside its state (D211): a number by the firm's pattern, which no other
 * text ever gets, and the end of its validity. Both stand in the move and its row of the audit log. An approval, an edit
 * that takes effect and a correction let a text out and get one; what the program lets out, and a text of v2, has none.
 */
import { sql } from 'kysely';
import type { ApprovalNumbering, Move } from '../../../shared/wire/console/console.ts';
import { approvalNumber, seriesOf } from '../../../shared/wire/approval-pattern.ts';
import { kstDate, kstMidnight } from '../../../shared/time/kst.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ApprovalSettingTable, ApprovalSeriesTable } from '../storage/review-tables.ts';
import type { ExplanationTable, StateHistoryTable } from '../storage/tables.ts';
import { comesAt, type Dated } from './ahead.ts';

export type Approval = Pick<StateHistoryTable, 'approval_number' | 'valid_until'>;

export const NO_APPROVAL: Approval = { approval_number: null, valid_until: null };

/** After a restore it is not known which numbers were given (409). */
export class ApprovalNumbersClosedError extends Error {
  override name = 'ApprovalNumbersClosedError';
  constructor(closedAt: string) {
    super(
      `The ledger was restored at ${closedAt}, and approval numbers that were given after its backup are not known: state in the settings from which number they go on.`,
    );
  }
}

/** The setting has changed since the caller read it (412). */
export class ApprovalSettingMovedOnError extends Error {
  override name = 'ApprovalSettingMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`The setting of approval numbers is at version ${version} now.`);
    this.version = version;
  }
}

/** The number with which a series shall go on is missing, or was given already (409). */
export class NextNumberError extends Error {
  override name = 'NextNumberError';
  /** The lowest that is possible. */
  readonly least: number;
  constructor(message: string, least: number) {
    super(message);
    this.least = least;
  }
}

const settingNow = prepared(() =>
  sqlite.selectFrom('approval_setting').select(['pattern', 'valid_days', 'closed_at', 'version']),
);
const NO_SETTING = { pattern: null, valid_days: null, closed_at: null, version: 1 };
const setting = (reader: LedgerReader): Omit<ApprovalSettingTable, 'id'> => reader.first(settingNow()) ?? NO_SETTING;

const lastOf = prepared((series: string) =>
  sqlite.selectFrom('approval_series').select('last').where('series', '=', series),
);
const putLast = prepared(({ series, last }: ApprovalSeriesTable) =>
  sqlite
    .insertInto('approval_series')
    .values({ series, last })
    .onConflict((conflict) => conflict.doUpdateSet({ last: sql`max(last, excluded.last)` })),
);
const givenAlready = prepared((number: string) =>
  sqlite.selectFrom('state_history').select('id').where('approval_number', '=', number),
);

interface Next {
  series: string;
  running: number;
  number: string;
}

/** The next number of a day's series. Numbers that the history has already, as of another pattern, are passed over. */
function nextOf(reader: LedgerReader, pattern: string, day: string): Next {
  const series = seriesOf(pattern, day);
  for (let running = (reader.first(lastOf(series))?.last ?? 0) + 1; ; running += 1) {
    const number = approvalNumber(pattern, day, running);
    if (reader.first(givenAlready(number)) === undefined) return { series, running, number };
  }
}

/** The moves by which a person lets a text out. */
const isApproval = (move: Move): boolean => move === 'approve' || move === 'approve-edited' || move === 'correct';

/** The text that a move lets out, with the end of its hold after the move. */
type LetOut = Dated & Pick<ExplanationTable, 'analysis_engine' | 'held_until'>;

/**
 * Number and end of the approval that a move is, where it is one. The days of the validity are Korean ones, and the first
 * is that on which the text can be exposed: otherwise an approval could lapse during the hold of its text.
 *
 * @throws ApprovalNumbersClosedError
 */
export function approvalBy(
  tx: LedgerTransaction,
  { move, actor, at }: { move: Move; actor: Actor; at: string },
  text: LetOut,
): Approval {
  if (!isApproval(move) || actor.kind !== 'MEMBER' || text.analysis_engine === 'v2') return NO_APPROVAL;
  const { pattern, valid_days: days, closed_at: closedAt } = setting(tx);
  const day = kstDate(new Date(at));
  const valid_until = days === null ? null : endOf(days, firstDay(at, text));
  if (pattern === null) return { approval_number: null, valid_until };
  if (closedAt !== null) throw new ApprovalNumbersClosedError(closedAt);
  const { series, running, number } = nextOf(tx, pattern, day);
  tx.run(putLast({ series, last: running }));
  return { approval_number: number, valid_until };
}

/** By a host whose clock is slow, the hold ends on the day before that of the text (`ahead.ts`). */
const firstDay = (at: string, { held_until, ...dated }: LetOut): string =>
  [at, held_until ?? at, comesAt(dated)].map((each) => kstDate(new Date(each))).reduce((a, b) => (b > a ? b : a));

const DAY_MS = 86_400_000;
const endOf = (days: number, first: string): string =>
  new Date(kstMidnight(first).getTime() + days * DAY_MS).toISOString();

/** The setting as the console reads it. */
export function approvalNumbering(reader: LedgerReader, now: Date): ApprovalNumbering {
  const { pattern, valid_days: validDays, closed_at: closedAt, version } = setting(reader);
  const next = pattern === null || closedAt !== null ? null : nextOf(reader, pattern, kstDate(now)).number;
  return { pattern, validDays, closedAt, next, version };
}

export interface NumberingChange {
  pattern: string | null;
  validDays: number | null;
  /** The running number with which the pattern's series goes on; absent: after the last one. */
  next?: number | undefined;
}

/**
 * Sets pattern and validity for the approvals that follow. A series that the ledger does not know, and any after a restore
 * that may have lost numbers, begins where the person says.
 *
 * @throws ApprovalSettingMovedOnError, NextNumberError
 */
export function setApprovalNumbering(
  tx: LedgerTransaction,
  { pattern, validDays, next }: NumberingChange,
  { actor, at, expectedVersion }: { actor: Actor; at: string; expectedVersion?: number },
): void {
  const before = setting(tx);
  if (expectedVersion !== undefined && expectedVersion !== before.version)
    throw new ApprovalSettingMovedOnError(before.version);
  const series = pattern === null ? null : seriesOf(pattern, kstDate(new Date(at)));
  const last = series === null ? undefined : tx.first(lastOf(series))?.last;
  const least = (last ?? 0) + 1;
  if (next !== undefined && next < least)
    throw new NextNumberError(`Numbers up to ${least - 1} of this series are given already.`, least);
  if (series !== null && next === undefined && (last === undefined || before.closed_at !== null))
    throw new NextNumberError('State the running number with which this series goes on.', least);
  const isSame = before.pattern === pattern && before.valid_days === validDays && next === undefined;
  if (isSame) return;
  if (series !== null && next !== undefined) tx.run(putLast({ series, last: next - 1 }));
  const closed_at = next === undefined ? before.closed_at : null;
  const version = before.version + 1;
  tx.run(sqlite.updateTable('approval_setting').set({ pattern, valid_days: validDays, closed_at, version }));
  recordAction(tx, {
    at,
    actor,
    action: 'review.approval-numbers',
    targetType: 'review',
    targetId: null,
    detail: {
      from: { pattern: before.pattern, validDays: before.valid_days },
      to: { pattern, validDays },
      ...(next === undefined ? {} : { next }),
    },
  });
}

const allSeries = prepared(() => sqlite.selectFrom('approval_series').select(['series', 'last']));

/** Where all series of a ledger go on, and whether they are closed. */
export const seriesIn = (reader: LedgerReader): { series: ApprovalSeriesTable[]; closedAt: string | null } => ({
  series: reader.all(allSeries()),
  closedAt: setting(reader).closed_at,
});

/** After a restore: numbers of the ledger that it replaces are not given again. */
export function goOnAfter(tx: LedgerTransaction, series: readonly ApprovalSeriesTable[]): void {
  for (const each of series) if ((tx.first(lastOf(each.series))?.last ?? -1) < each.last) tx.run(putLast(each));
}

/**
 * After a restore that may have lost numbers: none is given until a person has said where they go on.
 *
 * @returns whether the ledger gives numbers, or has given any
 */
export function closeNumbers(tx: LedgerTransaction, actor: Actor, at: string): boolean {
  const { pattern, version } = setting(tx);
  if (pattern === null && tx.first(allSeries()) === undefined) return false;
  tx.run(sqlite.updateTable('approval_setting').set({ closed_at: at, version: version + 1 }));
  recordAction(tx, {
    ...{ at, actor, action: 'review.approval-numbers-closed', targetType: 'review', targetId: null },
    detail: { pattern },
  });
  return true;
}
