/** One whole analysis: its evidence, and the tenants that have received it (operator API 2.3). */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Analysis, Recipients } from '../../shared/wire/operator/operator.ts';
import { removeTenant } from '../pki/registry.ts';
import type { Load } from '../publication/load.ts';
import { publish } from '../publication/publish.ts';
import { PullLog } from '../sync/pull-log.ts';
import { live, read, result, v2 } from '../../test/support/cloud/loads.ts';
import { OperatorFixture, outcome } from '../../test/support/cloud/operator-fixture.ts';
import { addTenants, AT, deliveries } from '../../test/support/cloud/store.ts';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

const NO_RECIPIENTS: Recipients = { total: 0, received: 0, neverConnected: 0, overdue: 0, tenants: [] };
const neverConnected = (tenantId: number, issuedAt: Date): Recipients['tenants'][number] => ({
  tenantId,
  name: `tenant-${tenantId}`,
  hasNamesake: false,
  state: 'NEVER_CONNECTED',
  isOverdue: false,
  issuedAt: issuedAt.toISOString(),
  // It can have neither text nor withdrawal.
  dueAt: null,
  receivedAt: null,
  applied: null,
});

const take = (load: Load): Promise<unknown> => publish(fixture.store, read(load), fixture.clock.at);

describe('an analysis', () => {
  beforeEach(async () => {
    await addTenants(fixture.store, 2);
    await take(live({ key: 'a', documents: 2 }));
    await take({ ...live({ key: 'b', route: 'a' }), failure: { exception_type: 'OSError', message: '' } });
    await take(v2({ key: 'c', ticker: '229200' }));
  });

  test('the detail has evidence by both branches, calculations digit by digit, times and recipients', async () => {
    const cookie = await fixture.logIn();
    await take(
      live(
        { key: 'd', documents: 1 },
        {
          lineage: {
            ...live({ key: 'd' }).lineage,
            calculations: live({ key: 'd' }).lineage.calculations.map((one) => ({ ...one, output: { '"': 1.5 } })),
          },
        },
      ),
    );
    const { result: detail, text } = await fixture.ask('GET', '/api/v1/analyses/res-d', { cookie });
    const { result: page } = await fixture.ask('GET', '/api/v1/analyses?q=069500', { cookie });
    const items = page.items as Analysis[];
    expect(detail).toMatchObject(items.find(({ id }) => id === 'res-d') as object);
    expect(detail).toMatchObject({
      runId: 'run-d',
      mode: 'REALTIME',
      explanationType: 'EVENT_SUPPORTED',
      confidenceLevel: 'HIGH',
      contentAsOf: '2026-11-20T15:30:00+09:00',
      movementReferenceAt: '2026-11-20T06:30:00.000Z',
      startedAt: '2026-11-20T06:31:00.000Z',
      completedAt: fixture.clock.at.toISOString(),
      measurements: [{ name: 'observed_return', value: -0.0123, unit: null }],
      counterFactors: null,
      recipients: {
        total: 2,
        received: 0,
        neverConnected: 2,
        overdue: 0,
        tenants: [1, 2].map((tenantId) => neverConnected(tenantId, fixture.clock.at)),
      },
      withdrawal: null,
    });
    expect(detail['evidences']).toEqual([
      {
        kind: 'NEWS',
        title: '기사 0',
        source: 'YNA',
        published_at: '2026-11-20T05:00:00.500Z',
        source_uri: 'https://news.example/d/0',
        newsId: 'news-d-0',
        toolRunId: 'tool-d',
        itemIds: ['item-0'],
      },
      { kind: 'DISCLOSURE', title: null, source: 'DART', published_at: null, source_uri: null },
      {
        kind: 'CALCULATION',
        title: '비중 가중 기여도',
        source: '구성종목·종가',
        published_at: null,
        toolRunId: 'tool-d',
        itemIds: ['item-0'],
        asOf: '2026-11-20',
        arguments: { ticker: '005930', window: 5 },
        output: { '"': 1.5 },
        formulaLatex: 'w_i r_i',
        description: '구성종목 수익률에 비중을 곱한 값',
      },
    ]);
    expect(detail['sourceEvents']).toEqual([
      { source_event_id: 'evt-d-0', source_class: 'NEWS', event_type_code: 'EXPORT', event_date: '2026-11-20' },
      { source_event_id: 'evt-d-d', source_class: 'DISCLOSURE', event_type_code: 'EARNINGS', event_date: null },
    ]);
    // An unstated value is null; a search without findings is an empty list.
    for (const [key, counter_factors] of [
      ['e', []],
      ['f', ['지수 전체가 함께 내렸습니다.']],
    ] as const) {
      await take(live({ key }, { result: { ...result({ key }), counter_factors: [...counter_factors] } }));
      expect((await fixture.ask('GET', `/api/v1/analyses/res-${key}`, { cookie })).result).toMatchObject({
        counterFactors: counter_factors,
      });
    }
    expect(text).toContain('"output":{"\\"":1.5}');
    for (const id of ['unknown', 'run-d', 'a%00b', '%20'])
      expect([id, outcome(await fixture.ask('GET', `/api/v1/analyses/${id}`, { cookie }))]).toEqual([
        id,
        '404 COMMON404',
      ]);
  });

  test('a measured value has the unit of its load, and none by its name', async () => {
    const { result: told } = live({ key: 'u' });
    const surface = { usd_krw_rate: 1391.2, observed_return: 1.5 };
    const answer = await take(
      live({ key: 'u' }, { result: { ...told, surface, surface_units: { observed_return: 'RATIO' } } }),
    );
    expect(answer).toMatchObject({ outcome: 'PUBLISHED' });
    const cookie = await fixture.logIn();
    const { result: detail } = await fixture.ask('GET', '/api/v1/analyses/res-u', { cookie });
    expect(detail['measurements']).toEqual([
      { name: 'usd_krw_rate', value: 1391.2, unit: null },
      { name: 'observed_return', value: 1.5, unit: 'RATIO' },
    ]);
  });

  test('issued to the tenants of that moment: not to a later one, not to a removed one', async () => {
    const cookie = await fixture.logIn();
    await addTenants(fixture.store, 1, 'late-');
    await removeTenant(fixture.store.db, 1, 'tenant-1', AT);
    const recipients = async (id: string): Promise<unknown> =>
      (await fixture.ask('GET', `/api/v1/analyses/${id}`, { cookie })).result['recipients'];
    expect(await recipients('res-a')).toEqual({
      ...NO_RECIPIENTS,
      total: 1,
      neverConnected: 1,
      tenants: [neverConnected(2, AT)],
    });
    expect(await recipients('res-b')).toEqual(NO_RECIPIENTS);
    await fixture.ask('POST', '/api/v1/analyses/ana-c/invalidate', { cookie, body: { reason: 'x' } });
    expect(await recipients('ana-c')).toMatchObject({ total: 1, tenants: [{ tenantId: 2 }] });
  });

  test('a record is received once a good pull names its cursor or a later one, and overdue after two periods', async () => {
    let cookie = await fixture.logIn();
    const issued = fixture.clock.at;
    const reply = await fixture.ask('POST', '/api/v1/analyses/res-a/invalidate', { cookie, body: { reason: 'x' } });
    expect(reply.status).toBe(200);
    const cursors = new Map(
      (await deliveries(fixture.store))
        .filter((row) => row.target_explanation_result_id === 'res-a')
        .map((row) => [row.tenant_id, row.cursor]),
    );
    const withdrawal = async (): Promise<unknown> =>
      (await fixture.ask('GET', '/api/v1/analyses/res-a', { cookie })).result['withdrawal'];
    const states = async (): Promise<unknown> =>
      ((await withdrawal()) as { recipients: Recipients }).recipients.tenants.map(
        ({ tenantId, state, isOverdue, receivedAt }) => [tenantId, state, isOverdue, receivedAt],
      );
    const pull = async (tenantId: number, seconds: number, after: number | null, ok = 'COMMON200'): Promise<void> => {
      const log = new PullLog(fixture.store, (error) => {
        throw error;
      });
      const at = new Date(issued.getTime() + seconds * 1_000);
      log.note({ tenantId, at, after, to: null, entries: 0, outcome: ok, message: ok === 'COMMON200' ? null : 'no' });
      await log.flush();
    };
    const cursor = cursors.get(1) ?? 0;
    expect(await withdrawal()).toEqual({
      by: 'operator',
      recipients: {
        total: 2,
        received: 0,
        neverConnected: 2,
        overdue: 0,
        tenants: [neverConnected(1, issued), neverConnected(2, issued)],
      },
    });
    await pull(1, 10, cursor - 1);
    // Its pulls fail: it has connected, and waits (D225).
    await pull(2, 10, null, 'SYNC4001');
    expect(await states()).toEqual([
      [1, 'WAITING', false, null],
      [2, 'WAITING', false, null],
    ]);
    await pull(1, 20, cursor);
    await pull(1, 30, null, 'SYNC4001');
    const received = new Date(issued.getTime() + 20_000).toISOString();
    expect(await states()).toEqual([
      [2, 'WAITING', false, null],
      [1, 'RECEIVED', false, received],
    ]);
    // The kept pulls begin after it, so the time is unknown.
    await sql`update tenant_pull_state set pulls = 1000 where tenant_id = 1`.execute(fixture.store.db);
    await sql`delete from tenant_pull_history where tenant_id = 1 and after_cursor < ${cursor}`.execute(
      fixture.store.db,
    );
    expect(await states()).toContainEqual([1, 'RECEIVED', false, null]);
    const { tenants } = ((await withdrawal()) as { recipients: Recipients }).recipients;
    expect(tenants.find(({ tenantId }) => tenantId === 1)?.dueAt).toBeNull();
    fixture.clock.at = new Date(issued.getTime() + 120_001);
    cookie = await fixture.logIn();
    expect((await states()) as unknown[]).toContainEqual([2, 'WAITING', true, null]);
    // A tenant restored to an older state counts as without the records that it lost.
    await pull(1, 130, cursor - 1);
    expect((await states()) as unknown[]).toContainEqual([1, 'WAITING', true, null]);
  });
});
