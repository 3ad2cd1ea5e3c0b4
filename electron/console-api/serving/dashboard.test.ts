/** Traffic and Cloud Sync as the screens read them (D17, D20, D55). */
import { describe, expect, test } from 'vitest';
import { holdWithdrawal } from '../../../agent/ledger/inbox/entries.ts';
import { recordPull, recordPullFailure } from '../../../agent/ledger/inbox/sync-state.ts';
import { addTraffic } from '../../../agent/ledger/serving/traffic.ts';
import type {
  Page,
  SyncHistoryItem,
  SyncStatus,
  Traffic,
  TrafficOutcome,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../testing.ts';

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
    // Too long ago for the comparison.
    count(48 * 60 + 1, 'MTS', 'SERVED');
    const { result } = await console.ask<Traffic>({ method: 'GET', url: '/api/v1/dashboard/traffic', as: 'READ_ONLY' });
    expect(result).toMatchObject({
      from: '2026-11-19T10:00:00.000Z',
      to: console.now.toISOString(),
      requests: 12,
      errors: 4,
      dayBefore: { requests: 4, errors: 2 },
      outcomes: { SERVED: 4, LISTED: 2, NOT_FOUND: 2, BAD_REQUEST: 0, UNAUTHORIZED: 2, ERROR: 2 },
    });
    expect(result.hours).toHaveLength(24);
    expect(result.hours.at(-1)).toEqual({
      at: '2026-11-20T09:00:00.000Z',
      requests: 2,
      errors: 0,
      dayBefore: { requests: 2, errors: 0 },
    });
    expect(result.hours.at(-2)).toMatchObject({ requests: 6, errors: 2, dayBefore: { requests: 0, errors: 0 } });
    expect(result.hours.at(-3)).toMatchObject({ requests: 4, errors: 2, dayBefore: { requests: 2, errors: 2 } });
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
