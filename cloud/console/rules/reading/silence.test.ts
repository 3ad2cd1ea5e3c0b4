/** Which lanes and sources are silent, and when the overview is calm (D215). */
import { describe, expect, test } from 'vitest';
import type { HourFact, LaneRhythm, SourceRhythm } from '../../../../shared/wire/facts.ts';
import type { RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { calmOf } from '../../screens/overview/calm.ts';
import { countStatuses, judgeLanes } from '../../screens/overview/overview-filter.ts';
import { nothingSince } from '../../screens/facts/values/sides.ts';
import { silenceNow, silenceOn } from './silence.ts';
import { GAP, GOOD, LANE_RHYTHM, RUN, said, SOURCE_RHYTHM } from '../../../../test/support/cloud/console-rules.ts';

const HOUR_MS = 3_600_000;
/** `11-20 10` in Korea. */
const at = (hour: string, minute = '00'): string =>
  new Date(`2026-${hour.replace(' ', 'T')}:${minute}:00+09:00`).toISOString();
const hour = (when: string, count: number, ...before: number[]): HourFact => ({ at: at(when), count, before });
const KNOWN = { lastDay: null, nonTradingDays: [] };
/** Every morning at ten, for four weeks; since Tuesday nothing. */
const DEAD: LaneRhythm = {
  ...KNOWN,
  id: 'news',
  last: at('11-16 10', '02'),
  hours: [
    hour('11-16 10', 1, 1, 1, 1, 1),
    hour('11-17 10', 0, 1, 1, 1, 1),
    hour('11-18 10', 0, 1, 1, 1, 1),
    hour('11-19 10', 0, 1, 1, 1, 1),
    hour('11-20 10', 0, 1, 1, 1, 1),
  ],
};
const lanes = (...heard: LaneRhythm[]) => ({ rhythm: { lanes: heard, sources: [SOURCE_RHYTHM] } });

describe('a lane', () => {
  test.each<[string, string, HourFact[], string | null]>([
    ['an hour that is not over is not missed', '11-20 10', [hour('11-20 10', 0, 1, 1)], null],
    ['is missed once it is over', '11-20 11', [hour('11-20 10', 0, 1, 1)], '11-20 10'],
    ['a run in the hour before is the same one', '11-20 12', [hour('11-16 09', 1), hour('11-16 10', 0, 1, 1)], null],
    ['one week before is no rhythm', '11-20 12', [hour('11-20 10', 0, 1, 0, 0, 0)], null],
    ['two of four weeks are one', '11-20 12', [hour('11-20 10', 0, 0, 1, 0, 1)], '11-20 10'],
    [
      'of the weeks in which anything began at all',
      '11-20 12',
      [hour('11-18 10', 0, 0, 0, 1, 1), hour('11-20 10', 0, 0, 0, 1, 1)],
      '11-18 10',
    ],
    [
      'less than half of the weeks are no rhythm',
      '11-20 12',
      [hour('11-16 08', 1, 1, 1, 1, 1), hour('11-20 10', 0, 1, 0, 0, 0)],
      null,
    ],
  ])('%s', (_what, now, hours, missed) => {
    const silence = silenceNow({ ...KNOWN, last: at('11-16 09', '30'), hours }, at(now));
    expect(silence?.missed.at ?? null).toBe(missed === null ? null : at(missed));
  });

  test('a total stop since Monday is bad, on the day that is shown for it as well', () => {
    const db = at('11-20 16');
    for (const today of ['2026-11-16', '2026-11-20'])
      expect(said('lane-silent', { ...lanes(DEAD), runs: [], meta: { ...GOOD.meta, db, today } })).toEqual([
        'BAD laneSilent.since',
      ]);
    const shown = { ...GOOD, ...lanes(DEAD), meta: { ...GOOD.meta, db, today: '2026-11-16' } };
    expect(nothingSince(shown)).toEqual({ since: DEAD.last });
    expect(nothingSince({ ...shown, ...lanes(DEAD, { ...LANE_RHYTHM, last: at('11-18 09') }) })).toBeNull();
    expect(nothingSince({ ...shown, meta: { ...shown.meta, today: '2026-11-20' } })).toBeNull();
    // Monday's run was tried again on Tuesday, and nothing since.
    const again = { ...DEAD, last: at('11-17 09'), lastDay: '2026-11-16' };
    expect(nothingSince({ ...shown, ...lanes(again) })).toEqual({ since: at('11-17 09') });
    expect(nothingSince({ ...shown, ...lanes(again, { ...again, lastDay: '2026-11-17' }) })).toBeNull();
  });

  test('one dead lane among live ones is told; a past day by what it had itself', () => {
    const back = { ...DEAD, last: at('11-20 15'), hours: [...DEAD.hours, hour('11-20 15', 1, 1, 1, 1, 1)] };
    const on = (today: string, lane: LaneRhythm): string[] =>
      said('lane-silent', { ...lanes(LANE_RHYTHM, lane), meta: { ...GOOD.meta, db: at('11-20 16'), today } });
    expect(on('2026-11-20', DEAD)).toEqual(['BAD laneSilent.since']);
    expect(on('2026-11-20', back)).toEqual(['WARNING laneSilent.past']);
    expect(on('2026-11-18', back)).toEqual(['BAD laneSilent.never']);
    expect(on('2026-11-16', back)).toEqual(['GOOD laneSilent.good']);
    const half = { ...back, hours: [...back.hours, hour('11-16 15', 0, 1, 1)] };
    expect(on('2026-11-16', half)).toEqual(['BAD laneSilent.ofDay']);
  });

  test('without weeks to compare with: nothing to judge where something began, and unknown where nothing did', () => {
    const young = (last: string): LaneRhythm => ({ ...KNOWN, id: 'new', last, hours: [] });
    expect(said('lane-silent', lanes(young(at('11-20 10'))))).toEqual(['NOT_MEASURED laneSilent.noWeeks']);
    expect(said('lane-silent', lanes(LANE_RHYTHM, young(at('11-19 10'))))).toEqual(['UNKNOWN laneSilent.unheard']);
    // A run of the day began before its day.
    const early = { ...RUN, id: 'new/2026-11-20/x', lane: 'new' };
    expect(said('lane-silent', { ...lanes(young(at('11-19 10'))), runs: [early] })).toEqual([
      'NOT_MEASURED laneSilent.noWeeks',
    ]);
  });

  test('silent for hours of the day and heard again is a warning, not well', () => {
    const usual = ['09', '10', '11', '12', '13', '14', '15', '16'];
    const hours = usual.map((clock) => hour(`11-20 ${clock}`, Number(clock) >= 15 ? 1 : 0, 1, 1, 1, 1));
    const resumed: LaneRhythm = { ...KNOWN, id: 'news', last: at('11-20 16', '10'), hours };
    expect(silenceOn(resumed, '2026-11-20', at('11-20 17'))).toMatchObject({
      missed: { at: at('11-20 09') },
      until: at('11-20 15'),
      lasts: false,
    });
    for (const db of [at('11-20 17'), at('11-23 17')])
      expect(said('lane-silent', { ...lanes(resumed), meta: { ...GOOD.meta, db } })).toEqual([
        'WARNING laneSilent.past',
      ]);
  });

  test.each<[string, HourFact[], string | null]>([
    [
      'every five minutes: what began in the hour before does not count for the next one',
      [hour('11-20 09', 12, 12, 12, 12, 12), hour('11-20 10', 0, 12, 12, 12, 12), hour('11-20 11', 0, 12, 12, 12, 12)],
      '11-20 10',
    ],
    [
      'one second early: the hour before has one more than usual',
      [hour('11-20 09', 2, 1, 1, 1, 1), hour('11-20 10', 0, 1, 1, 1, 1)],
      null,
    ],
    ['now in the one hour, now in the next', [hour('11-20 09', 1, 1, 0, 1, 0), hour('11-20 10', 0, 0, 1, 0, 1)], null],
    ['the same the other way', [hour('11-20 09', 0, 1, 0, 1, 0), hour('11-20 10', 1, 0, 1, 0, 1)], null],
  ])('%s', (_what, hours, missed) => {
    const last = hours.findLast(({ count }) => count > 0)?.at ?? null;
    const heard = { ...KNOWN, last, hours };
    expect(silenceNow(heard, at('11-20 12'))?.missed.at ?? null).toBe(missed === null ? null : at(missed));
    expect(silenceOn(heard, '2026-11-20', at('11-20 12')) === null).toBe(missed === null);
  });
});

test('a slot whose time has passed without an issue is as bad as one with it', () => {
  const slot = { id: 'news/2026-11-20/0800', lane: 'news', plannedFor: at('11-20 08') };
  expect(said('run-late', { runs: [], slots: [slot, { ...slot, id: 'news/2026-11-20/0900' }] })).toEqual([
    'BAD runLate.passed',
    'BAD runLate.passed',
  ]);
  expect(said('run-late', { runs: [GAP, RUN], slots: [slot] })).toEqual(['BAD runLate.passed', 'BAD runLate.missing']);
});

test('a source is late by its due time, and without one by its rhythm', () => {
  const source = (changes: Partial<SourceRhythm>): string[] =>
    said('source-late', {
      rhythm: { lanes: [], sources: [{ ...SOURCE_RHYTHM, ...changes }] },
      meta: { ...GOOD.meta, db: at('11-20 16') },
    });
  const stopped = { last: DEAD.last ?? '', hours: [...DEAD.hours] };
  expect(source(stopped)).toEqual(['WARNING sourceLate.rhythm']);
  expect(source({ ...stopped, dueAt: at('11-20 17') })).toEqual(['GOOD sourceLate.good']);
  expect(source({ dueAt: at('11-20 15') })).toEqual(['WARNING sourceLate.due']);
  expect(source({ last: at('11-01 10'), hours: [] })).toEqual(['UNKNOWN unseen']);
  const resumed = { last: at('11-20 15'), hours: [...DEAD.hours, hour('11-20 15', 1, 1, 1, 1, 1)] };
  expect(source(resumed)).toEqual(['WARNING sourceLate.past']);
  expect(source({ ...resumed, dueAt: at('11-20 17') })).toEqual(['GOOD sourceLate.good']);
});

test('on a holiday no rhythm is missed: neither by a source nor by the lane that was skipped', () => {
  const nonTradingDays = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
  const meta = { ...GOOD.meta, db: at('11-20 16') };
  const source = { ...SOURCE_RHYTHM, last: DEAD.last, hours: [...DEAD.hours], nonTradingDays };
  expect(said('source-late', { rhythm: { lanes: [], sources: [source] }, meta })).toEqual(['GOOD sourceLate.good']);
  expect(said('lane-silent', { ...lanes({ ...DEAD, nonTradingDays }), meta })).toEqual(['GOOD laneSilent.good']);
  const [, ...later] = nonTradingDays;
  expect(said('lane-silent', { ...lanes({ ...DEAD, nonTradingDays: later }), meta })).toEqual(['BAD laneSilent.since']);
});

describe('the overview', () => {
  const LANE = {
    lane: 'news',
    state: 'READY',
    latestRun: null,
    defects: [],
    recentRuns: [],
    recentGaps: [],
    day: {
      course: 'EMPTY',
      state: null,
      run: null,
      defects: [],
      runCount: 0,
      troubledCount: 0,
      recoveredCount: 0,
      recovered: null,
    },
    standing: null,
    lastCounted: null,
    links: [],
  } satisfies RunOverview['lanes'][number];
  const overview = (changes: Partial<RunOverview>): RunOverview => ({
    asOf: at('11-20 16'),
    today: '2026-11-20',
    date: '2026-11-20',
    lanes: [LANE],
    unreadableGaps: [],
    otherDays: { total: 0, runs: [] },
    rhythm: { lanes: [{ ...LANE_RHYTHM, id: 'news' }], sources: [] },
    ...changes,
  });

  /** Hourly from 09 to 15 on these days of November, told as the server tells them. */
  const heardOn = (days: readonly number[], day: number, now: string): LaneRhythm => {
    const begun = days.flatMap((one) =>
      Array.from(
        { length: 7 },
        (_, index) => Date.parse(at(`11-${String(one).padStart(2, '0')} 09`)) + index * HOUR_MS,
      ),
    );
    const first = Date.parse(at(`11-${String(day).padStart(2, '0')} 00`)) - 6 * 24 * HOUR_MS;
    const hours = Array.from({ length: 14 * 24 }, (_, index) => first + index * HOUR_MS)
      .filter((start) => start <= Date.parse(now))
      .map((start) => {
        const [count = 0, ...before] = [0, 1, 2, 3, 4].map((week) =>
          Number(begun.includes(start - week * 7 * 24 * HOUR_MS)),
        );
        return { at: new Date(start).toISOString(), count, before };
      })
      .filter(({ count, before }) => count > 0 || before.some((one) => one > 0));
    const last = begun.findLast((one) => one <= Date.parse(now));
    return { ...KNOWN, id: 'news', last: last === undefined ? null : new Date(last).toISOString(), hours };
  };
  const shown = (heard: LaneRhythm, day: string, now: string): RunOverview =>
    overview({ rhythm: { lanes: [heard], sources: [] }, date: `2026-${day}`, today: now.slice(0, 10), asOf: at(now) });

  test('a lane with one week of history that has died is never calm, and unknown from the first weekday on', () => {
    const judged = (day: string, now: string) => {
      const read = shown(heardOn([9, 10, 11, 12, 13], Number(day.slice(3)), at(now)), day, now);
      return [calmOf(read) !== null, judgeLanes(read)[0]?.judged];
    };
    expect(judged('11-13', '11-13 16')).toEqual([true, 'IDLE']);
    // Nobody knows what is expected at a weekend.
    expect(judged('11-14', '11-14 16')).toEqual([false, 'IDLE']);
    for (const day of ['11-16', '11-18', '11-20']) expect(judged(day, `${day} 12`)).toEqual([false, 'UNKNOWN']);
    // Later, a day on which it lived is calm, and a dead one is not.
    expect(judged('11-12', '11-20 12')).toEqual([true, 'IDLE']);
    expect(judged('11-16', '11-20 12')).toEqual([false, 'UNKNOWN']);
  });

  test('in the fourth week of a stop the lane is unknown with its last run, on a past day too', () => {
    const dead: LaneRhythm = {
      ...KNOWN,
      id: 'news',
      last: at('10-23 15'),
      hours: [hour('11-17 10', 0, 0, 0, 0, 1), hour('11-18 10', 0, 0, 0, 0, 1), hour('11-19 10', 0, 0, 0, 0, 1)],
    };
    for (const day of ['11-18', '11-20']) {
      const read = shown(dead, day, '11-20 16');
      const quiet = { since: at('10-23 15'), isUnknown: true };
      expect([calmOf(read), judgeLanes(read)[0]]).toMatchObject([null, { judged: 'UNKNOWN', quiet }]);
    }
  });

  test('a dead past day of a lane that lives again is judged by the days before it', () => {
    const alive = Array.from({ length: 5 }, (_, index) => hour(`11-${16 + index} 10`, 1, 1, 1, 0, 0));
    const back: LaneRhythm = { ...KNOWN, id: 'news', last: at('11-20 10'), hours: alive };
    const read = shown(back, '10-30', '11-20 16');
    expect([calmOf(read), judgeLanes(read)[0]]).toMatchObject([null, { judged: 'UNKNOWN', quiet: { since: null } }]);
  });

  test('silent for hours of the day is neither calm nor red', () => {
    const hours = [hour('11-20 09', 0, 1, 1, 1, 1), hour('11-20 15', 1, 1, 1, 1, 1)];
    const read = shown({ ...KNOWN, id: 'news', last: at('11-20 15'), hours }, '11-20', '11-20 16');
    expect([calmOf(read), judgeLanes(read)[0]?.judged]).toEqual([null, 'DEGRADED']);
  });

  test('is calm where every lane ran at its usual hours, and not where one is silent', () => {
    expect(calmOf(overview({}))).toEqual({ lastTrouble: null });
    const dead = overview({ rhythm: { lanes: [DEAD], sources: [] } });
    expect([calmOf(dead), countStatuses(judgeLanes(dead)).SILENT]).toEqual([null, 1]);
  });

  test.each<[string, Partial<RunOverview>]>([
    ['no lane is known', { lanes: [] }],
    ['a lane needs attention', { lanes: [{ ...LANE, standing: 'BLOCKED' }] }],
    [
      'a lane has no rhythm and no run',
      { rhythm: { lanes: [{ ...KNOWN, id: 'news', last: null, hours: [] }], sources: [] } },
    ],
    ['a run of another day needs a look', { otherDays: { total: 1, runs: [] } }],
    [
      'nobody knows whether a source is late',
      { rhythm: { lanes: [], sources: [{ ...SOURCE_RHYTHM, last: at('11-18 10'), hours: [] }] } },
    ],
    ['a source is late', { rhythm: { lanes: [], sources: [{ ...SOURCE_RHYTHM, dueAt: at('11-20 15') }] } }],
    [
      'a key cannot be read',
      { unreadableGaps: [{ slotKey: 'x', lane: null, date: null, plannedFor: '', openedAt: null }] },
    ],
  ])('is not calm where %s', (_what, changes) => {
    expect(calmOf(overview(changes))).toBeNull();
  });

  test('a past day is calm by what it had itself, whatever is silent now', () => {
    expect(calmOf(overview({ date: '2026-11-16', rhythm: { lanes: [DEAD], sources: [] } }))).not.toBeNull();
    expect(calmOf(overview({ date: '2026-11-17', rhythm: { lanes: [DEAD], sources: [] } }))).toBeNull();
  });
});
