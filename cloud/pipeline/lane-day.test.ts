/** The worst of a lane's day on Run Overview over HTTP, on both engines. */
import { describe, expect, test } from 'vitest';
import { gridSchema, overviewSchema } from '../../shared/wire/operator/runs.ts';
import { failuresSchema } from '../../shared/wire/operator/failures.ts';
import { clearedFixture, minutes, type Values } from '../../test/support/cloud/pipeline-fixture.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';

const FAILED = { attempts: [{ status: 'FAILED', error_code: 'HTTP_503' }] };
/** No later run tries it. */
const LOST = { ...FAILED, task_key: 'raw-lost' };
const SKIPPED = { status: 'SKIPPED', skip_reason: 'NON_TRADING_DAY' };

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  const fixture = clearedFixture(makeKind);
  const overview = (query = '') => fixture().view(`overview${query}`, overviewSchema);
  const only = async (query = '') => {
    const [lane] = (await overview(query)).lanes;
    if (lane === undefined) throw new Error('no lane');
    return lane;
  };

  test('a good run does not hide an earlier failed one: the worst of the day is shown with its defects', async () => {
    await fixture().run({ run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) }, LOST);
    await fixture().run({ run_key: 'news/2026-11-20/0800', created_at: minutes(-240) }, { failed_records: 3 });
    await fixture().run({ run_key: 'news/2026-11-20/0900', created_at: minutes(-180) }, {});
    const { state, latestRun, day, standing } = await only();
    expect([state, latestRun?.runKey]).toEqual(['READY', 'news/2026-11-20/0900']);
    expect(day).toMatchObject({
      course: 'RAN',
      state: 'BLOCKED',
      run: { runKey: 'news/2026-11-20/0700' },
      defects: [{ kind: 'RUN_FAILED' }, { kind: 'TASK_FAILED', taskKey: 'raw-lost', reason: 'HTTP_503' }],
      runCount: 3,
      troubledCount: 2,
    });
    expect(standing).toBe('BLOCKED');
  });

  test('the worst of the day also lies beyond the last twelve runs; of equally bad ones the latest', async () => {
    for (let hour = 0; hour < 14; hour += 1)
      await fixture().run(
        {
          run_key: `news/2026-11-20/${hour}`,
          created_at: minutes(hour * 10 - 300),
          status: hour < 2 ? 'FAILED' : 'SUCCEEDED',
        },
        {},
      );
    const { recentRuns, day } = await only();
    expect(recentRuns.map(({ runKey }) => runKey)).not.toContain('news/2026-11-20/1');
    expect([day.state, day.run?.runKey, day.runCount]).toEqual(['BLOCKED', 'news/2026-11-20/1', 14]);
  });

  test('a skipped day has nothing to judge, with the last run that counted beside it', async () => {
    await fixture().run({ run_key: 'market/2026-11-19/close', created_at: minutes(-1440) }, {});
    for (let slot = 0; slot < 13; slot += 1)
      await fixture().run({ run_key: `market/2026-11-20/${slot}`, ...SKIPPED, created_at: minutes(slot - 60) });
    expect(await only()).toMatchObject({
      state: 'READY',
      day: { course: 'SKIPPED', state: null, run: null, defects: [], runCount: 0, troubledCount: 0 },
      lastCounted: { runKey: 'market/2026-11-19/close', state: 'READY' },
      standing: null,
    });
    // Without a reason the cause is unknown.
    await fixture().run({ run_key: 'market/2026-11-20/x', ...SKIPPED, skip_reason: null, created_at: AT });
    expect((await only()).day).toMatchObject({
      course: 'RAN',
      state: 'UNKNOWN',
      run: { runKey: 'market/2026-11-20/x' },
    });
  });

  test('a day without a counted run ends no trouble: the lane has the state of the last run that counted', async () => {
    await fixture().run({ run_key: 'market/2026-11-19/close', status: 'FAILED', created_at: minutes(-1440) }, {});
    await fixture().run({ run_key: 'market/2026-11-20/close', ...SKIPPED });
    expect(await only()).toMatchObject({ day: { course: 'SKIPPED', state: null }, standing: 'BLOCKED' });
  });

  test('an empty day has neither run nor slot; an earlier slot without a later run still needs attention', async () => {
    await fixture().run({ run_key: 'market/2026-11-18/close', created_at: minutes(-2880) }, {});
    expect(await only()).toMatchObject({ day: { course: 'EMPTY', state: null }, standing: null });
    await fixture().slot('market/2026-11-19/close', {}, minutes(-1440));
    expect(await only()).toMatchObject({ day: { course: 'EMPTY', state: null, defects: [] }, standing: 'UNKNOWN' });
  });

  test('a planned slot without a run is in the day and in the strip, at its time', async () => {
    await fixture().run({ run_key: 'news/2026-11-20/0700', created_at: minutes(-300) }, {});
    await fixture().run({ run_key: 'news/2026-11-20/0900', created_at: minutes(-180) }, {});
    await fixture().slot('news/2026-11-20/0800', {}, minutes(-240));
    const { state, day, recentGaps } = await only();
    expect(state).toBe('READY');
    expect(day).toMatchObject({ state: 'UNKNOWN', run: { state: 'READY' }, defects: [{ kind: 'PLANNING_GAP' }] });
    const gap = {
      slotKey: 'news/2026-11-20/0800',
      lane: 'news',
      date: '2026-11-20',
      plannedFor: minutes(-240).toISOString(),
      openedAt: AT.toISOString(),
    };
    expect(recentGaps).toEqual([gap]);
    const opened = await fixture().view('grid?runKey=news%2F2026-11-20%2F0800', gridSchema);
    expect(opened).toMatchObject({ from: '2026-11-20', to: '2026-11-20', gap });
    expect(opened.detail).toBeUndefined();
    expect(opened.lanes[0]?.days[0]?.runs).toHaveLength(2);
  });

  describe('a failure that a later run has repaired (D216)', () => {
    const later = (name: string, at: number, ...tasks: Values[]) =>
      fixture().run(
        { run_key: `news/2026-11-20/${name}`, created_at: minutes(at) },
        ...tasks.map((task) => ({ attempts: [{ started_at: minutes(at), ended_at: minutes(at + 1) }], ...task })),
      );
    const failures = () => fixture().view('failures', failuresSchema);

    test('leaves the lane as what is open, and is told with the run that repaired it', async () => {
      await fixture().run({ run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) }, FAILED);
      expect((await only()).standing).toBe('BLOCKED');
      await later('0800', -240, {});
      const recovery = { runKey: 'news/2026-11-20/0800', at: minutes(-239).toISOString() };
      const { day, standing, recentRuns } = await only();
      expect(standing).toBe('READY');
      expect(day).toMatchObject({ state: 'READY', defects: [], troubledCount: 0, recoveredCount: 1 });
      expect(day.recovered).toMatchObject({ runKey: 'news/2026-11-20/0700', state: 'BLOCKED', recovery });
      expect(recentRuns.map((run) => run.recovery)).toEqual([recovery, null]);
      expect((await failures()).runs[0]?.tasks).toMatchObject([{ taskKey: 'task-0', recovery }]);
    });

    test('is open while one of its tasks is, or while its data lacks something', async () => {
      await fixture().run({ run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) }, FAILED, {
        ...FAILED,
        task_key: 'other',
      });
      await later('0800', -240, {});
      expect(await only()).toMatchObject({ standing: 'BLOCKED', day: { recoveredCount: 0, troubledCount: 1 } });
      // Open ones come first.
      expect((await failures()).runs[0]?.tasks.map(({ taskKey, recovery }) => [taskKey, recovery === null])).toEqual([
        ['other', true],
        ['task-0', false],
      ]);
      await later('0900', -180, { task_key: 'other', failed_records: 2 });
      expect(await only()).toMatchObject({ standing: 'DEGRADED', day: { recoveredCount: 1, troubledCount: 1 } });
    });

    test('keeps the defects of its data, and counts by them in the lane and in the run history', async () => {
      await fixture().run(
        { run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) },
        { ...FAILED, failed_records: 12 },
      );
      await later('0800', -240, {});
      const { day } = await only();
      expect(day).toMatchObject({
        state: 'DEGRADED',
        run: { runKey: 'news/2026-11-20/0700', state: 'BLOCKED', openState: 'DEGRADED' },
        defects: [{ kind: 'FAILED_RECORDS', taskKey: 'task-0', count: 12 }],
        troubledCount: 1,
        recoveredCount: 1,
      });
      const { lanes } = await fixture().view('grid?days=1', gridSchema);
      expect(lanes[0]?.days[0]?.runs.map(({ openState }) => openState)).toEqual(['DEGRADED', 'READY']);
    });

    test('is repaired by no earlier run, no other lane, and not by a run that failed at it again', async () => {
      await fixture().run({ run_key: 'disclosure/2026-11-20/0900', created_at: minutes(-1) }, {});
      await later('0600', -360, {});
      await fixture().run({ run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) }, FAILED);
      await fixture().run({ run_key: 'news/2026-11-20/0800', status: 'FAILED', created_at: minutes(-240) }, FAILED);
      expect((await overview()).lanes.find(({ lane }) => lane === 'news')?.day).toMatchObject({
        state: 'BLOCKED',
        recoveredCount: 0,
        troubledCount: 2,
      });
    });

    test('is repaired by no run whose last attempt at it failed, and a duplicate after its success changes nothing', async () => {
      const done = { status: 'SUCCEEDED', started_at: minutes(-240), ended_at: minutes(-239) };
      const again = { started_at: minutes(-238), ended_at: minutes(-237) };
      await fixture().run({ run_key: 'news/2026-11-20/0700', status: 'FAILED', created_at: minutes(-300) }, FAILED);
      await fixture().run(
        { run_key: 'news/2026-11-20/0800', status: 'FAILED', created_at: minutes(-240) },
        { attempts: [done, { ...again, status: 'FAILED' }] },
      );
      expect((await failures()).runs.map(({ runKey, tasks }) => [runKey, tasks[0]?.recovery])).toEqual([
        ['news/2026-11-20/0700', null],
        ['news/2026-11-20/0800', null],
      ]);
      await fixture().run(
        { run_key: 'news/2026-11-20/0900', created_at: minutes(-180) },
        { attempts: [done, { ...again, status: 'FAILED', duplicate_retry: true }] },
      );
      const recovery = { runKey: 'news/2026-11-20/0900', at: minutes(-239).toISOString() };
      expect((await failures()).runs.map(({ tasks }) => tasks[0]?.recovery)).toEqual([recovery, recovery]);
    });

    test('runs with open failures come first in the list, whatever their lane', async () => {
      await fixture().run({ run_key: 'a/2026-11-20/1', status: 'FAILED', created_at: minutes(-300) }, FAILED);
      await fixture().run({ run_key: 'a/2026-11-20/2', created_at: minutes(-200) }, {});
      await fixture().run({ run_key: 'b/2026-11-20/1', status: 'FAILED', created_at: minutes(-300) }, FAILED);
      expect((await failures()).runs.map(({ runKey }) => runKey)).toEqual(['b/2026-11-20/1', 'a/2026-11-20/1']);
    });
  });

  describe('runs of other days, on the overview of today', () => {
    const others = async (query = '') => (await overview(query)).otherDays;

    const failed = (run_key: string, created: number, changed = created): Promise<void> =>
      fixture().run(
        { run_key, status: 'FAILED', created_at: minutes(created), updated_at: minutes(changed) },
        { attempts: [{ status: 'FAILED', started_at: minutes(changed - 1), ended_at: minutes(changed) }] },
      );

    test('a backfill of an old day that failed minutes ago needs a look, and so does what is open since last night', async () => {
      await failed('news/2026-11-10/0700', -5);
      await failed('news/2026-11-19/2200', -1080);
      await failed('news/2026-11-19/0700', -1441);
      await failed('news/2026-11-20/0900', -4);
      await fixture().run({ run_key: 'market/2026-11-11/close', created_at: minutes(-3) }, {});
      const { total, runs } = await others();
      expect([total, runs.map(({ runKey }) => runKey)]).toEqual([2, ['news/2026-11-10/0700', 'news/2026-11-19/2200']]);
      expect(await others('?date=2026-11-19')).toEqual({ total: 0, runs: [] });
    });

    test('an old run that was tried again and failed minutes ago needs a look as well', async () => {
      await failed('news/2026-11-10/0700', -14_400, -5);
      await failed('news/2026-11-10/0800', -14_400, -1441);
      await failed('news/2026-11-10/0900', -60);
      const { total, runs } = await others();
      expect([total, runs.map(({ runKey }) => runKey)]).toEqual([2, ['news/2026-11-10/0700', 'news/2026-11-10/0900']]);
    });

    test('not one that a later run has repaired', async () => {
      await fixture().run({ run_key: 'news/2026-11-10/0700', status: 'FAILED', created_at: minutes(-50) }, FAILED);
      await fixture().run(
        { run_key: 'news/2026-11-10/0700-again', created_at: minutes(-5) },
        { attempts: [{ ended_at: minutes(-4) }] },
      );
      expect(await others()).toEqual({ total: 0, runs: [] });
    });
  });
});
