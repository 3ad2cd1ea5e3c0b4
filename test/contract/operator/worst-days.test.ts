/** The worst days, from the ledger to what the console says of them: dead, flooded, deaf. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogues } from '../../../cloud/console/i18n/catalogues.ts';
import { judge } from '../../../cloud/console/rules/engine.ts';
import type { ReadFacts, Sentence } from '../../../cloud/console/rules/rule.ts';
import { calmOf } from '../../../cloud/console/screens/overview/calm.ts';
import { countStatuses, judgeLanes } from '../../../cloud/console/screens/overview/overview-filter.ts';
import { writeReport } from '../../../cloud/console/screens/facts/report/incident-report.ts';
import { rowsOf } from '../../../cloud/console/screens/history/grid-rows.ts';
import { PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { AT, postgresKind } from '../../support/cloud/store.ts';
import {
  LANES,
  RUNS,
  TENANTS,
  writeDeadWeek,
  writeDeafTenants,
  writeFlood,
  writeYoungDead,
} from '../../support/cloud/worst-days.ts';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import { withdrawalsSchema } from '../../../shared/wire/operator/analyses.ts';
import { failuresSchema } from '../../../shared/wire/operator/failures.ts';
import { gridSchema, overviewSchema } from '../../../shared/wire/operator/runs.ts';
import { tenantPageSchema } from '../../../shared/wire/operator/tenants.ts';

let fixture: PipelineFixture;
beforeAll(async () => {
  fixture = await PipelineFixture.open(postgresKind);
});
afterAll(() => fixture.close());
beforeEach(() => fixture.clear());

async function read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const { status, code, result } = await fixture.get(path);
  expect([path, status, code]).toEqual([path, 200, 'COMMON200']);
  return schema.parse(result);
}
const facts = (): Promise<ReadFacts> => read('console/facts', z.custom<ReadFacts>());

test('dead: every lane is silent and nothing is calm', async () => {
  await writeDeadWeek(fixture);
  const overview = await read('sources/overview', overviewSchema);
  expect(countStatuses(judgeLanes(overview))).toMatchObject({ SILENT: 5, READY: 0 });
  expect(calmOf(overview)).toBeNull();
  const bad = judge(await facts(), null).filter(({ severity }) => severity === 'BAD');
  expect(bad.filter(({ rule }) => rule === 'lane-silent')).toHaveLength(5);
});

test('dead after one week of history: calm while it lives, and never after', async () => {
  await writeYoungDead(fixture);
  const seen = async (day: string): Promise<[boolean, string | undefined, string[]]> => {
    fixture.clock.at = new Date(`2026-11-${day}T15:30:00+09:00`);
    const overview = await read('sources/overview', overviewSchema);
    const verdicts = judge(await facts(), null).filter(({ rule }) => rule === 'lane-silent');
    return [
      calmOf(overview) !== null,
      judgeLanes(overview)[0]?.judged,
      verdicts.map(({ severity, sentence }) => `${severity} ${sentence.id}`),
    ];
  };
  const nothing = 'NOT_MEASURED verdict.laneSilent.noWeeks';
  expect(await seen('13')).toEqual([true, 'READY', [nothing]]);
  expect(await seen('14')).toEqual([false, 'IDLE', [nothing]]);
  for (const day of ['16', '18', '20']) expect((await seen(day)).slice(0, 2)).toEqual([false, 'UNKNOWN']);
});

describe('flooded', () => {
  beforeEach(() => writeFlood(fixture));

  test('tiles count the lanes, and a crowded day is one line of counts that add up', async () => {
    const lanes = judgeLanes(await read('sources/overview', overviewSchema));
    expect(countStatuses(lanes)).toMatchObject({ BLOCKED: 4, READY: LANES - 4 });
    const rows = rowsOf((await read('sources/grid?days=14', gridSchema)).lanes, false);
    const today = rows.map(({ cells }) => cells.at(-1)?.counts ?? []);
    expect(today[0]?.map(({ kind, count }) => [kind, count])).toEqual([
      ['BLOCKED', 1],
      ['READY', 45],
      ['RECOVERED', 4],
    ]);
    expect(today.flat().reduce((sum, { count }) => sum + count, 0)).toBe(RUNS);
    const failed = rowsOf((await read('sources/grid?days=14', gridSchema)).lanes, true);
    expect(failed.map(({ cells }) => cells.map(({ slots }) => slots.length).at(-1))).toEqual([1, 1, 1, 1]);
  });

  test('the report of the day stays below 2 MB', async () => {
    const day = { ...(await facts()), failures: await read('sources/failures', failuresSchema) };
    const i18n = compiledI18n(catalogues, 'ko');
    const text = (id: string, values?: Readonly<Record<string, string | number>>): string => i18n._(id, values);
    const page = writeReport(
      { facts: day, previous: null, verdicts: judge(day, null), impacts: null, file: null, address: null, at: AT },
      { language: 'ko', text, sentenceOf: ({ id, values }: Sentence) => text(id, values) },
    );
    expect(day.runs).toHaveLength(RUNS);
    expect(new TextEncoder().encode(page).length).toBeLessThan(2_000_000);
  });
});

test('deaf: 5,000 tenants, of which those that never connected stand apart', async () => {
  await writeDeafTenants(fixture);
  const { tenants, analyses } = await read('console/withdrawals', withdrawalsSchema);
  const never = TENANTS / 25;
  expect([tenants.total, tenants.neverConnected]).toEqual([TENANTS - never, never]);
  expect(analyses.items[0]).toMatchObject({
    waiting: TENANTS - never,
    overdue: TENANTS - never,
    neverConnected: never,
  });
  const first = await read('tenants?size=100', tenantPageSchema);
  expect([first.total, first.notConnected]).toEqual([TENANTS, never]);
  expect(first.items.some(({ connectionStatus }) => connectionStatus === 'NOT_CONNECTED')).toBe(false);
  const last = await read(`tenants?size=100&page=${TENANTS / 100}`, tenantPageSchema);
  expect(last.items.every(({ connectionStatus }) => connectionStatus === 'NOT_CONNECTED')).toBe(true);
  const alike = await read(`tenants?q=${encodeURIComponent('고객사 0002')}`, tenantPageSchema);
  expect(alike.items.map(({ tenantId, hasNamesake }) => [tenantId, hasNamesake])).toEqual([
    [3, true],
    [2, true],
  ]);
});
