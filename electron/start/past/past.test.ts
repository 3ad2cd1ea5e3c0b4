import { afterAll, expect, test } from 'vitest';
import {
  addDays,
  daysBetween,
  isTradingDay,
  playedDay,
  tradingDayUpTo,
} from '../../../cloud/demo/generation/calendar.ts';
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { workingMsBetween } from '../../../shared/time/working-hours.ts';
import { EXPLANATION_STATUSES } from '../../../shared/wire/console/constants.ts';
import { TestFixture } from '../../../test/support/process.ts';
import { isDeep } from '../../../test/support/depth.ts';
import { newSeed, runs } from '../../../test/support/runs.ts';
import { live, type Rows } from '../../../test/support/desktop/past.ts';
import { certificateDays } from './weeks.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const today = kstDate(new Date());

/** Random columns: keys, salted hashes, and values derived from them. */
const RANDOM: Record<string, readonly string[]> = {
  // Ledger: passwords are hashed with a salt; the rows of the log that tell of them are sealed by the host's key, and hash
  // one another; a new vendor key signs bundles and statements.
  member: ['password_hash'],
  console_action_log: ['made', 'hash', 'prev_hash'],
  audit_block: ['root'],
  audit_group: ['root'],
  raw_bundle: ['signature', 'statement'],
  // Tokens of sessions that are open, and what belongs to such a session; the file of an inspector names keys.
  session: ['token_hash', 'proof'],
  review_claim: ['session'],
  inspection_request: ['bytes', 'sha256'],
  // Store: the same for the operator's account; fingerprints, and the log whose rows name them and hash one another.
  operator_account: ['password_hash'],
  operator_session: ['token_hash'],
  tenant_certificate: ['fingerprint', 'serial_number'],
  admin_activity_log: ['target_id', 'hash', 'previous_hash'],
};

/** Without the inherently random columns. */
function told(table: string, rows: readonly unknown[]): Rows[string] {
  const random = RANDOM[table] ?? [];
  return (rows as Record<string, unknown>[])
    .map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !random.includes(column))))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** A day before today that fits. */
function dayBefore(fits: (date: string) => boolean): string {
  let date = addDays(today, -1);
  while (!fits(date)) date = addDays(date, -1);
  return date;
}
const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();
const INSTANTS = [
  `${dayBefore(isTradingDay)}T08:10:00+09:00`,
  `${dayBefore(isTradingDay)}T11:20:00+09:00`,
  `${dayBefore(isTradingDay)}T21:40:00+09:00`,
  `${dayBefore((date) => weekdayOf(date) === 6)}T12:44:00+09:00`,
  `${dayBefore((date) => !isTradingDay(date) && weekdayOf(date) % 6 > 0)}T15:05:00+09:00`,
];
const HOUR_MS = 3_600_000;
/** What ends or may end after now; and the schema of the store, which tests copy from a ready one. */
const ENDS = new Set([
  'valid_until',
  'expires_at',
  'kept_until',
  'held_until',
  'next_attempt_by',
  'not_after',
  'valid_to',
  'applied_at',
]);

function instantOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) ? Date.parse(value) : 0;
}

/** `npm test` takes one of them, by its seed. */
const first = newSeed() % INSTANTS.length;
const chosen = [...INSTANTS.slice(first), ...INSTANTS.slice(0, first)].slice(0, runs(1, INSTANTS.length));

/** The last two trading days show whatever draws anew or reads the machine's clock; a week has the full counts. */
function weeksBefore(until: Date): number {
  const before = tradingDayUpTo(addDays(playedDay(until).date, -1));
  return runs(daysBetween(before, kstDate(until)) / 7, 1);
}

test.each(chosen)(
  'a demo that begins at %s is believable, and the same for the same seed',
  async (instant) => {
    const until = new Date(instant);
    // Certificates are checked against this machine's time.
    const days = daysBetween(kstDate(until), today) + 60;
    const past = { seed: 'causeway-demo', weeks: weeksBefore(until), until, days };
    const { refusals, ledger, store, tenants, certificate } = await live(fixture, past);
    if (isDeep) {
      const again = await live(fixture, past);
      for (const side of ['ledger', 'store'] as const)
        for (const [table, all] of Object.entries({ ledger, store }[side]))
          expect({ table, rows: told(table, again[side][table] ?? []) }).toEqual({ table, rows: told(table, all) });
    }
    const lifeMs = certificate.validToDate.getTime() - certificate.validFromDate.getTime();
    expect(Math.round(lifeMs / (24 * HOUR_MS))).toBe(days);
    expect(certificateDays(8)).toBe(2 * 8 * 7);
    const rows = (table: string): Rows[string] => ledger[table] ?? [];
    expect(refusals).toEqual([]);

    // Every state has explanations, a hold is in the record, and at least twenty items wait, for at least four reasons.
    const explanations = rows('explanation');
    expect(new Set(explanations.map(({ status }) => status))).toEqual(new Set(EXPLANATION_STATUSES));
    const moves = rows('state_history');
    const heldMs = moves
      .filter(({ held_until }) => held_until !== null)
      .map(({ at, held_until }) => Date.parse(String(held_until)) - Date.parse(String(at)));
    expect(new Set(heldMs)).toEqual(new Set([5_000]));
    const waiting = explanations.filter(({ status }) => status === 'PENDING_REVIEW');
    // Some more may be back from a stop, or left by the reviewer who is at work.
    expect(waiting.length).toBeGreaterThanOrEqual(20);
    expect(waiting.length).toBeLessThanOrEqual(30);
    const reasons = new Set(waiting.flatMap(({ failed_checks }) => JSON.parse(String(failed_checks)) as string[]));
    expect(reasons.size).toBeGreaterThanOrEqual(4);
    const byTicker = Map.groupBy(waiting, ({ etf_ticker }) => etf_ticker);
    expect(Math.max(...[...byTicker.values()].map(({ length }) => length))).toBeGreaterThanOrEqual(3);
    // As the console counts it: the target is of working hours.
    const targetMs = Number(rows('review_target')[0]?.['minutes']) * 60_000;
    const late = waiting.filter((one) => workingMsBetween(new Date(String(one['status_since'])), until) > targetMs);
    expect(late).toHaveLength(2);
    const isWaiting = ({ explanation_id }: Rows[string][number]): boolean =>
      waiting.some(({ id }) => id === explanation_id);
    for (const table of ['waiting_edit', 'personal_draft', 'review_claim'])
      expect(rows(table).filter(isWaiting).length, table).toBeGreaterThan(0);
    expect(rows('second_opinion').filter((one) => one['outcome'] === 'OPEN' && isWaiting(one)).length).toBeGreaterThan(
      0,
    );

    // One close has one return.
    const returns = Map.groupBy(explanations, (one) =>
      ['etf_ticker', 'trade_date', 'content_as_of'].map((column) => String(one[column])).join(' '),
    );
    for (const [close, texts] of returns)
      expect([close, new Set(texts.map((one) => one['observed_return'])).size]).toEqual([close, 1]);

    // At least a hundred decisions in five trading days, by four people, each of whom was logged in, the last minutes ago.
    const decided = moves.filter(({ move }) => ['approve', 'approve-edited', 'reject', 'block'].includes(String(move)));
    const byPeople = decided.filter(({ actor_id }) => actor_id !== null);
    expect(byPeople.length).toBeGreaterThanOrEqual(runs(40, 100));
    expect(new Set(byPeople.map(({ actor }) => actor)).size).toBeGreaterThanOrEqual(4);
    const lastMs = Math.max(...byPeople.map(({ at }) => Date.parse(String(at))));
    expect(until.getTime() - lastMs).toBeLessThan(HOUR_MS / 2);
    const loggedIn = new Set<unknown>();
    for (const { action, actor_id } of rows('console_action_log').toSorted(
      (a, b) => Number(a['seq']) - Number(b['seq']),
    )) {
      if (action === 'auth.login') loggedIn.add(actor_id);
      else if (action === 'auth.logout') loggedIn.delete(actor_id);
      else if (actor_id !== null)
        expect(loggedIn, `${String(action)} of somebody who is not there`).toContain(actor_id);
    }

    // Requests of the last day, over most of its hours, with a quarter of an hour in which they failed.
    const since = (until.getTime() - 24 * HOUR_MS) / 60_000;
    const asked = rows('traffic_minute').filter(({ minute }) => Number(minute) >= since);
    expect(asked.reduce((sum, { requests }) => sum + Number(requests), 0)).toBeGreaterThanOrEqual(1_000);
    expect(new Set(asked.map(({ minute }) => Math.floor(Number(minute) / 60))).size).toBeGreaterThanOrEqual(12);
    const failed = asked.filter(({ outcome }) => outcome === 'ERROR').map(({ minute }) => Number(minute));
    expect(failed.length).toBeGreaterThan(0);
    expect(Math.max(...failed) - Math.min(...failed)).toBeLessThan(15);
    expect(asked.map(({ channel }) => channel)).toEqual(expect.arrayContaining(['HTS', 'MTS', 'WEB']));

    // The firm has set up what it can.
    const versions = rows('policy_version').filter(({ author }) => author !== 'SYSTEM');
    expect(versions.length).toBeGreaterThanOrEqual(5);
    expect(new Set(versions.map(({ author }) => author)).size).toBeGreaterThanOrEqual(2);
    const policy = JSON.parse(String(versions.at(-1)?.['snapshot'])) as PolicySnapshot;
    expect(policy.criteria).toMatchObject({ autoProvision: true, holdSeconds: 5, fourEyes: true });
    expect(policy.notices).toHaveLength(4);
    expect(rows('policy_proposal')).toHaveLength(1);
    expect(rows('inspection_request').map(({ state }) => state)).toEqual(['READY']);
    expect(rows('saved_view').length).toBeGreaterThan(2);
    expect(new Set(rows('instrument').map(({ sector }) => sector)).size).toBeGreaterThan(5);
    expect(tenants.toSorted()).toEqual(['데모증권 NORMAL', '새솔증권 NOT_CONNECTED', '한빛투자증권 SYNC_DELAYED']);

    // Nothing is of a time that has not come.
    const ahead = [...Object.entries(ledger), ...Object.entries(store)].flatMap(([table, all]) =>
      all.flatMap((row) =>
        Object.entries(row)
          .filter(([column, value]) => !ENDS.has(column) && instantOf(value) > until.getTime())
          .map(([column]) => `${table}.${column}`),
      ),
    );
    expect([...new Set(ahead)]).toEqual([]);
  },
  420_000,
);
