/** The list of analyses and their invalidation over real HTTP (operator API 2 to 4). */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Analysis } from '../../shared/wire/operator/operator.ts';
import type { Load } from '../publication/load.ts';
import { publish } from '../publication/publish.ts';
import { live, read, result, v2 } from '../../test/support/cloud/loads.ts';
import { OperatorFixture, outcome } from '../../test/support/cloud/operator-fixture.ts';
import { addTenants, AT, deliveries } from '../../test/support/cloud/store.ts';
import { COUNTED_ANALYSES } from './analyses.ts';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

const NO_RECIPIENTS = { total: 0, received: 0, overdue: 0, tenants: [] };
const take = (load: Load): Promise<unknown> => publish(fixture.store, read(load), fixture.clock.at);

describe('analyses', () => {
  const list = async (query: string, cookie: string): Promise<{ ids: string[]; total: unknown; items: Analysis[] }> => {
    const { result: page } = await fixture.ask('GET', `/api/v1/analyses${query}`, { cookie });
    const items = page.items as Analysis[];
    return { ids: items.map(({ id }) => id), total: page.total, items };
  };

  beforeEach(async () => {
    await addTenants(fixture.store, 2);
    await take(live({ key: 'a', documents: 2 }));
    fixture.clock.at = new Date(AT.getTime() + 1000);
    await take({ ...live({ key: 'b', route: 'a' }), failure: { exception_type: 'OSError', message: '' } });
    fixture.clock.at = new Date(AT.getTime() + 2000);
    const kosdaq = v2({ key: 'c', ticker: '229200' });
    await take({
      ...kosdaq,
      instrument: { ...kosdaq.instrument, name: 'KODEX 코스닥150', market: 'KOSDAQ' },
      trigger: { ...kosdaq.trigger, observed_return: 0 },
    });
  });

  test('newest first, with the columns of operator API 2.2', async () => {
    const { ids, total, items } = await list('', await fixture.logIn());
    expect(ids).toEqual(['ana-c', 'res-b', 'res-a']);
    expect(total).toBe(3);
    expect(items[2]).toEqual({
      id: 'res-a',
      analysisEngine: 'v1',
      instrumentId: 'inst-069500',
      instrumentName: 'KODEX 069500',
      ticker: '069500',
      market: 'KRX',
      changeRate: -0.0123,
      direction: 'DOWN',
      tradeDate: '2026-11-20',
      explanationAsOf: result({ key: 'a' }).explanation_as_of,
      createdAt: AT.toISOString(),
      evidenceCount: 4,
      status: 'COMPLETE',
      publicationState: 'PUBLISHED',
      draftReason: null,
      withdrawalReason: null,
      withdrawnAt: null,
      summary: 'a: 반도체 업황 우려로 하락했습니다.',
      receipts: { total: 2, received: 0, neverConnected: 2, overdue: 0 },
    });
    expect(items[0]).toMatchObject({ analysisEngine: 'v2', direction: 'FLAT' });
    expect(items[1]).toMatchObject({
      status: 'FAILED',
      publicationState: 'UNPUBLISHED',
      draftReason: 'route_already_published',
    });
  });

  test('filters and pages', async () => {
    const cookie = await fixture.logIn();
    expect((await list('?publicationState=UNPUBLISHED', cookie)).ids).toEqual(['res-b']);
    expect(await list('?status=ALL', cookie)).toEqual(await list('', cookie));
    expect((await list('?status=COMPLETE', cookie)).ids).toEqual(['ana-c', 'res-a']);
    expect((await list('?market=KOSDAQ', cookie)).ids).toEqual(['ana-c']);
    expect((await list('?market=kosdaq', cookie)).ids).toEqual(['ana-c']);
    expect((await list(`?q=${encodeURIComponent('２２９２')}`, cookie)).ids).toEqual(['ana-c']);
    expect((await list(`?q=${encodeURIComponent('코스닥')}`, cookie)).ids).toEqual(['ana-c']);
    expect((await list('?q=2292', cookie)).ids).toEqual(['ana-c']);
    expect((await list('?q=%25', cookie)).ids).toEqual([]);
    // What names no instrument may be the id of an analysis.
    expect(await list('?q=res-a', cookie)).toMatchObject({ ids: ['res-a'], total: 1 });
    expect((await list('?q=ana-c', cookie)).ids).toEqual(['ana-c']);
    expect((await list('?q=res', cookie)).ids).toEqual([]);
    expect((await list('?q=res-a&market=KOSDAQ', cookie)).ids).toEqual([]);
    expect(await list('?page=2&size=2', cookie)).toMatchObject({ ids: ['res-a'], total: 3 });
    expect(await list('?page=9', cookie)).toMatchObject({ ids: [], total: 3 });
    for (const query of [
      'page=0',
      'page=1.5',
      'size=101',
      'size=0',
      'size=x',
      'publicationState=DRAFT',
      'unknown=1',
      'page=1&page=2',
    ]) {
      expect([query, outcome(await fixture.ask('GET', `/api/v1/analyses?${query}`, { cookie }))]).toEqual([
        query,
        '400 COMMON400',
      ]);
    }
  });

  test('finds instruments with any characters in their ids', async () => {
    const odd = v2({ key: 'd', ticker: '305720' });
    const instrument_id = 'odd "one", \\{two}';
    await take({ ...odd, instrument: { ...odd.instrument, instrument_id } });
    const cookie = await fixture.logIn();
    expect((await list(`?q=${encodeURIComponent('one", \\{')}`, cookie)).ids).toEqual(['ana-d']);
    expect((await list('?q=nowhere', cookie)).total).toBe(0);
  });

  test('a run without a result is listed as pending or failed, and unpublished', async () => {
    const cookie = await fixture.logIn();
    const statuses = ['PENDING', 'RUNNING', 'FAILED', 'CANCELLED', 'SUCCEEDED'] as const;
    for (const [index, status] of statuses.entries()) {
      await sql`
        insert into explanation_run (explanation_run_id, explanation_route_id, mode, status, started_at, explanation_as_of, lineage_hash, created_at)
        select ${`bare-${status}`}, explanation_route_id, 'REALTIME', ${status}, ${AT}, ${AT}, 'x', ${new Date(AT.getTime() + (index + 10) * 1000)}
        from explanation_run where explanation_run_id = 'run-c'`.execute(fixture.store.db);
    }
    // A run in SUCCEEDED without a result is not listed.
    expect((await list('', cookie)).ids).toEqual([
      'bare-CANCELLED',
      'bare-FAILED',
      'bare-RUNNING',
      'bare-PENDING',
      'ana-c',
      'res-b',
      'res-a',
    ]);
    expect((await list('?status=PENDING', cookie)).ids).toEqual(['bare-RUNNING', 'bare-PENDING']);
    expect((await list('?status=FAILED', cookie)).ids).toEqual(['bare-CANCELLED', 'bare-FAILED', 'res-b']);
    expect(await list('?status=FAILED&size=1&page=3', cookie)).toMatchObject({ ids: ['res-b'], total: 3 });
    expect((await list('?status=FAILED&publicationState=UNPUBLISHED', cookie)).ids).toEqual([
      'bare-CANCELLED',
      'bare-FAILED',
      'res-b',
    ]);
    expect((await list('?status=FAILED&market=KOSDAQ', cookie)).ids).toEqual(['bare-CANCELLED', 'bare-FAILED']);
    expect((await list('?status=FAILED&publicationState=PUBLISHED', cookie)).total).toBe(0);
    await sql`update explanation_run set status = 'FAILED' where explanation_run_id = 'run-a'`.execute(
      fixture.store.db,
    );
    expect((await list('?status=FAILED&publicationState=PUBLISHED', cookie)).ids).toEqual(['res-a']);
    expect((await list('?status=FAILED', cookie)).ids).toEqual(['bare-CANCELLED', 'bare-FAILED', 'res-b', 'res-a']);
    await sql`update explanation_run set status = 'SUCCEEDED' where explanation_run_id = 'run-a'`.execute(
      fixture.store.db,
    );
    expect((await list('?status=COMPLETE&publicationState=UNPUBLISHED', cookie)).ids).toEqual([]);
    expect((await list('?status=PENDING&publicationState=UNPUBLISHED&market=KOSDAQ', cookie)).total).toBe(2);
    expect((await list('?status=PENDING&publicationState=PUBLISHED', cookie)).ids).toEqual([]);
    expect((await list('?status=PENDING&q=069500', cookie)).ids).toEqual([]);
    expect((await list('?page=2&size=3', cookie)).ids).toEqual(['bare-PENDING', 'ana-c', 'res-b']);
    const { result: bare } = await fixture.ask('GET', '/api/v1/analyses/bare-RUNNING', { cookie });
    expect(bare).toMatchObject({
      id: 'bare-RUNNING',
      runId: 'bare-RUNNING',
      ticker: '229200',
      tradeDate: '2026-11-20',
      status: 'PENDING',
      publicationState: 'UNPUBLISHED',
      summary: null,
      completedAt: null,
      confidenceLevel: null,
      measurements: null,
      counterFactors: null,
      evidences: [],
      recipients: NO_RECIPIENTS,
      withdrawal: null,
    });
    expect(
      outcome(await fixture.ask('POST', '/api/v1/analyses/bare-RUNNING/invalidate', { cookie, body: { reason: 'x' } })),
    ).toBe('409 ANALYSIS4091');
    expect(outcome(await fixture.ask('GET', '/api/v1/analyses/bare-SUCCEEDED', { cookie }))).toBe('404 COMMON404');
  });

  test('counting stops at a limit and reports that there are more', async () => {
    const cookie = await fixture.logIn();
    await sql`
      insert into explanation_run (explanation_run_id, explanation_route_id, mode, status, started_at, explanation_as_of, lineage_hash, created_at)
      select 'many-' || n, explanation_route_id, 'REALTIME', 'FAILED', ${AT}, ${AT}, 'x', ${AT}
      from explanation_run, generate_series(1, ${COUNTED_ANALYSES}::integer) n where explanation_run_id = 'run-c'`.execute(
      fixture.store.db,
    );
    const paged = async (query: string) => (await fixture.ask('GET', `/api/v1/analyses${query}`, { cookie })).result;
    expect(await paged('?size=1')).toMatchObject({ total: COUNTED_ANALYSES, more: true });
    // The failed load of the set-up and these.
    expect(await paged('?size=1&status=FAILED')).toMatchObject({ total: COUNTED_ANALYSES, more: true });
    expect(await paged('?size=1&status=COMPLETE')).toMatchObject({ total: 2, more: false });
  });

  test('invalidate: WITHDRAWN, an INVALIDATION to the tenants that have it, one audit entry', async () => {
    const cookie = await fixture.logIn();
    await addTenants(fixture.store, 1, 'late-');
    const reply = await fixture.ask('POST', '/api/v1/analyses/res-a/invalidate', {
      cookie,
      body: { reason: '  수치 오류 ' },
    });
    expect(reply.status).toBe(200);
    expect(reply.result).toEqual({
      id: 'res-a',
      publicationState: 'INVALIDATED',
      withdrawnAt: fixture.clock.at.toISOString(),
      deliveries: 2,
    });
    const records = (await deliveries(fixture.store)).filter((row) => row.delivery_type === 'INVALIDATION');
    expect(records.map((row) => [row.tenant_id, row.target_explanation_result_id, row.reason])).toEqual([
      [1, 'res-a', '수치 오류'],
      [2, 'res-a', '수치 오류'],
    ]);
    const { rows } =
      await sql`select occurred_at, operator_id, actor, source_address, activity_type, target_type, target_id, reason from admin_activity_log order by position desc limit 1`.execute(
        fixture.store.db,
      );
    expect(rows).toEqual([
      {
        occurred_at: fixture.clock.at,
        operator_id: 1,
        actor: 'operator',
        source_address: '127.0.0.1',
        activity_type: 'ANALYSIS_INVALIDATED',
        target_type: 'EXPLANATION_RESULT',
        target_id: 'res-a',
        reason: '수치 오류',
      },
    ]);
    expect((await list('?publicationState=INVALIDATED', cookie)).items[0]).toMatchObject({
      id: 'res-a',
      withdrawalReason: '수치 오류',
    });
  });

  test('a v2 analysis is withdrawn with the movement-analysis target', async () => {
    const reply = await fixture.ask('POST', '/api/v1/analyses/ana-c/invalidate', {
      cookie: await fixture.logIn(),
      body: { reason: 'x' },
    });
    expect(reply.result).toMatchObject({ id: 'ana-c', deliveries: 2 });
    expect((await deliveries(fixture.store)).filter((row) => row.target_movement_analysis_id === 'ana-c')).toHaveLength(
      2,
    );
  });

  test('session before reason before existence before state', async () => {
    const cookie = await fixture.logIn();
    const logged = async (): Promise<unknown> =>
      (await sql<{ n: number }>`select count(*) as n from admin_activity_log`.execute(fixture.store.db)).rows[0]?.n;
    const before = await logged();
    const invalidate = async (id: string, body: unknown, own: string | undefined = cookie): Promise<string> =>
      outcome(
        await fixture.ask('POST', `/api/v1/analyses/${id}/invalidate`, {
          ...(own === '' ? {} : { cookie: own }),
          body,
        }),
      );
    expect(await invalidate('res-a', {}, '')).toBe('401 COMMON401');
    for (const body of [
      {},
      { reason: '' },
      { reason: ' \n\u3000' },
      { reason: '\u200b\u3164 \u202e' },
      { reason: null },
      { reason: 5 },
      [],
    ])
      expect(await invalidate('unknown', body)).toBe('400 ANALYSIS4001');
    expect(await invalidate('res-a', '{oops')).toBe('400 COMMON400');
    expect(await invalidate('res-a', { reason: 'a\0b' })).toBe('400 COMMON400');
    // What goes to every tenant holds nothing that no reader sees (D198).
    for (const sign of ['\u202e', '\u{e0041}', '\u200b', '\ufffd', '\u0085'])
      expect(await invalidate('res-a', { reason: `오류${sign}정정` })).toBe('400 COMMON400');
    expect(await invalidate('unknown', { reason: '오류를 바로잡습니다.\n👩\u200d🚀 ❤\ufe0f'.normalize('NFD') })).toBe(
      '404 COMMON404',
    );
    expect(await invalidate('unknown', { reason: 'x' })).toBe('404 COMMON404');
    expect(await invalidate('unknown', { reason: 'x', id: 'other' })).toBe('400 COMMON400');
    expect(await invalidate('res-b', { reason: 'x' })).toBe('409 ANALYSIS4091');
    expect(await logged()).toBe(before);
  });

  test('two operators at once: one 200, one 409, one record per tenant, one audit entry', async () => {
    const cookies = [await fixture.logIn(), await fixture.logIn('second')];
    const replies = await Promise.all(
      cookies.map((cookie, n) =>
        fixture.ask('POST', '/api/v1/analyses/res-a/invalidate', { cookie, body: { reason: `of ${n + 1}` } }),
      ),
    );
    const winner = replies.findIndex(({ status }) => status === 200) + 1;
    expect(replies.map(outcome).sort()).toEqual(['200 COMMON200', '409 ANALYSIS4091']);
    expect(
      (await deliveries(fixture.store))
        .filter((row) => row.delivery_type === 'INVALIDATION')
        .map(({ reason }) => reason),
    ).toEqual([`of ${winner}`, `of ${winner}`]);
    const refused = replies.find(({ status }) => status === 409);
    const { message } = JSON.parse(refused?.text ?? '') as { message: string };
    const who = winner === 1 ? 'operator' : 'second';
    expect(message).toMatch(/^Only a published explanation can be invalidated\./);
    expect(message).toMatch(new RegExp(`${who} withdrew this one at 2026-11-20T07:00:0.*Z: of ${winner}$`));
    const { rows } = await sql`
      select operator_id, target_id, reason from admin_activity_log where reason like 'of %'`.execute(fixture.store.db);
    expect(rows).toEqual([{ operator_id: winner, target_id: 'res-a', reason: `of ${winner}` }]);
  });

  test('the audit log accepts only new rows', async () => {
    await fixture.ask('POST', '/api/v1/analyses/res-a/invalidate', {
      cookie: await fixture.logIn(),
      body: { reason: 'x' },
    });
    await expect(sql`update admin_activity_log set reason = 'y'`.execute(fixture.store.db)).rejects.toThrow(
      'only takes new rows',
    );
    await expect(sql`delete from admin_activity_log`.execute(fixture.store.db)).rejects.toThrow('only takes new rows');
  });
});
