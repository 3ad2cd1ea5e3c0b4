/** The rhythm of lanes and sources, and slots past their time, over HTTP on both engines (D215). */
import { describe, expect, test } from 'vitest';
import { reportSchema } from '../../shared/wire/operator/sources.ts';
import { gridSchema, overviewSchema } from '../../shared/wire/operator/runs.ts';
import { clearedFixture, minutes } from '../../test/support/cloud/pipeline-fixture.ts';
import { STORE_KINDS } from '../../test/support/cloud/store.ts';

const WEEK = 7 * 24 * 60;

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  const fixture = clearedFixture(makeKind);
  const overview = (query = '') => fixture().view(`overview${query}`, overviewSchema);

  test('a lane has the hours in which its runs began, skipped ones too, beside the four weeks before', async () => {
    for (const week of [1, 2, 4])
      await fixture().run({
        run_key: `news/2026-1${week}-01/x${week}`,
        trading_date: null,
        created_at: minutes(-90 - week * WEEK),
      });
    await fixture().run({ run_key: 'news/2026-11-20/1430', created_at: minutes(-80), status: 'SKIPPED' });
    await fixture().run({ run_key: 'news/2026-11-20/1440', created_at: minutes(-70) });
    expect((await overview()).rhythm.lanes).toEqual([
      {
        id: 'news',
        last: minutes(-70).toISOString(),
        lastDay: '2026-11-20',
        hours: [{ at: '2026-11-20T05:00:00.000Z', count: 2, before: [1, 1, 0, 1] }],
        nonTradingDays: [],
      },
    ]);
  });

  test('a backfill of an old day is no sign of life, and a run of the future none yet', async () => {
    await fixture().run({ run_key: 'news/2026-11-09/0700', created_at: minutes(-5) });
    await fixture().run({ run_key: 'news/2026-11-16/0700', created_at: minutes(-30) });
    await fixture().run({ run_key: 'news/2026-11-21/0700', created_at: minutes(5) });
    expect((await overview()).rhythm.lanes).toMatchObject([
      { id: 'news', last: minutes(-30).toISOString(), hours: [{ count: 1 }] },
    ]);
  });

  test('the run for the day before Chuseok begins after it, and is a sign of life', async () => {
    fixture().clock.at = new Date('2026-09-28T02:00:00Z');
    await fixture().run({ run_key: 'market/2026-09-23/close', created_at: new Date('2026-09-28T00:10:00Z') });
    expect((await overview()).rhythm.lanes).toMatchObject([
      { id: 'market', last: '2026-09-28T00:10:00.000Z', lastDay: '2026-09-23', hours: [{ count: 1 }] },
    ]);
  });

  test('a day on which a lane was skipped as a holiday is one for this lane and for every source', async () => {
    const row = { source: 'NEWS', status: 'SUCCEEDED', collected_at: minutes(-70) };
    await fixture().put('source_collection', row);
    const holiday = { status: 'SKIPPED', skip_reason: 'NON_TRADING_DAY' };
    await fixture().run({ run_key: 'market/2026-11-19/close', ...holiday, created_at: minutes(-1440) });
    await fixture().run({ run_key: 'market/2026-11-20/close', status: 'SKIPPED', skip_reason: 'ALREADY_DONE' });
    await fixture().run({ run_key: 'market/2026-11-21/close', ...holiday });
    await fixture().run({ run_key: 'news/2026-11-19/x', created_at: minutes(-1440) });
    await fixture().run({ run_key: 'market/2026-11-13/close', ...holiday, created_at: minutes(-10_080) });
    const { lanes, sources } = (await overview()).rhythm;
    const days = ['2026-11-19'];
    expect(lanes.map(({ id, nonTradingDays }) => [id, nonTradingDays])).toEqual([
      ['market', days],
      ['news', []],
    ]);
    expect(sources.map(({ nonTradingDays }) => nonTradingDays)).toEqual([days]);
    const { sources: report } = await fixture().view('report', reportSchema);
    expect(report[0]?.nonTradingDays).toEqual(days);
  });

  test('an old viewed day comes with the six days before it, beside the last seven days', async () => {
    await fixture().run({ run_key: 'news/2026-08-31/x', created_at: new Date('2026-08-31T01:00:00Z') });
    await fixture().run({ run_key: 'news/2026-09-01/x', created_at: new Date('2026-09-01T01:00:00Z') });
    await fixture().run({ run_key: 'news/2026-09-08/x', created_at: new Date('2026-09-08T01:30:00Z') });
    await fixture().run({ run_key: 'news/2026-11-20/x', created_at: minutes(-10) });
    const [lane] = (await overview('?date=2026-09-08')).rhythm.lanes;
    expect(lane?.hours).toEqual([
      { at: '2026-09-07T01:00:00.000Z', count: 0, before: [1, 0, 0, 0] },
      { at: '2026-09-08T01:00:00.000Z', count: 1, before: [1, 0, 0, 0] },
      { at: '2026-11-20T06:00:00.000Z', count: 1, before: [0, 0, 0, 0] },
    ]);
  });

  test('a source has its due time and its hours, in the overview and in the report', async () => {
    const row = { source: 'NEWS', status: 'SUCCEEDED' };
    await fixture().put('source_collection', { ...row, collected_at: minutes(-70 - WEEK) });
    await fixture().put('source_collection', { ...row, collected_at: minutes(-65), next_due_at: minutes(5) });
    const hours = [{ at: '2026-11-20T05:00:00.000Z', count: 1, before: [1, 0, 0, 0] }];
    expect((await overview()).rhythm.sources).toEqual([
      { id: 'NEWS', last: minutes(-65).toISOString(), dueAt: minutes(5).toISOString(), hours, nonTradingDays: [] },
    ]);
    const { sources } = await fixture().view('report', reportSchema);
    expect(sources.map(({ source, hours: own }) => [source, own.length])[0]).toEqual(['NEWS', 1]);
  });

  test('a slot ten minutes past its time counts without an issue, until its run comes or an issue is closed', async () => {
    const slot = async (name: string, at: number): Promise<void> =>
      fixture().put('planner_slot', { slot_key: `news/2026-11-20/${name}`, planned_for: minutes(at) });
    await slot('passed', -10);
    await slot('soon', -9);
    await slot('ran', -60);
    await fixture().run({ run_key: 'news/2026-11-20/ran', created_at: minutes(-60) }, {});
    await fixture().slot('news/2026-11-20/closed', { resolved_at: minutes(-1) }, minutes(-30));
    const { lanes } = await overview();
    expect(lanes[0]?.recentGaps).toEqual([
      {
        slotKey: 'news/2026-11-20/passed',
        lane: 'news',
        date: '2026-11-20',
        plannedFor: minutes(-10).toISOString(),
        openedAt: null,
      },
    ]);
    expect(lanes[0]?.standing).toBe('UNKNOWN');
    const { gap } = await fixture().view('grid?runKey=news%2F2026-11-20%2Fpassed', gridSchema);
    expect(gap?.openedAt).toBeNull();
    expect((await fixture().ask('grid?runKey=news%2F2026-11-20%2Fsoon')).status).toBe(404);
  });
});
