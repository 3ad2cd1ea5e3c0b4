/** The failing tasks of a day, and the effects of one of them (D132). */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { failuresSchema, taskImpactSchema, type TaskImpact } from '../../shared/wire/operator/failures.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import { PullLog } from '../sync/pull-log.ts';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { clearedFixture, minutes, type Values } from '../../test/support/cloud/pipeline-fixture.ts';
import { addTenants, AT, STORE_KINDS } from '../../test/support/cloud/store.ts';

const DAY = '2026-11-20';
const LOST = { status: 'FAILED', error_code: 'HTTP_503', error_message: 'down', ended_at: minutes(-55) };
const NO_LINEAGE = { documents: [], source_events: [], event_evidences: [], disclosure_facts: [], calculations: [] };

describe.each(STORE_KINDS)('on %s', (_name, kind) => {
  const fixture = clearedFixture(kind);

  const failed = (run_key: string, ...tasks: (Values & { attempts?: Values[] })[]) =>
    fixture().run({ run_key, status: 'FAILED', created_at: minutes(-60), updated_at: minutes(-50) }, ...tasks);
  const impact = (runKey: string, taskKey = 'task-0'): Promise<TaskImpact> =>
    fixture().view(`impact/task?runKey=${encodeURIComponent(runKey)}&taskKey=${taskKey}`, taskImpactSchema);

  async function pull(tenantId: number, after: number): Promise<void> {
    const log = new PullLog(fixture().store, (error) => {
      throw error;
    });
    log.note({ tenantId, at: AT, after, to: null, entries: 0, outcome: 'COMMON200', message: null });
    await log.flush();
  }

  test('failures: of the day, causes before their dependents, without running tasks', async () => {
    await failed(
      `source_observation/${DAY}/0600`,
      { stage: 'normalize', task_key: 'normalize-financials', attempts: [] },
      { task_key: 'raw-status', required: false, attempts: [{ ...LOST, error_code: 'TIMEOUT' }] },
      {
        task_key: 'raw-financials',
        dataset: 'financials',
        attempts: [{ status: 'FAILED' }, { ...LOST, started_at: AT }],
      },
      { task_key: 'raw-hangs', attempts: [{ status: 'RUNNING', started_at: minutes(-58) }] },
      { task_key: 'raw-good' },
      { task_key: 'raw-not-due', plan_status: 'NOT_DUE', attempts: [] },
    );
    await fixture().run({ run_key: `news/${DAY}/0700`, status: 'RUNNING' }, { attempts: [{ status: 'RUNNING' }] });
    await fixture().run({ run_key: `market/${DAY}/0800` }, {});
    await failed(`market/2026-11-19/0800`, { attempts: [LOST] });
    const { runs, date } = await fixture().view('failures', failuresSchema);
    expect(date).toBe(DAY);
    expect(runs.map(({ runKey, lane, status }) => [runKey, lane, status])).toEqual([
      [`source_observation/${DAY}/0600`, 'source_observation', 'FAILED'],
    ]);
    expect(runs[0]?.tasks.map(({ taskKey, outcome, errorCode }) => [taskKey, outcome, errorCode])).toEqual([
      ['raw-financials', 'FAILED', 'HTTP_503'],
      ['raw-status', 'FAILED', 'TIMEOUT'],
      ['raw-hangs', 'RUNNING', null],
      ['normalize-financials', 'MISSING', null],
    ]);
    expect(runs[0]?.tasks.map(({ at }) => at)).toEqual([
      minutes(-55).toISOString(),
      minutes(-55).toISOString(),
      minutes(-58).toISOString(),
      null,
    ]);
    const before = await fixture().view('failures?date=2026-11-19', failuresSchema);
    expect(before.runs.map(({ runKey }) => runKey)).toEqual(['market/2026-11-19/0800']);
    expect((await fixture().ask('failures?date=2026-11-21')).code).toBe('COMMON400');
  });

  test('an analysis is named as its load told it, also after a change', async () => {
    await publish(fixture().store, read(live({ key: 'a' })), minutes(-20));
    const renamed = live({ key: 'b' });
    const instrument = { ...renamed.instrument, ticker: '123456', name: 'KODEX 새이름' };
    await publish(fixture().store, read({ ...renamed, instrument, instrument_change: true }), minutes(-20));
    await failed(`market/${DAY}/0800`, { attempts: [LOST] });
    const { analyses, etfs } = await impact(`market/${DAY}/0800`);
    expect(etfs.items).toMatchObject([{ ticker: '123456', name: 'KODEX 새이름' }]);
    expect(analyses.items.map(({ id, ticker, instrumentName }) => [id, ticker, instrumentName])).toEqual([
      ['res-a', '069500', 'KODEX 069500'],
      ['res-b', '123456', 'KODEX 새이름'],
    ]);
  });

  test('by their documents of the last seven days, with the analyses that began without them', async () => {
    await addTenants(fixture().store, 2);
    const onDay = (load: ReturnType<typeof live>, trade_date: string) => ({
      ...load,
      result: { ...load.result, trade_date },
    });
    // Banks used news last week alone, and have an analysis without news today.
    const old = { ...live({ key: 'old', ticker: '900102' }) };
    await publish(fixture().store, read(onDay(old, '2026-11-16')), minutes(-5_000));
    const bare = live({ key: 'bare', ticker: '900102' });
    await publish(fixture().store, read({ ...bare, lineage: NO_LINEAGE }), AT);
    await publish(fixture().store, read(live({ key: 'chips', ticker: '900101' })), AT);
    // None of these used news within the window.
    await publish(fixture().store, read({ ...v2({ key: 'none', ticker: '900103' }), lineage: NO_LINEAGE }), AT);
    await publish(fixture().store, read(onDay(live({ key: 'long', ticker: '900104' }), '2026-11-13')), minutes(-9_000));
    await sql`update explanation_run set started_at = ${minutes(-40)} where explanation_run_id = 'run-bare'`.execute(
      fixture().store.db,
    );
    await sql`update explanation_run set started_at = ${minutes(-5)} where explanation_run_id = 'run-chips'`.execute(
      fixture().store.db,
    );
    await failed(
      `news/${DAY}/1500`,
      { attempts: [LOST] },
      { task_key: 'normalize-news', stage: 'normalize', attempts: [] },
    );
    await fixture().run(
      { run_key: `news/${DAY}/1600`, created_at: minutes(-20) },
      { attempts: [{ started_at: minutes(-15), ended_at: minutes(-10) }] },
    );
    await fixture().run({ run_key: `news/${DAY}/1700`, created_at: minutes(-4) }, {});
    const found = await impact(`news/${DAY}/1500`);
    expect(found).toMatchObject({
      run: { runKey: `news/${DAY}/1500`, lane: 'news', date: DAY, status: 'FAILED' },
      task: {
        taskKey: 'task-0',
        outcome: 'FAILED',
        errorCode: 'HTTP_503',
        recovery: { runKey: `news/${DAY}/1600`, at: minutes(-10).toISOString() },
      },
      blocked: ['normalize-news'],
      lineage: { basis: 'NEWS_DOCUMENTS', from: '2026-11-14', to: DAY },
    });
    expect(found.etfs.items.map(({ ticker, uses, analyses }) => [ticker, uses, analyses])).toEqual([
      ['900101', 1, 1],
      ['900102', 1, 1],
    ]);
    expect(found.analyses.items.map(({ id, isWithout }) => [id, isWithout])).toEqual([
      ['res-bare', true],
      ['res-chips', false],
    ]);
    expect([found.analyses.total, found.analyses.without]).toEqual([2, 1]);
    expect(found.tenants).toEqual({ items: [], total: 0, neverConnected: 2 });
    await pull(2, 0);
    const { tenants } = await impact(`news/${DAY}/1500`);
    expect(tenants).toMatchObject({ items: [{ name: 'tenant-2', waiting: 2 }], total: 1, neverConnected: 1 });
    // Until its recovery every new analysis lacks it.
    await sql`delete from task_attempt where started_at in (${minutes(-15)}, ${AT})`.execute(fixture().store.db);
    expect(await impact(`news/${DAY}/1500`)).toMatchObject({ task: { recovery: null }, analyses: { without: 2 } });
  });

  test('each lane by its own lineage; a lane without one names all ETFs of the day, marked as an upper bound', async () => {
    await publish(fixture().store, read(live({ key: 'batch', ticker: '900101' })), AT);
    const minute = live({ key: 'minute', ticker: '900102' });
    await publish(
      fixture().store,
      read({ ...minute, lineage: NO_LINEAGE, trigger: { ...minute.trigger, kind: 'MINUTE' } }),
      AT,
    );
    const expected = {
      market: ['BATCH_FIRINGS', '900101'],
      intraday_flow: ['INTRADAY_FIRINGS', '900102'],
      disclosure: ['DISCLOSURE_DOCUMENTS', '900101'],
      news: ['NEWS_DOCUMENTS', '900101'],
      source_observation: ['NOT_RECORDED', '900101', '900102'],
      constructor: ['NOT_RECORDED', '900101', '900102'],
    };
    for (const [lane, basis] of Object.entries(expected)) {
      await failed(`${lane}/${DAY}/0600`, { attempts: [LOST] });
      const { lineage, etfs } = await impact(`${lane}/${DAY}/0600`);
      expect([lane, lineage.basis, ...etfs.items.map(({ ticker }) => ticker)]).toEqual([lane, ...basis]);
    }
  });

  test('a tenant that has received the publication and the withdrawal does not wait', async () => {
    const { store } = fixture();
    const [first = 0, second = 0] = await addTenants(store, 2);
    await publish(store, read(live({ key: 'a' })), AT);
    await publish(store, read(live({ key: 'b' })), AT);
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'wrong', AT));
    await pull(first, 2);
    await pull(second, 0);
    await failed(`market/${DAY}/0800`, { attempts: [LOST] });
    const { tenants } = await impact(`market/${DAY}/0800`);
    expect(tenants.items.map(({ name, waiting }) => [name, waiting])).toEqual([
      ['tenant-1', 1],
      ['tenant-2', 2],
    ]);
  });

  test('a successful task has no analysis that began without it; an unknown task is 404', async () => {
    await publish(fixture().store, read(live({ key: 'a' })), AT);
    await fixture().run({ run_key: `market/${DAY}/0800` }, {}, { task_key: 'not-due', plan_status: 'NOT_DUE' });
    expect(await impact(`market/${DAY}/0800`)).toMatchObject({
      task: { outcome: 'SUCCEEDED', recovery: null },
      analyses: { total: 1, without: 0 },
    });
    for (const query of [
      `market/${DAY}/0800&taskKey=none`,
      `market/${DAY}/0800&taskKey=not-due`,
      `none&taskKey=task-0`,
    ])
      expect([query, (await fixture().ask(`impact/task?runKey=${query}`)).code]).toEqual([query, 'COMMON404']);
    expect((await fixture().ask('impact/task')).code).toBe('COMMON400');
  });
});
