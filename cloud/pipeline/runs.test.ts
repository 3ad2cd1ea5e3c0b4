/** Run Overview and the run history over HTTP, on both engines. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { gridSchema, overviewSchema } from '../../shared/wire/operator/runs.ts';
import { clearedFixture, minutes } from '../../test/support/cloud/pipeline-fixture.ts';
import type { Db } from '../store/open.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { databaseClock, snapshot } from './snapshot.ts';

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  const fixture = clearedFixture(makeKind);

  const overview = (query = '') => fixture().view(`overview${query}`, overviewSchema);
  const grid = (query = '') => fixture().view(`grid${query}`, gridSchema);

  test('an empty ledger: no lanes, and the clock of the database', async () => {
    expect(await overview()).toEqual({
      asOf: AT.toISOString(),
      today: '2026-11-20',
      date: '2026-11-20',
      lanes: [],
      unreadableGaps: [],
      otherDays: { total: 0, runs: [] },
      rhythm: { lanes: [], sources: [] },
    });
    expect(await grid()).toMatchObject({ from: '2026-11-07', to: '2026-11-20', lanes: [], unreadableGaps: [] });
  });

  test('today is the day of Korea by the clock of the database', async () => {
    fixture().clock.at = new Date('2026-11-20T15:00:00Z');
    expect(await overview()).toMatchObject({ asOf: '2026-11-20T15:00:00.000Z', today: '2026-11-21' });
    expect(await grid('?days=1')).toMatchObject({ from: '2026-11-21', to: '2026-11-21' });
  });

  test('an answer shows one moment and changes nothing', async () => {
    const runs = async (db: Db): Promise<number> =>
      (await sql<{ count: number }>`select count(*) as count from pipeline_run`.execute(db)).rows[0]?.count ?? -1;
    await snapshot(fixture().store, databaseClock, async ({ trx, asOf }) => {
      expect(Math.abs(asOf.getTime() - Date.now())).toBeLessThan(60_000);
      expect(await runs(trx)).toBe(0);
      // The embedded store has one connection, so no other writer can interfere.
      if (fixture().store.kind === 'postgres') await fixture().run({ run_key: 'market/2026-11-20/close' }, {});
      expect(await runs(trx)).toBe(0);
    });
    const written = snapshot(fixture().store, databaseClock, ({ trx }) => sql`delete from pipeline_run`.execute(trx));
    await expect(written).rejects.toThrow('read-only transaction');
    expect(await runs(fixture().store.db)).toBe(fixture().store.kind === 'postgres' ? 1 : 0);
  });

  test('on a past day: the latest run of that time, and the slots without a run by then', async () => {
    await fixture().run({ run_key: 'market/2026-11-18/close' }, {});
    await fixture().run({ run_key: 'market/2026-11-20/close', status: 'FAILED' }, {});
    await fixture().run({ run_key: 'options_greeks/2026-11-20/close' }, {});
    await fixture().slot('fx/2026-11-18/open');
    await fixture().slot('fx/2026-11-20/open');
    const past = await overview('?date=2026-11-19');
    expect(past).toMatchObject({ today: '2026-11-20', date: '2026-11-19' });
    expect(
      past.lanes.map(({ lane, state, latestRun, defects }) => [lane, state, latestRun?.runKey, defects.length]),
    ).toEqual([
      ['fx', 'UNKNOWN', undefined, 1],
      ['market', 'READY', 'market/2026-11-18/close', 0],
    ]);
    for (const wrong of ['2026-11-21', '2026-2-1', ''])
      expect([wrong, (await fixture().ask(`overview?date=${wrong}`)).status]).toEqual([wrong, 400]);
  });

  test('an unknown lane appears with its first run, and by a planned slot alone', async () => {
    await fixture().run({ run_key: 'market/2026-11-20/close' }, {});
    await fixture().run({ run_key: 'options_greeks/2026-11-20/close', status: 'RUNNING' }, { attempts: [] });
    await fixture().slot('fx/2026-11-20/open');
    const { lanes } = await overview();
    expect(lanes.map(({ lane, state, latestRun }) => [lane, state, latestRun?.runKey ?? null])).toEqual([
      ['fx', 'UNKNOWN', null],
      ['market', 'READY', 'market/2026-11-20/close'],
      ['options_greeks', 'IN_PROGRESS', 'options_greeks/2026-11-20/close'],
    ]);
    expect(lanes[0]?.defects).toMatchObject([{ kind: 'PLANNING_GAP', runKey: 'fx/2026-11-20/open', stage: null }]);
    expect((await grid('?days=1')).lanes.map(({ lane }) => lane)).toEqual(['fx', 'market', 'options_greeks']);
  });

  test('the latest run by day, creation and id; the strip holds twelve, oldest first; later days are left out', async () => {
    for (let day = 1; day <= 20; day += 1)
      await fixture().run({ run_key: `market/2026-11-${String(day).padStart(2, '0')}/close` }, {});
    await fixture().run({ run_key: 'market/2026-11-20/open', created_at: minutes(-60) }, {});
    await fixture().run({ run_key: 'market/2026-11-20/again', created_at: AT }, {});
    await fixture().run({ run_key: 'market/2026-11-21/close', status: 'PENDING' });
    const [lane] = (await overview()).lanes;
    expect(lane?.latestRun?.runKey).toBe('market/2026-11-20/again');
    expect(lane?.recentRuns.map(({ runKey }) => runKey.slice(7))).toEqual([
      ...['11', '12', '13', '14', '15', '16', '17', '18', '19'].map((day) => `2026-11-${day}/close`),
      '2026-11-20/open',
      '2026-11-20/close',
      '2026-11-20/again',
    ]);
  });

  test('a run without a trading date belongs to the KST day of its creation, and keeps the null', async () => {
    const created_at = new Date('2026-11-19T15:00:00Z');
    await fixture().run({ run_key: 'news/x', lane: 'news', trading_date: null, created_at }, {});
    const [lane] = (await overview()).lanes;
    expect(lane?.latestRun).toMatchObject({ tradingDate: null, date: '2026-11-20', deadline: null, executionId: null });
    expect((await grid('?days=2')).lanes[0]?.days.map(({ date, runs }) => [date, runs.length])).toEqual([
      ['2026-11-19', 0],
      ['2026-11-20', 1],
    ]);
  });

  test('outcomes of the last real attempt: a duplicate-retry container counts for nothing', async () => {
    await fixture().run(
      { run_key: 'market/2026-11-20/close', deadline: minutes(5), execution_id: 'arn:1' },
      { attempts: [{ status: 'FAILED' }, { status: 'SUCCEEDED', started_at: minutes(1) }] },
      { attempts: [{ status: 'SUCCEEDED' }, { status: 'FAILED', started_at: minutes(1), duplicate_retry: true }] },
      { attempts: [{ status: 'FAILED', error_code: 'HTTP_503', error_message: '점검' }] },
      { attempts: [{ status: 'SUCCEEDED', duplicate_retry: true }] },
      { attempts: [] },
      { plan_status: 'NOT_DUE', attempts: [] },
      { required: false, attempts: [] },
    );
    const [lane] = (await overview()).lanes;
    expect(lane?.state).toBe('BLOCKED');
    expect(lane?.latestRun).toMatchObject({ deadline: minutes(5).toISOString(), executionId: 'arn:1', defectCount: 4 });
    expect(lane?.latestRun?.tasks).toEqual({
      unit: 'TASK',
      required: 5,
      succeeded: 2,
      running: 0,
      pending: 0,
      failed: 1,
      missing: 2,
      unknown: 0,
    });
    expect(lane?.defects.map(({ kind, taskKey, reason, required }) => [kind, taskKey, reason, required])).toEqual([
      ['TASK_FAILED', 'task-2', '점검', true],
      ['TASK_MISSING', 'task-3', null, true],
      ['TASK_MISSING', 'task-4', null, true],
      ['TASK_MISSING', 'task-6', null, false],
    ]);
  });

  test('the deadline by the clock of the database makes a running run overdue', async () => {
    await fixture().run(
      { run_key: 'market/2026-11-20/close', status: 'RUNNING', deadline: minutes(5) },
      { attempts: [] },
    );
    expect((await overview()).lanes[0]).toMatchObject({ state: 'IN_PROGRESS', defects: [] });
    fixture().clock.at = minutes(6);
    expect((await overview()).lanes[0]).toMatchObject({
      state: 'BLOCKED',
      defects: [{ kind: 'RUN_OVERDUE' }, { kind: 'TASK_MISSING' }],
    });
  });

  describe('planning gaps', () => {
    test('a gap later than the latest run makes the lane UNKNOWN; an earlier gap of the day is only shown', async () => {
      await fixture().run({ run_key: 'market/2026-11-20/close' }, {});
      await fixture().run({ run_key: 'news/2026-11-20/1500' }, {});
      await fixture().slot('market/2026-11-20/open', {}, minutes(-60));
      await fixture().slot('news/2026-11-20/1600', {}, minutes(1));
      const { lanes } = await overview();
      expect(lanes.map(({ lane, state, defects }) => [lane, state, defects.map(({ runKey }) => runKey)])).toEqual([
        ['market', 'READY', ['market/2026-11-20/open']],
        ['news', 'UNKNOWN', ['news/2026-11-20/1600']],
      ]);
    });

    test('none: resolved, of another kind, with a run of its key, or before the latest run’s day', async () => {
      await fixture().run({ run_key: 'market/2026-11-20/close' }, {});
      await fixture().slot('market/2026-11-20/close', {}, minutes(1));
      await fixture().slot('market/2026-11-20/open', { resolved_at: AT }, minutes(1));
      await fixture().slot('market/2026-11-20/noon', { issue_type: 'RUN_LATE' }, minutes(1));
      await fixture().slot('market/2026-11-19/close', {}, minutes(-1440));
      expect((await overview()).lanes).toMatchObject([{ state: 'READY', defects: [] }]);
      const [lane] = (await grid('?days=2')).lanes;
      expect(lane?.days.map(({ planningGaps }) => planningGaps)).toEqual([
        [
          {
            slotKey: 'market/2026-11-19/close',
            lane: 'market',
            date: '2026-11-19',
            plannedFor: minutes(-1440).toISOString(),
            openedAt: AT.toISOString(),
          },
        ],
        [],
      ]);
    });

    test('a key that cannot be read: null lane and date, shown by the day on which it became known', async () => {
      await fixture().slot('what is this');
      await fixture().slot('what was that', { opened_at: minutes(-1440) });
      const unread = (slotKey: string, openedAt: Date): object => ({
        slotKey,
        lane: null,
        date: null,
        plannedFor: AT.toISOString(),
        openedAt: openedAt.toISOString(),
      });
      const today = unread('what is this', AT);
      const yesterday = unread('what was that', minutes(-1440));
      expect((await overview()).unreadableGaps).toEqual([today, yesterday]);
      expect((await grid('?days=1')).unreadableGaps).toEqual([today]);
      expect((await grid('?days=1&to=2026-11-19')).unreadableGaps).toEqual([yesterday]);
    });

    test('two issues of one slot are one gap', async () => {
      await fixture().slot('market/2026-11-20/open');
      await fixture().put('reconciliation_issue', {
        planner_slot_id: await fixture().newestId('planner_slot'),
        issue_type: 'PLANNER_MISSING',
        opened_at: minutes(1),
      });
      expect((await overview()).lanes[0]?.defects).toHaveLength(1);
    });
  });

  test('links: every lane to its run and history, with path segments escaped', async () => {
    await fixture().run({ run_key: 'a&b/2026-11-20/x=1' }, {});
    await fixture().run({ run_key: 'news/2026-11-20/0900' }, {});
    await fixture().slot('market/2026-11-20/open');
    const links = (await overview()).lanes.map(({ lane, links: all }) => [
      lane,
      all.map(({ rel, href }) => `${rel} ${href}`),
    ]);
    expect(links).toEqual([
      [
        'a&b',
        ['RUN /api/v1/sources/grid?runKey=a%26b%2F2026-11-20%2Fx%3D1', 'HISTORY /api/v1/sources/grid?lane=a%26b'],
      ],
      ['market', ['HISTORY /api/v1/sources/grid?lane=market', 'HOLDINGS_IMPACT /api/v1/sources/impact/holdings']],
      [
        'news',
        [
          'RUN /api/v1/sources/grid?runKey=news%2F2026-11-20%2F0900',
          'HISTORY /api/v1/sources/grid?lane=news',
          'NEWS_LINEAGE /api/v1/sources/lineage/news?date=2026-11-20',
        ],
      ],
    ]);
    for (const { links: all } of (await overview()).lanes)
      for (const { href } of all) expect((await fixture().ask(href.replace('/api/v1/sources/', ''))).status).toBe(200);
  });

  describe('the run history', () => {
    test('filters by lane and days; every lane has every day', async () => {
      for (const key of ['market/2026-11-18/close', 'market/2026-11-20/close', 'news/2026-11-19/0900'])
        await fixture().run({ run_key: key }, {});
      const shape = (answer: Awaited<ReturnType<typeof grid>>): unknown =>
        answer.lanes.map(({ lane, days }) => [
          lane,
          days.map(({ date, runs }) => `${date.slice(8)}:${runs.length}`).join(' '),
        ]);
      expect(shape(await grid('?days=3'))).toEqual([
        ['market', '18:1 19:0 20:1'],
        ['news', '18:0 19:1 20:0'],
      ]);
      expect(shape(await grid('?days=2&to=2026-11-19&lane=news'))).toEqual([['news', '18:0 19:1']]);
      expect(shape(await grid('?lane=nobody'))).toEqual([]);
      expect((await grid('?days=31&to=2026-03-01')).from).toBe('2026-01-30');
    });

    test('one run: its tasks in stage order with every column, null and 0 apart, and all attempts', async () => {
      const full = {
        stage: 'normalize',
        dataset: 'etf_nav',
        contract_key: 'nav.daily',
        expected_as_of: '2026-11-20',
        actual_as_of: '2026-11-19',
        collected_at: AT,
        freshness_status: 'STALE',
        freshness_reason: 'LATE_VENDOR',
        records_out: 0,
        unsupported_records: 2,
        failed_records: 0,
        completeness_expected: 10,
        completeness_actual: 8,
      };
      await fixture().run(
        { run_key: 'market/2026-11-20/close' },
        { stage: 'load', dataset: '', attempts: [] },
        {
          ...full,
          attempts: [
            { status: 'SUCCEEDED', started_at: minutes(2), ended_at: minutes(3) },
            { status: 'FAILED', started_at: minutes(0), error_code: 'E', error_message: 'm' },
            { status: 'SUCCEEDED', started_at: minutes(1), duplicate_retry: true },
          ],
        },
        { stage: 'raw', dataset: null, plan_status: 'NOT_DUE', required: false, attempts: [] },
      );
      const { detail, lanes, from, to } = await grid('?runKey=market%2F2026-11-20%2Fclose');
      expect([from, to, lanes.map(({ lane }) => lane)]).toEqual(['2026-11-20', '2026-11-20', ['market']]);
      expect(detail?.run).toEqual(lanes[0]?.days[0]?.runs[0]);
      expect(detail?.defects.map(({ kind }) => kind)).toEqual(['STALE', 'TASK_MISSING']);
      const nothing = {
        contractKey: null,
        expectedAsOf: null,
        actualAsOf: null,
        collectedAt: null,
        freshnessStatus: null,
        freshnessReason: null,
        recordsOut: null,
        unsupportedRecords: null,
        failedRecords: null,
        completenessExpected: null,
        completenessActual: null,
        attempts: 0,
        attemptList: [],
      };
      const attempt = { startedAt: null, endedAt: null, duplicateRetry: false, errorCode: null, errorMessage: null };
      expect(detail?.tasks).toEqual([
        {
          taskKey: 'task-2',
          stage: 'raw',
          dataset: null,
          planStatus: 'NOT_DUE',
          required: false,
          outcome: null,
          ...nothing,
        },
        {
          taskKey: 'task-1',
          stage: 'normalize',
          dataset: 'etf_nav',
          planStatus: 'DUE',
          required: true,
          outcome: 'SUCCEEDED',
          contractKey: 'nav.daily',
          expectedAsOf: '2026-11-20',
          actualAsOf: '2026-11-19',
          collectedAt: AT.toISOString(),
          freshnessStatus: 'STALE',
          freshnessReason: 'LATE_VENDOR',
          recordsOut: 0,
          unsupportedRecords: 2,
          failedRecords: 0,
          completenessExpected: 10,
          completenessActual: 8,
          attempts: 2,
          attemptList: [
            { ...attempt, status: 'FAILED', startedAt: AT.toISOString(), errorCode: 'E', errorMessage: 'm' },
            { ...attempt, status: 'SUCCEEDED', startedAt: minutes(1).toISOString(), duplicateRetry: true },
            { ...attempt, status: 'SUCCEEDED', startedAt: minutes(2).toISOString(), endedAt: minutes(3).toISOString() },
          ],
        },
        {
          taskKey: 'task-0',
          stage: 'load',
          dataset: '',
          planStatus: 'DUE',
          required: true,
          outcome: 'MISSING',
          ...nothing,
        },
      ]);
    });

    test('a run that the ledger does not have: 404', async () => {
      expect(await fixture().ask('grid?runKey=nobody')).toMatchObject({ status: 404, code: 'COMMON404' });
    });
  });

  test.each([
    ['overview?x=1', '', 'Unrecognized key: "x"'],
    ['report?date=2026-11-20', '', 'Unrecognized key: "date"'],
    ['grid?days=0', 'days', 'must be a whole number from 1 to 31'],
    ['grid?days=1.5', 'days', 'must be a whole number from 1 to 31'],
    ['grid?days=32', 'days', 'must be a whole number from 1 to 31'],
    ['grid?to=2026-02-30', 'to', 'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on'],
    ['grid?to=%2B002026-11-20', 'to', 'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on'],
    ['grid?to=2026-11-21', 'to', 'must not be after today, 2026-11-20'],
    ['grid?to=', 'to', 'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on'],
    ['grid?lane=', 'lane', 'must not be empty'],
    ['grid?runKey=a%00b', 'runKey', 'must not contain control characters or half of a character'],
    ['grid?to=2026-11-20&to=2026-11-19', 'to', 'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on'],
    // Days around year 1 are none that the store could look at.
    ...['overview?date', 'grid?to', 'lineage/news?date', 'minute?date', 'impact/holdings?referenceDate'].map(
      (query): [string, string, string] => [
        `${query}=0001-01-01`,
        query.split('?')[1] ?? '',
        'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on',
      ],
    ),
    ['lineage/news?date=yesterday', 'date', 'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on'],
    ['lineage/news?stage=DEAD', 'stage', 'must be one of COLLECTED, STRUCTURED, USED'],
    ['minute?date=2026-11-21', 'date', 'must not be after today, 2026-11-20'],
    ['minute/daily?days=93', 'days', 'must be a whole number from 1 to 92'],
    ['minute/judgments', 'sessionId', 'must be a text'],
    ['minute/judgments?sessionId=s&size=101', 'size', 'must be a whole number from 1 to 100'],
    [
      'impact/holdings?referenceDate=20261120',
      'referenceDate',
      'must be a date that exists, YYYY-MM-DD, from 1970-01-01 on',
    ],
    ['impact/holdings?referenceDate=2026-11-21', 'referenceDate', 'must not be after today, 2026-11-20'],
  ])('%s: 400 that names the parameter', async (path, parameter, message) => {
    const { status, code, errors } = await fixture().ask(path);
    expect({ status, code, errors }).toEqual({
      status: 400,
      code: 'COMMON400',
      errors: [{ path: parameter === '' ? 'query' : `query.${parameter}`, message }],
    });
  });
});
