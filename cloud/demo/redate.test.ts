import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kstDate } from '../../shared/time/kst.ts';
import {
  addDays,
  daysBetween,
  finishedTradingDays,
  isTradingDay,
  sessionAt,
  tradingDayUpTo,
} from './generation/calendar.ts';
import { idOf, lineageFaults, textOf } from '../../test/support/cloud/demo.ts';
import { readLoads } from './generation/reader.ts';
import { moveId, moveLoad, loadedDays } from './redate.ts';

const reference = readLoads('loads.jsonl', readFileSync(new URL('loads.jsonl', import.meta.url), 'utf8'));
const kst = (text: string): Date => new Date(`${text}+09:00`);
const datesOf = (now: Date): string[] => loadedDays(reference, now).map((day) => day.date);

describe('trading days', () => {
  test('weekends and fixed holidays are not trading days', () => {
    expect(['2026-11-20', '2026-11-21', '2026-11-22', '2026-12-25', '2027-01-01'].map(isTradingDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(tradingDayUpTo('2026-11-22')).toBe('2026-11-20');
    expect(tradingDayUpTo('2027-01-01')).toBe('2026-12-30');
  });

  test('dates count across months and years', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
    expect(daysBetween('2026-12-28', '2027-01-04')).toBe(7);
    expect(() => addDays('2026-02-30', 1)).toThrow(RangeError);
  });

  test.each([
    ['Friday, runs through', '2026-11-20T16:40:00', '2026-11-20'],
    ['Friday, market closed but runs not through', '2026-11-20T16:39:59', '2026-11-19'],
    ['Saturday', '2026-11-21T12:44:00', '2026-11-20'],
    ['Sunday night', '2026-11-22T23:59:59', '2026-11-20'],
    ['Monday morning', '2026-11-23T08:00:00', '2026-11-20'],
    ['after a holiday on a Friday', '2026-12-28T10:00:00', '2026-12-24'],
  ])('%s', (_name, now, newest) => {
    const days = finishedTradingDays(kst(now), 5);
    expect(days.at(-1)).toBe(newest);
    expect(days).toEqual([...days].sort());
  });

  test.each([
    ['in session', '2026-11-20T10:21:30', '2026-11-20', true, '2026-11-20T10:20:00'],
    ['first price', '2026-11-20T09:05:00', '2026-11-20', true, '2026-11-20T09:04:00'],
    ['before the opening', '2026-11-20T09:04:59', '2026-11-19', false, '2026-11-19T15:30:00'],
    ['after the close', '2026-11-20T15:30:00', '2026-11-20', false, '2026-11-20T15:30:00'],
    ['past midnight', '2026-11-21T00:10:00', '2026-11-20', false, '2026-11-20T15:30:00'],
    ['Monday before the opening', '2026-11-23T08:00:00', '2026-11-20', false, '2026-11-20T15:30:00'],
  ])('session: %s', (_name, now, tradeDate, open, pricedAt) => {
    expect(sessionAt(kst(now))).toEqual({ tradeDate, open, pricedAt: kst(pricedAt) });
  });
});

describe('re-dating', () => {
  test('a Saturday gives the week that just ended, each day with the loads of its weekday', () => {
    const days = loadedDays(reference, kst('2026-11-21T12:44:00'));
    expect(days.map((day) => day.date)).toEqual(['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20']);
    expect(days.flatMap((day) => day.loads).length).toBe(reference.length);
    expect(days.map((day) => day.weeks)).toEqual([22, 22, 22, 22, 22]);
  });

  test('in the middle of a week the older weekdays come from the week before', () => {
    expect(datesOf(kst('2026-11-18T10:00:00'))).toEqual([
      '2026-11-11',
      '2026-11-12',
      '2026-11-13',
      '2026-11-16',
      '2026-11-17',
    ]);
  });

  test('a day later only the new day is new: everything else keeps its ids and content', () => {
    const before = new Map(loadedDays(reference, kst('2026-11-18T17:00:00')).map((day) => [day.date, day.loads]));
    const after = loadedDays(reference, kst('2026-11-19T17:00:00'));
    expect(after.filter((day) => !before.has(day.date)).map((day) => day.date)).toEqual(['2026-11-19']);
    for (const day of after) if (before.has(day.date)) expect(day.loads).toEqual(before.get(day.date));
  });

  test('the reference week itself comes out unchanged', () => {
    expect(loadedDays(reference, kst('2026-06-20T09:00:00')).flatMap((day) => day.loads)).toEqual(reference);
  });

  test('ids and dates move by whole weeks, texts do not', () => {
    const [load] = reference;
    if (load === undefined || load.mode !== 'REALTIME') throw new Error('the first load is an intraday one');
    const moved = moveLoad(load, 22);
    if (moved.mode !== 'REALTIME') throw new Error('the mode moved');
    expect(moved.result.explanation_result_id).toBe('er-20261116-01b');
    expect(moved.result.trade_date).toBe('2026-11-16');
    expect(moved.result.explanation_as_of).toBe('2026-11-16T10:24:00+09:00');
    expect(moved.lineage.documents[0]?.document_id).toBe('doc-20261115-hbmnews');
    expect(moved.lineage.source_events[0]?.event_date).toBe('2026-11-15');
    expect(moved.lineage.calculations[0]?.as_of).toBe('2026-11-16T10:20:00+09:00');
    expect(moved.result.summary).toBe(load.result.summary);
    expect(moveId('er-20260618-03', -1)).toBe('er-20260611-03');
    expect(moveId('KRX:069500', 3)).toBe('KRX:069500');
  });

  const anyMoment = fc.date({
    min: new Date('2026-06-22T00:00:00Z'),
    max: new Date('2031-12-31T00:00:00Z'),
    noInvalidDate: true,
  });

  test('at any moment: five finished trading days, none in the future, ids are new per day, lineages hold', () => {
    fc.assert(
      fc.property(anyMoment, (now) => {
        const days = loadedDays(reference, now);
        expect(days.map((day) => day.date)).toEqual(finishedTradingDays(now, 5));
        const loads = days.flatMap((day) => day.loads);
        expect(loads.length).toBeGreaterThanOrEqual(60);
        const ids = loads.flatMap((load) => idOf(load) ?? []);
        expect(new Set(ids).size).toBe(ids.length);
        for (const load of loads) {
          const body = load.mode === 'V2' ? load.analysis : load.result;
          expect(Date.parse(body?.explanation_as_of ?? load.run.started_at)).toBeLessThanOrEqual(now.getTime());
          expect(lineageFaults(load.lineage)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('moving forth and back changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...reference), fc.integer({ min: -300, max: 300 }), (load, weeks) => {
        const moved = moveLoad(load, weeks);
        expect(moveLoad(moved, -weeks)).toEqual(load);
        expect(textOf(moved)).toBe(textOf(load));
        expect(daysBetween(kstDate(new Date(load.trigger.fired_at)), kstDate(new Date(moved.trigger.fired_at)))).toBe(
          weeks * 7,
        );
      }),
    );
  });
});
