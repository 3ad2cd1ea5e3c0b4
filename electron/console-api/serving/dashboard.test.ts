/** Traffic and Cloud Sync as the screens read them (D17, D20, D55). */
import { describe, expect, test } from 'vitest';
import { holdWithdrawal } from '../../../agent/ledger/inbox/entries.ts';
import { recordPull, recordPullFailure } from '../../../agent/ledger/inbox/sync-state.ts';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { addTraffic, rollUpTraffic } from '../../../agent/ledger/serving/traffic.ts';
import type {
  ExplanationItem,
  FoundPage,
  Page,
  SyncHistoryItem,
  SyncStatus,
  Traffic,
  TrafficOutcome,
} from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

const MINUTE = 60_000;

describe('the traffic', () => {
  test('is 24 hours by the hour, the present one last, beside the day before', async () => {
    await using console = new TestConsole();
    const now = Math.floor(console.now.getTime() / MINUTE);
    const count = (minutesAgo: number, channel: string, outcome: TrafficOutcome) =>
      console.ledger.write((tx) => addTraffic(tx, [{ minute: now - minutesAgo, channel, outcome, requests: 2 }]));
    count(0, 'MTS', 'SERVED');
    count(1, 'MTS', 'SERVED');
    count(1, 'MTS', 'LISTED');
    count(61, 'HTS', 'ERROR');
    count(70, 'HTS', 'NOT_FOUND');
    count(2, '', 'UNAUTHORIZED');
    count(24 * 60, 'MTS', 'SERVED');
    count(24 * 60 + 61, 'MTS', 'ERROR');
    // Neither of the day before nor of the week before.
    count(48 * 60 + 1, 'MTS', 'SERVED');
    const week = 7 * 24 * 60;
    count(week, 'MTS', 'SERVED');
    count(week + 61, 'MTS', 'ERROR');
    count(week + 23 * 60, 'MTS', 'SERVED');
    count(week + 24 * 60, 'MTS', 'SERVED');
    // The minutes of whole hours that are a week old are folded: the same count follows.
    console.ledger.write((tx) => rollUpTraffic(tx, console.now));
    const { result } = await console.ask<Traffic>({ method: 'GET', url: '/api/v1/dashboard/traffic', as: 'READ_ONLY' });
    expect(result).toMatchObject({
      from: '2026-11-19T10:00:00.000Z',
      to: console.now.toISOString(),
      requests: 12,
      errors: 4,
      dayBefore: { requests: 4, errors: 2 },
      weekBefore: { requests: 6, errors: 2 },
      outcomes: { SERVED: 4, LISTED: 2, NOT_FOUND: 2, BAD_REQUEST: 0, UNAUTHORIZED: 2, ERROR: 2 },
    });
    expect(result.hours).toHaveLength(24);
    expect(result.hours.at(-1)).toEqual({
      at: '2026-11-20T09:00:00.000Z',
      requests: 2,
      errors: 0,
      dayBefore: { requests: 2, errors: 0 },
      weekBefore: { requests: 2, errors: 0 },
    });
    expect(result.hours.at(0)?.weekBefore).toEqual({ requests: 2, errors: 0 });
    expect(result.hours.at(-2)).toMatchObject({ requests: 6, errors: 2, dayBefore: { requests: 0, errors: 0 } });
    const twoHoursAgo = { requests: 4, errors: 2, dayBefore: { requests: 2, errors: 2 } };
    expect(result.hours.at(-3)).toMatchObject({ ...twoHoursAgo, weekBefore: { requests: 2, errors: 2 } });
    expect(result.channels).toMatchObject([
      { channel: '', requests: 2, errors: 2 },
      { channel: 'HTS', requests: 4, errors: 2, outcomes: { ERROR: 2, NOT_FOUND: 2 } },
      { channel: 'MTS', requests: 6, errors: 0, outcomes: { SERVED: 4, LISTED: 2 } },
    ]);
  });

  test('without any is 24 hours of zeros', async () => {
    await using console = new TestConsole();
    const { result } = await console.ask<Traffic>({ method: 'GET', url: '/api/v1/dashboard/traffic', as: 'READ_ONLY' });
    expect([result.requests, result.errors, result.hours.length, result.channels]).toEqual([0, 0, 24, []]);
  });
});

describe('beside the traffic', () => {
  const traffic = async (console: TestConsole) =>
    (await console.ask<Traffic>({ method: 'GET', url: '/api/v1/dashboard/traffic', as: 'READ_ONLY' })).result;

  test('stand the exposed texts, those that the scope keeps back, and the waits, each as its list says', async () => {
    await using console = new TestConsole();
    expect((await traffic(console)).now).toEqual({
      overTarget: null,
      longestWait: null,
      exposed: 0,
      excluded: 0,
      lastOff: null,
    });
    console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k', at: console.now.toISOString() }));
    // Friday, 17:50 in Korea.
    console.pass(-10 * MINUTE);
    console.explanation('PENDING_REVIEW', { etf_ticker: '000660' });
    const since = console.now.toISOString();
    console.explanation('AUTO_PUBLISHED', { etf_ticker: '069500' });
    console.explanation('PUBLISHED', { etf_ticker: '005930', market: 'KOSDAQ' });
    console.explanation('BLOCKED', { etf_ticker: '114800' });
    await console.ask({ method: 'POST', url: '/api/v1/scope/markets/KOSDAQ/toggle', as: 'TENANT_ADMIN' });
    console.pass(10 * MINUTE);
    console.explanation('PENDING_REVIEW', { etf_ticker: '000670' });
    const target = { method: 'PUT', url: '/api/v1/review/target', as: 'TENANT_ADMIN' } as const;
    expect((await console.ask({ ...target, body: { minutes: 10 } })).status).toBe(200);
    // Monday, 09:05.
    console.now = new Date('2026-11-23T00:05:00.000Z');
    const { now } = await traffic(console);
    const longestWait = { since, workingMs: 15 * MINUTE };
    expect(now).toEqual({ exposed: 1, excluded: 1, overTarget: 1, longestWait, lastOff: null });
    const late = async (split: string) => {
      const url = `/api/v1/review/items?late=true${split}`;
      const { items } = (await console.ask<FoundPage<ExplanationItem>>({ method: 'GET', url, as: 'READ_ONLY' })).result;
      return items.map(({ etf_ticker }) => etf_ticker);
    };
    expect([await late(''), await late('&split=MY_TURN'), await late('&split=OPINION')]).toEqual([
      ['000660'],
      ['000660'],
      [],
    ]);
    const listed = async (exposure: string) =>
      (
        await console.ask<FoundPage<ExplanationItem>>({
          method: 'GET',
          url: `/api/v1/explanations?exposure=${exposure}`,
          as: 'READ_ONLY',
        })
      ).result.items.map(({ etf_ticker, obstacle }) => [etf_ticker, obstacle]);
    expect([await listed('EXPOSED'), await listed('EXCLUDED')]).toEqual([[['069500', null]], [['005930', 'SCOPE']]]);
  });

  test('stand the versions that took effect and the switches, each with the number of its audit row', async () => {
    await using console = new TestConsole();
    const put = (url: string, as: string, body?: object, method: Asked['method'] = 'POST') =>
      console.ask({ method, url: `/api/v1/${url}`, as, ...(body === undefined ? {} : { body }) });
    console.explanation('AUTO_PUBLISHED');
    await put('scope/markets/KRX/toggle', 'TENANT_ADMIN');
    console.pass(25 * 60 * MINUTE);
    await put('scope/markets/KRX/toggle', 'TENANT_ADMIN');
    await put('screening/criteria', 'COMPLIANCE_REVIEWER', { autoProvision: false }, 'PATCH');
    await put('scope/stocks/069500/toggle', 'COMPLIANCE_REVIEWER');
    const { marks } = await traffic(console);
    expect(marks).toMatchObject([
      { kind: 'MARKET', key: 'KRX', enabled: true, at: console.now.toISOString() },
      { kind: 'POLICY', autoProvision: false },
      { kind: 'INSTRUMENT', key: '069500', enabled: false },
    ]);
    for (const { seq, kind } of marks) {
      const row = await put(`audit/actions?system=true&seq=${seq}`, 'READ_ONLY', undefined, 'GET');
      expect(row.result).toMatchObject({
        total: 1,
        items: [{ seq, action: kind === 'POLICY' ? 'policy.publish' : 'scope.toggle' }],
      });
    }
  });
});

describe('Cloud Sync', () => {
  const failure = (state: 'RETRYING' | 'FORBIDDEN', at: Date) =>
    ({ at: at.toISOString(), state, code: 'COMMON503', message: 'no answer' }) as const;

  test('names the faults that need attention, and its lag', async () => {
    await using console = new TestConsole();
    const status = async () =>
      (await console.ask<SyncStatus>({ method: 'GET', url: '/api/v1/sync/status', as: 'READ_ONLY' })).result;
    console.ledger.write((tx) => recordPull(tx, { at: console.now.toISOString(), head: 40 }));
    expect(await status()).toMatchObject({ state: 'OK', lag: 40, alarms: [] });
    console.writeLock.isHeld = true;
    expect(await status()).toMatchObject({ state: 'OK', alarms: ['LEDGER_HELD'], lastError: { code: 'LEDGER_HELD' } });
    console.writeLock.isHeld = false;
    console.ledger.write((tx) => recordPullFailure(tx, failure('FORBIDDEN', console.now)));
    console.ledger.write((tx) => holdWithdrawal(tx, { targetId: 'x', cursor: 3, reason: 'r', at: 'now' }));
    expect(await status()).toMatchObject({ lag: 40, alarms: ['NOT_OK', 'HELD_INVALIDATIONS'] });
  });

  test('lists the changes of its state, each once, beside the held withdrawals', async () => {
    await using console = new TestConsole();
    const history = async (query = '') =>
      (
        await console.ask<Page<SyncHistoryItem>>({
          method: 'GET',
          url: `/api/v1/sync/history?${query}`,
          as: 'READ_ONLY',
        })
      ).result;
    const states = ['OK', 'OK', 'RETRYING', 'RETRYING', 'OK'] as const;
    for (const state of states) {
      console.pass(MINUTE);
      console.ledger.write((tx) =>
        state === 'OK'
          ? recordPull(tx, { at: console.now.toISOString(), head: 0 })
          : recordPullFailure(tx, failure(state, console.now)),
      );
    }
    expect((await history('kind=STATE')).items.map(({ state, message }) => [state, message])).toEqual([
      ['OK', null],
      ['RETRYING', 'no answer'],
      ['OK', null],
    ]);
    console.pass(MINUTE);
    const at = console.now.toISOString();
    console.ledger.write((tx) => holdWithdrawal(tx, { targetId: 'gone', cursor: 9, reason: '철회', at }));
    expect(await history('size=1')).toMatchObject({
      total: 4,
      items: [{ kind: 'HELD', targetId: 'gone', cursorFrom: 9, message: '철회' }],
    });
    expect((await history('size=1&page=2')).items).toMatchObject([{ kind: 'STATE', state: 'OK' }]);
    expect((await history('kind=REJECTED,QUARANTINED')).items).toEqual([]);
  });
});
