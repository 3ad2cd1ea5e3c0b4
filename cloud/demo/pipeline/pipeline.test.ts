/** The demo's pipeline: the content of its days, their growth over time, and the writing of them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kstDate } from '../../../shared/time/kst.ts';
import {
  minuteCollectionSchema,
  minuteDailySchema,
  minuteJudgmentsSchema,
} from '../../../shared/wire/operator/minute.ts';
import { gridSchema, overviewSchema } from '../../../shared/wire/operator/runs.ts';
import { holdingsImpactSchema, newsLineageSchema, reportSchema } from '../../../shared/wire/operator/sources.ts';
import { COLLECTION_SOURCES } from '../../../shared/wire/operator/operator.ts';
import { judge } from '../../console/rules/engine.ts';
import { readFacts } from '../../facts/facts.ts';
import { databaseQueues, databaseWorkflows } from '../../facts/adapters/database.ts';
import { readLoads } from '../generation/reader.ts';
import { moveLoad } from '../redate.ts';
import { addDays, isTradingDay } from '../generation/calendar.ts';
import { SetClock } from '../../../test/support/cloud/clock.ts';
import { PipelineFixture } from '../../../test/support/cloud/pipeline-fixture.ts';
import { STORE_KINDS } from '../../../test/support/cloud/store.ts';
import { readFileSync } from 'node:fs';
import { Day } from './day.ts';
import { LACKING } from './holdings.ts';
import { LANES } from './lanes.ts';
import { generateQueues } from './control-plane.ts';
import { demoWorld, runPipeline, startDemoPipeline, type PipelineParts } from './pipeline.ts';
import { changedRows, writeRows, type LedgerRow, type LedgerRows, type LedgerTable } from './rows.ts';
import { generateDay, writeHistory } from './generate-day.ts';

const world = demoWorld();
const FRIDAY = '2026-11-20';
const SATURDAY = '2026-11-21';
const at = (date: string, clock: string): Date => new Date(`${date}T${clock}:00+09:00`);
const LONG_AFTER = at('2027-12-31', '00:00');
const rowsOf = (rows: LedgerRows, table: LedgerTable): readonly LedgerRow[] => rows.get(table) ?? [];

describe('a day', () => {
  test('is the same each time it is made, and differs by seed and by date', () => {
    const told = generateDay(FRIDAY, world, LONG_AFTER);
    expect(generateDay(FRIDAY, demoWorld(), LONG_AFTER)).toEqual(told);
    expect(generateDay(FRIDAY, demoWorld('other'), LONG_AFTER)).not.toEqual(told);
    expect(rowsOf(generateDay('2026-11-19', world, LONG_AFTER), 'document')).not.toEqual(rowsOf(told, 'document'));
  });

  test('only grows over time: no row disappears, and no fact changes', () => {
    const facts = [
      'document',
      'source_event',
      'price_movement_trigger',
      'minute_collection',
      'holdings_loaded',
    ] as const;
    const texts = (rows: LedgerRows, table: LedgerTable): Set<string> =>
      new Set(rowsOf(rows, table).map((row) => JSON.stringify(row)));
    let before = generateDay(FRIDAY, world, at(FRIDAY, '00:00'));
    for (let hour = 0; hour <= 84; hour += 3) {
      const after = generateDay(FRIDAY, world, new Date(at(FRIDAY, '00:17').getTime() + hour * 3_600_000));
      const fewer = [...before.keys()].filter((table) => rowsOf(after, table).length < rowsOf(before, table).length);
      const changed = facts.filter((table) => !texts(before, table).isSubsetOf(texts(after, table)));
      expect([hour, fewer, changed]).toEqual([hour, [], []]);
      before = after;
    }
    // By Monday morning every row of it exists.
    expect(changedRows(before, generateDay(FRIDAY, world, LONG_AFTER)).size).toBe(0);
  });

  test('the control plane lists runs that have begun, and stops no running execution', () => {
    for (const [clock, date] of [
      ['09:40', FRIDAY],
      ['23:59', '2026-11-19'],
    ] as const) {
      const rows = generateDay(date, world, at(date, clock));
      const runs = new Map(rowsOf(rows, 'pipeline_run').map((run) => [run['execution_id'], run]));
      const executions = rowsOf(rows, 'workflow_execution');
      expect(executions.length).toBeGreaterThan(runs.size * 0.8);
      for (const { execution_id, status, stopped_at } of executions) {
        expect(runs.get(execution_id ?? null)).toBeDefined();
        expect(stopped_at === null).toBe(status === 'RUNNING');
      }
    }
  });

  test('future events are absent', () => {
    const now = at(FRIDAY, '10:07');
    const ahead = [...generateDay(FRIDAY, world, now)].flatMap(([table, rows]) =>
      rows.flatMap((row) =>
        Object.entries(row)
          .filter(([, value]) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && new Date(value) > now)
          .map(([column]) => `${table}.${column}`),
      ),
    );
    // Planned times may lie in the future.
    expect([...new Set(ahead)].toSorted()).toEqual([
      'minute_session.closes_at',
      'pipeline_run.deadline',
      'planner_slot.planned_for',
      'source_collection.next_due_at',
    ]);
  });

  test('over four months every day has five lanes, a good day no fault, any other one planning gap; each week has a calm day and a failed one', () => {
    const [calm, failed] = [new Set<number>(), new Set<number>()];
    const weeks = 17;
    for (let n = 0; n < 7 * weeks; n += 1) {
      const date = addDays('2026-06-01', n);
      const rows = generateDay(date, world, at(date, '23:59'));
      const runs = rowsOf(rows, 'pipeline_run');
      expect(new Set(runs.map(({ lane }) => lane)).size).toBe(5);
      expect(runs.some(({ status }) => status === 'PENDING')).toBe(false);
      const keys = new Set(runs.map(({ run_key }) => run_key));
      const missing = rowsOf(rows, 'planner_slot').filter(({ slot_key }) => !keys.has(slot_key ?? ''));
      expect(missing.map(({ planner_slot_id }) => planner_slot_id)).toEqual(
        rowsOf(rows, 'reconciliation_issue').map(({ planner_slot_id }) => planner_slot_id),
      );
      const isStopped = runs.some(({ status }) => status === 'FAILED' || status === 'TIMED_OUT');
      if (missing.length === 0) {
        calm.add(Math.floor(n / 7));
        expect(isStopped).toBe(false);
        expect(rowsOf(rows, 'task_attempt').filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
        expect(rowsOf(rows, 'expected_task').filter(({ failed_records }) => Number(failed_records) > 0)).toEqual([]);
      } else expect(missing).toHaveLength(1);
      if (isStopped) failed.add(Math.floor(n / 7));
      expect(rowsOf(rows, 'holdings_expected').length - rowsOf(rows, 'holdings_loaded').length).toBe(
        isTradingDay(date) ? 1 : 0,
      );
    }
    expect([calm.size, failed.size]).toEqual([weeks, weeks]);
  });

  test('the missing ETF is one that the demo mentions on such a weekday', () => {
    const file = readFileSync(new URL('../loads.jsonl', import.meta.url), 'utf8');
    const loads = readLoads('loads.jsonl', file).map((load) => moveLoad(load, 0));
    for (const [index, etfs] of LACKING.entries())
      for (const etf of etfs)
        expect([
          etf,
          loads.some(
            (load) =>
              load.instrument.instrument_id === etf &&
              kstDate(new Date(load.run.started_at)) === addDays('2026-06-15', index),
          ),
        ]).toEqual([etf, true]);
  });
});

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  let fixture: PipelineFixture;
  beforeAll(async () => {
    fixture = await PipelineFixture.open(makeKind);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.clear());

  /** Writes days up to a moment, and sets the database's clock to it. */
  const tell = async (now: Date, days: number): Promise<void> => {
    fixture.clock.at = now;
    await writeHistory(fixture.store, world, kstDate(now), days, now);
  };

  test('a Friday evening in every view', async () => {
    await tell(at(FRIDAY, '19:00'), 6);
    const { lanes } = await fixture.view('overview', overviewSchema);
    expect(lanes.map(({ lane }) => lane)).toEqual(LANES.map(({ lane }) => lane).toSorted());
    // The bad day of its week, after an ordinary one: failures, open or repaired by a later run.
    expect(lanes.filter(({ standing, day }) => standing === 'BLOCKED' || day.recoveredCount > 0)).not.toEqual([]);
    const ordinary = await fixture.view('overview?date=2026-11-19', overviewSchema);
    expect(ordinary.lanes.find(({ lane }) => lane === 'market')).toMatchObject({
      state: 'DEGRADED',
      defects: [{ kind: 'FAILED_RECORDS', taskKey: 'load-etf-daily' }],
    });
    expect(lanes.flatMap(({ defects }) => defects).filter(({ kind }) => kind === 'PLANNING_GAP')).toHaveLength(1);
    const grid = await fixture.view('grid?days=6', gridSchema);
    const weekend = grid.lanes
      .find(({ lane }) => lane === 'market')
      ?.days.filter(({ runs }) => runs.some(({ skipReason }) => skipReason !== null));
    expect(weekend?.map(({ date }) => date)).toEqual(['2026-11-15']);
    const report = await fixture.view('report', reportSchema);
    expect(report.sources.map(({ source }) => source)).toEqual([...COLLECTION_SOURCES]);
    expect(report.sources.filter(({ status }) => status !== 'NORMAL' && status !== 'ERROR')).toEqual([]);
    const news = await fixture.view('lineage/news', newsLineageSchema);
    const [collected = 0, structured = 0, used = 0] = news.tiles.map(({ count }) => count);
    expect([collected > structured, structured > used, used > 0, news.intradayExtraction.dead > 0]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await fixture.view('impact/holdings', holdingsImpactSchema)).toMatchObject({
      state: 'IMPACT',
      expected: world.etfs.length,
      missing: [{}],
    });
    const { sessions } = await fixture.view('minute', minuteCollectionSchema);
    expect([sessions[0]?.minutesDue, sessions[0]?.minutes.some(({ state }) => state === 'PARTIAL')]).toEqual([
      390,
      true,
    ]);
    const { days } = await fixture.view('minute/daily', minuteDailySchema);
    expect(days).toHaveLength(5);
    const judgments = await fixture.view(
      `minute/judgments?sessionId=${days[0]?.sessionId}&size=100`,
      minuteJudgmentsSchema,
    );
    expect(new Set(judgments.items.map(({ judgment }) => judgment))).toEqual(new Set(['FIRE', 'REVERT', 'HOLD']));
  });

  test('the facts of a Friday morning have every axis, and the rules give verdicts on them', async () => {
    const now = at(FRIDAY, '11:55');
    await tell(now, 3);
    await writeRows(fixture.store, new Map([['message_queue', generateQueues(new Day(FRIDAY, world, now))]]));
    const clock = async (): Promise<Date> => now;
    const adapters = { workflows: databaseWorkflows(fixture.store, clock), queues: databaseQueues(fixture.store) };
    const facts = await readFacts({ store: fixture.store, databaseClock: clock, ...adapters }, null, () => undefined);
    expect(Object.entries(facts).filter(([, axis]) => axis === null)).toEqual([]);
    expect([facts.meta.today, facts.meta.cloud, facts.queues?.length, facts.etfLedger?.rows.length]).toEqual([
      FRIDAY,
      now.toISOString(),
      4,
      expect.any(Number),
    ]);
    const seen = facts.runs.filter(({ cloudStatus }) => typeof cloudStatus === 'string').length;
    // One slot has no run, and the control plane does not know every execution.
    expect([seen > facts.runs.length * 0.8, seen < facts.runs.length]).toEqual([true, true]);
    const told = new Set(judge(facts).map(({ severity }) => severity));
    expect([told.has('BAD'), told.has('WARNING'), told.has('GOOD')]).toEqual([true, true, true]);
  });

  test('holdings missing on Friday are still missing on Saturday, and resolved when Monday begins', async () => {
    const friday = async (): Promise<unknown> =>
      (await fixture.view(`impact/holdings?referenceDate=${FRIDAY}`, holdingsImpactSchema)).state;
    await tell(at(FRIDAY, '17:25'), 1);
    expect(await friday()).toBe('WITHHELD');
    await tell(at(SATURDAY, '12:00'), 2);
    expect(await friday()).toBe('IMPACT');
    await tell(at('2026-11-23', '07:50'), 4);
    expect(await friday()).toBe('RESOLVED');
  });

  test('the pipeline writes the past days once, and today as time passes; a restart continues from there', async () => {
    const clock = new SetClock(at(FRIDAY, '09:00'));
    const failures: unknown[] = [];
    const stages: (() => void)[] = [];
    const turns: string[] = [];
    const count = async (): Promise<string> => {
      const { rows } = await sql<{ runs: number; tasks: number }>`
        select count(*) as runs, (select count(*) from expected_task) as tasks from pipeline_run`.execute(
        fixture.store.db,
      );
      return `${rows[0]?.runs} ${rows[0]?.tasks}`;
    };
    const pipeline = async (): Promise<void> => {
      const stop = new AbortController();
      const parts: PipelineParts = {
        store: fixture.store,
        clock,
        world,
        daysBehind: 6,
        paceMs: 1_000,
        failed: (error) => failures.push(error),
        sleep: async (ms) => {
          if (ms < 1_000) return;
          turns.push(await count());
          const next = stages.shift();
          if (next === undefined) stop.abort();
          else next();
        },
      };
      await runPipeline(parts, stop.signal);
    };
    stages.push(() => (clock.at = at(FRIDAY, '12:00')));
    await pipeline();
    await pipeline();
    clock.at = at(SATURDAY, '12:00');
    await pipeline();
    expect(failures).toEqual([]);
    const wanted = async (now: Date, first: string): Promise<string> => {
      let [runs, tasks] = [0, 0];
      for (let date = first; date <= kstDate(now); date = addDays(date, 1)) {
        const rows = generateDay(date, world, now);
        runs += rowsOf(rows, 'pipeline_run').length;
        tasks += rowsOf(rows, 'expected_task').length;
      }
      return `${runs} ${tasks}`;
    };
    const noon = await wanted(at(FRIDAY, '12:00'), '2026-11-14');
    expect(turns).toEqual([
      await wanted(at(FRIDAY, '09:00'), '2026-11-14'),
      noon,
      noon,
      await wanted(at(SATURDAY, '12:00'), '2026-11-14'),
    ]);
  });

  test('beside a serving cloud it begins with today, and writes nothing after its stop', async () => {
    const failures: unknown[] = [];
    const pipeline = startDemoPipeline(fixture.store, new SetClock(at(FRIDAY, '12:00')), (error) =>
      failures.push(error),
    );
    const days = async (): Promise<string[]> =>
      (
        await sql<{ day: string }>`select distinct run_date as day from pipeline_run order by 1 desc`.execute(
          fixture.store.db,
        )
      ).rows.map(({ day }) => day);
    await expect.poll(days, { timeout: 60_000, interval: 10 }).toContain(FRIDAY);
    await pipeline.stop();
    const written = await days();
    expect(written[0]).toBe(FRIDAY);
    expect(failures).toEqual([]);
    expect(await days()).toEqual(written);
  });

  test('a failing store is reported, and written when it is back', async () => {
    const failures: unknown[] = [];
    const stop = new AbortController();
    await sql`alter table intraday_extraction rename to away`.execute(fixture.store.db);
    const parts: PipelineParts = {
      store: fixture.store,
      clock: new SetClock(at(FRIDAY, '12:00')),
      world,
      daysBehind: 0,
      paceMs: 1_000,
      failed: (error) => failures.push(error),
      sleep: async (ms) => {
        if (ms < 1_000) return;
        if (failures.length === 0 || stop.signal.aborted) return;
        const { rows } = await sql<{
          there: boolean;
        }>`select to_regclass('intraday_extraction') is not null as there`.execute(fixture.store.db);
        if (rows[0]?.there === true) stop.abort();
        else await sql`alter table away rename to intraday_extraction`.execute(fixture.store.db);
      },
    };
    await runPipeline(parts, stop.signal);
    expect(failures).toHaveLength(1);
    const { rows } = await sql<{ count: number }>`select count(*) as count from intraday_extraction`.execute(
      fixture.store.db,
    );
    expect(rows[0]?.count).toBeGreaterThan(0);
  });
});
