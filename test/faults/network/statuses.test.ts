/**
 * Fault 21 and every other status of HTTP at the Intake: the table of sync protocol 7, the states
 * of D55, and when the Intake asks again.
 */
import { describe, expect, test } from 'vitest';
import { runLoop } from '../../../agent/intake/loop.ts';
import type { Next } from '../../../agent/intake/receive/waits.ts';
import { readableLog } from '../../support/agent/intake.ts';
import { some } from '../../support/runs.ts';
import { onWire } from '../../support/scripted-cloud.ts';
import { begun, pullsInVain } from '../intake-fixture.ts';
import { failureOf } from '../truth.ts';

/** Sync protocol 7: 401, 403 and 410 apart, 5xx transient, all else a fault that asking again does not cure. */
function stateOf(status: number): string {
  if (status === 401) return 'UNAUTHORIZED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 410) return 'GONE';
  return status >= 500 ? 'RETRYING' : 'REFUSED';
}

const STATUSES = [
  201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406,
  407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499,
  500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 599,
];

const MINUTE = 60_000;
/** Only passing faults allow a wait; after all others the next request comes in the next period (sync protocol 7). */
const mayPass = (status: number): boolean => status === 429 || status >= 500;

/** Values of `Retry-After` and the Intake's least wait after each, in ms: the value itself, up to a bound. */
const RETRY_AFTER: [string | null, (ms: number) => boolean][] = [
  [null, (ms) => ms === 0],
  ['120', (ms) => ms === 2 * MINUTE],
  ['0', (ms) => ms === 0],
  ['999999999', (ms) => ms > 5 * MINUTE && ms <= 60 * MINUTE],
  ['Fri, 20 Nov 2026 08:03:00 GMT', (ms) => ms === 2 * MINUTE],
  ['Fri, 20 Nov 2020 08:03:00 GMT', (ms) => ms === 0],
  ['soon', (ms) => ms === 0],
  ['-5', (ms) => ms >= 0 && ms <= 60 * MINUTE],
];

describe.each(some(14, STATUSES))('%d', (status) => {
  test('nothing is committed, the state and the log report it, and the wish to wait is respected where waiting helps', async () => {
    const fixture = await begun();
    const bodiless = status === 204 || status === 304;
    // 205 and the like may carry a body; it is never taken for a bundle.
    const bodies = [Buffer.alloc(0), ...(bodiless ? [] : [Buffer.from('<html>'), failureOf('COMMON500'), null])];
    for (const body of bodies) {
      const lines = fixture.lines.length;
      await pullsInVain(
        fixture,
        ({ honest }) => onWire(body ?? honest().body, { status, ...(bodiless ? { framing: 'CLOSE' } : {}) }),
        { state: stateOf(status) },
      );
      const levels = fixture.lines.slice(lines).map((line) => line.level);
      // A transient fault is a warning; every other is an error at once.
      expect(levels).toEqual([status >= 500 ? 40 : 50]);
    }
    for (const [said, right] of RETRY_AFTER) {
      fixture.now = Date.UTC(2026, 10, 20, 8, 1);
      fixture.cloud.misbehave = () =>
        onWire(Buffer.alloc(0), {
          status,
          ending: 'END',
          framing: 'CLOSE',
          headers: said === null ? {} : { 'Retry-After': said },
        });
      const next = await fixture.pull();
      // Never at once: a status is no bundle, so there is no backlog to drain.
      expect(next.when, `Retry-After ${said}`).toBe('PERIOD');
      if (next.when === 'PERIOD')
        expect(
          mayPass(status) ? right(next.notBeforeMs) : next.notBeforeMs === 0,
          `Retry-After ${said}: ${next.notBeforeMs}`,
        ).toBe(true);
    }
    fixture.promises();
    await fixture.catchUp();
  });
});

describe('the status gives a refusal in the cloud’s own words', () => {
  test.each([
    [400, 'SYNC4001', 'REFUSED'],
    [400, 'SYNC4002', 'REFUSED'],
    [400, 'COMMON400', 'REFUSED'],
    [401, 'SYNC4011', 'UNAUTHORIZED'],
    [403, 'SYNC4031', 'FORBIDDEN'],
    [410, 'SYNC4101', 'GONE'],
    [429, 'COMMON429', 'REFUSED'],
    [503, 'COMMON503', 'RETRYING'],
  ])('%d %s', async (status, code, state) => {
    const fixture = await begun();
    await pullsInVain(fixture, () => onWire(failureOf(code, 'as the cloud puts it'), { status }), { state, code });
    expect(fixture.status().lastError?.message).toContain('as the cloud puts it');
    await fixture.catchUp();
    // A fault that has ended is no longer shown.
    expect(fixture.status()).toMatchObject({ state: 'OK', lastError: null });
  });
});

test('21: ten thousand tenants that were all sent away with the same Retry-After do not come back together', async () => {
  const waits: number[] = [];
  const { log } = readableLog();
  const sentAway: Next = { when: 'PERIOD', notBeforeMs: 10 * MINUTE };
  for (let tenant = 0; tenant < 10_000; tenant++) {
    const ending = new AbortController();
    await runLoop(
      {
        receive: () => Promise.resolve(sentAway),
        apply: () => false,
        isBatchFull: () => true,
        leaveMs: () => 0,
        rest: () => undefined,
        random: Math.random,
        wait: async (ms) => {
          waits.push(ms);
          ending.abort();
        },
        file: 'ledger.sqlite',
        periodMs: MINUTE,
        log,
      },
      ending.signal,
    );
  }
  expect(waits).toHaveLength(10_000);
  expect(Math.min(...waits), 'nobody comes before they were told to').toBeGreaterThanOrEqual(10 * MINUTE);
  // In no second of the minute over which they spread are more than thrice their share.
  const perSecond = new Map<number, number>();
  for (const ms of waits) perSecond.set(Math.floor(ms / 1_000), (perSecond.get(Math.floor(ms / 1_000)) ?? 0) + 1);
  expect(perSecond.size).toBeGreaterThan(50);
  expect(Math.max(...perSecond.values())).toBeLessThan((3 * 10_000) / 60);
});
