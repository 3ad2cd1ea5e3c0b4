/** The console's lists, details, counts and states (D10, D11, D55, D56). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receive, newEntry } from '../../../test/support/agent/ledger.ts';
import { recordPull } from '../../../agent/ledger/inbox/sync-state.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { disclaimerText } from '../../../agent/screening/policy.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  Disclaimer,
  ExplanationDetail,
  ExplanationItem,
  FeedStatus,
  Page,
  ReviewDetail,
  ReviewItem,
  StatusCounts,
  SyncStatus,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let ids: Record<string, string>;
beforeAll(() => {
  console = new TestConsole();
  const make = (...[status, result]: Parameters<TestConsole['explanation']>): string => {
    console.pass(1_000);
    return console.explanation(status, result);
  };
  ids = {
    auto: make('AUTO_PUBLISHED', {
      etf_ticker: '069500',
      etf_name: 'KODEX 200',
      trade_date: '2026-11-18',
      summary: '은행주가 올랐습니다.',
    }),
    oldest: make('PENDING_REVIEW', {
      etf_ticker: '102110',
      etf_name: 'TIGER 200',
      trade_date: '2026-11-19',
      summary: '50%_이상 내렸습니다.',
    }),
    newest: make('PENDING_REVIEW', {
      etf_ticker: '152100',
      etf_name: 'PLUS 200',
      trade_date: '2026-11-20',
      explanation_as_of: '2026-11-20T07:30:00.000Z',
      market: 'KOSDAQ',
    }),
    stopped: make('STOPPED', { etf_ticker: '148020', etf_name: 'RISE 200', trade_date: '2026-11-20' }),
    withdrawn: make('INVALIDATED', { etf_ticker: '069500', etf_name: 'KODEX 200', trade_date: '2026-11-17' }),
  };
});
afterAll(() => console.close());

const get = <T>(url: string) => console.ask<T>({ method: 'GET', url, as: 'READ_ONLY' });
async function found(url: string): Promise<string[]> {
  const { result } = await get<Page<{ id: string }>>(url);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return result.items.map(({ id }) => names.get(id) ?? id);
}

describe('the list of explanations', () => {
  test.for([
    ['', ['newest', 'stopped', 'oldest', 'auto', 'withdrawn']],
    ['?sort=oldest', ['withdrawn', 'auto', 'oldest', 'stopped', 'newest']],
    ['?sort=ticker', ['auto', 'withdrawn', 'oldest', 'stopped', 'newest']],
    ['?status=STOPPED', ['stopped']],
    ['?status=STOPPED,INVALIDATED', ['stopped', 'withdrawn']],
    ['?status=STOPPED&status=INVALIDATED', ['stopped', 'withdrawn']],
    ['?market=KOSDAQ', ['newest']],
    ['?tradeDateFrom=2026-11-18&tradeDateTo=2026-11-19', ['oldest', 'auto']],
    ['?q=KODEX', ['auto', 'withdrawn']],
    ['?q=069500&status=AUTO_PUBLISHED', ['auto']],
    ['?q=%ED%96%89%EC%A3%BC', ['auto']],
    ['?q=50%25_', ['oldest']],
    ['?q=%25', ['oldest']],
    ['?q=', ['newest', 'stopped', 'oldest', 'auto', 'withdrawn']],
    ['?q=nothing', []],
  ] as const)('%s', async ([query, expected]) => {
    expect(await found(`/api/v1/explanations${query}`)).toEqual(expected);
  });

  test('comes in pages that do not overlap, with the total', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => get<Page<ExplanationItem>>(`/api/v1/explanations?size=2&page=${page}`)),
    );
    expect(pages.map(({ result }) => [result.items.length, result.page, result.size, result.total])).toEqual([
      [2, 1, 2, 5],
      [2, 2, 2, 5],
      [1, 3, 2, 5],
      [0, 4, 2, 5],
    ]);
    expect(new Set(pages.flatMap(({ result }) => result.items.map(({ id }) => id))).size).toBe(5);
  });

  test('describes each and says whether it is exposed', async () => {
    const { result } = await get<Page<ExplanationItem>>('/api/v1/explanations?status=STOPPED');
    expect(result.items[0]).toEqual({
      id: ids['stopped'],
      explanation_result_id: 'x-4',
      etf_ticker: '148020',
      etf_name: 'RISE 200',
      market: 'KRX',
      trade_date: '2026-11-20',
      explanation_as_of: '2026-11-20T06:30:00.000Z',
      content_as_of: null,
      explanation_type: 'EVENT_SUPPORTED',
      confidence_level: 'HIGH',
      analysis_engine: 'v1',
      observed_return: 0.0123,
      status: 'STOPPED',
      exposed: false,
      obstacle: 'STATE',
      heldUntil: null,
      expiresAt: null,
      summary: '반도체 업종의 수출 증가 소식에 지수가 올랐습니다.',
      published_summary: '반도체 업종의 수출 증가 소식에 지수가 올랐습니다.',
      policyVersion: 1,
      version: 1,
      receivedAt: '2026-11-20T09:00:04.000Z',
      aheadUntil: null,
      approvalNumber: null,
      validUntil: null,
    });
  });

  test.for([
    ['page=0', 'query.page'],
    ['page=1.5', 'query.page'],
    ['page=01', 'query.page'],
    ['page=99999999999', 'query.page'],
    ['page=1&page=2', 'query.page'],
    ['page=', 'query.page'],
    ['size=0', 'query.size'],
    ['size=101', 'query.size'],
    ['size=ten', 'query.size'],
    ['size=-1', 'query.size'],
    ['status=GONE', 'query.status.0'],
    ['status=STOPPED,,', 'query.status.1'],
    ['market=', 'query.market'],
    ['tradeDateFrom=2026-02-30', 'query.tradeDateFrom'],
    ['tradeDateTo=yesterday', 'query.tradeDateTo'],
    ['sort=id', 'query.sort'],
    ['q=a%00b', 'query.q'],
    [`q=${'a'.repeat(201)}`, 'query.q'],
    ['q=a&q=b', 'query.q'],
    ['tradeDateform=2026-01-01', 'query'],
    ['__proto__=1', 'query'],
  ])('%s is refused by name', async ([query, path]) => {
    const answer = await get(`/api/v1/explanations?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'COMMON400']);
    expect(answer.body).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ path })]) as unknown,
    });
  });
});

describe('the review queue', () => {
  test.for([
    ['', ['oldest', 'newest']],
    ['?sort=waiting-shortest', ['newest', 'oldest']],
    ['?status=STOPPED', ['stopped']],
    ['?q=TIGER', ['oldest']],
    ['?reason=CONFIDENCE', ['oldest', 'newest']],
    ['?reason=FORBIDDEN_WORDS', []],
  ] as const)('%s', async ([query, expected]) => {
    expect(await found(`/api/v1/review/items${query}`)).toEqual(expected);
  });

  test('says why each waits, and since when', async () => {
    const { result } = await get<Page<ReviewItem>>('/api/v1/review/items?size=1');
    expect(result).toMatchObject({ page: 1, size: 1, total: 2 });
    expect(result.items[0]).toMatchObject({
      id: ids['oldest'],
      status: 'PENDING_REVIEW',
      reasons: [
        {
          check: 'CONFIDENCE',
          verdict: 'REVIEW',
          message: '신뢰도 낮음: 기준 보통 이상을 충족하지 못합니다.',
          hits: [],
        },
      ],
      waitingSince: '2026-11-20T09:00:02.000Z',
      edited_summary: null,
      version: 1,
    });
  });

  test.for(['reason=WEATHER', 'status=', 'market=KRX', 'size=1000'])('%s is refused', async (query) => {
    expect((await get(`/api/v1/review/items?${query}`)).status).toBe(400);
  });
});

describe('a detail', () => {
  const calculation = {
    kind: 'CALCULATION',
    title: '수익률',
    source: 'krx_daily·nav',
    published_at: null,
    as_of: '2026-11-20',
    tool_run_id: 'tool-1',
    item_ids: ['item-1'],
    arguments: { from_day: '2026-11-19' },
    output: { value_pct: '1.2300', item_ids: [1, '2'] },
    formula_latex: 'r = p_1 / p_0 - 1',
    description: '전일 대비',
  } as const;
  const news = {
    kind: 'NEWS',
    title: null,
    source: 'HANKANG',
    published_at: '2026-11-20T01:00:00.000Z',
    source_uri: null,
    news_id: 'news-1',
    tool_run_id: 'tool-2',
    item_ids: ['item-2'],
  } as const;
  const old = { kind: 'DISCLOSURE', title: '공시', source: 'DART', published_at: null } as const;
  let id: string;
  beforeAll(() => {
    const entry = newEntry(
      'detail',
      { etf_ticker: '999999', trade_date: '2026-01-02', content_as_of: '2026-11-20T15:30:00+09:00' },
      { cursor: 99, evidences: [calculation, news, old] },
    );
    id = console.ledger.write((tx) => receive(tx, entry));
  });
  afterAll(() => {
    console.ledger.write((tx) => {
      tx.run(sqlite.updateTable('explanation').set({ status: 'REJECTED' }).where('id', '=', id));
    });
  });

  test('of an explanation has the evidence under its console names; nothing is invented', async () => {
    const answer = await get<ExplanationDetail>(`/api/v1/explanations/${id}`);
    expect(answer.headers.etag).toBe('"1"');
    expect(answer.result).toMatchObject({
      id,
      content_as_of: '2026-11-20T15:30:00+09:00',
      explanation_run_id: 'run-detail',
      history: [{ move: 'receive', actor: 'SYSTEM' }],
    });
    expect(answer.result.evidences).toEqual([
      {
        kind: 'CALCULATION',
        title: '수익률',
        source: 'krx_daily·nav',
        published_at: null,
        asOf: '2026-11-20',
        toolRunId: 'tool-1',
        itemIds: ['item-1'],
        arguments: calculation.arguments,
        output: calculation.output,
        formulaLatex: 'r = p_1 / p_0 - 1',
        description: '전일 대비',
      },
      {
        kind: 'NEWS',
        title: null,
        source: 'HANKANG',
        published_at: news.published_at,
        source_uri: null,
        newsId: 'news-1',
        toolRunId: 'tool-2',
        itemIds: ['item-2'],
      },
      old,
    ]);
  });

  test('of a review item has it as it is stored, with every check', async () => {
    const answer = await get<ReviewDetail>(`/api/v1/review/items/${id}`);
    expect(answer.headers.etag).toBe('"1"');
    expect(answer.result.grounds.evidences).toEqual([calculation, news, old]);
    expect(answer.result.grounds.source_events).toHaveLength(2);
    expect(answer.result.checks).toMatchObject([{ check: 'CONFIDENCE', policyVersion: 1, matcherVersion: 'test' }]);
    expect(answer.result.version).toBe(1);
  });

  test('of an unknown id is not found, and looks the same in both places', async () => {
    for (const place of ['explanations', 'review/items']) {
      const answer = await get(`/api/v1/${place}/nothing`);
      expect([answer.status, answer.body.code]).toEqual([404, 'COMMON404']);
      expect((await get(`/api/v1/${place}/${id}?full=1`)).status).toBe(400);
    }
  });
});

test('the counts name every state', async () => {
  const { result } = await get<StatusCounts>('/api/v1/explanations/status-counts');
  expect(result).toMatchObject({ AUTO_PUBLISHED: 1, PUBLISHED: 0, STOPPED: 1, INVALIDATED: 1, BLOCKED: 0 });
});

test('the reception: before the first pull, and after', async () => {
  await using other = new TestConsole();
  const before = await other.ask<SyncStatus>({ method: 'GET', url: '/api/v1/sync/status', as: 'OPERATOR' });
  expect(before.result).toEqual({
    lag: null,
    lastReceivedAt: null,
    alarms: [],
    state: 'NEVER',
    committedCursor: 0,
    appliedCursor: 0,
    head: null,
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastError: null,
    heldInvalidations: 0,
    rejectedEntries: 0,
    quarantinedBundles: 0,
    quarantinedUnseen: 0,
    quarantinedDropped: 0,
    waitSeconds: null,
    waitCutSeconds: null,
    darkTickers: [],
  });
  console.ledger.write((tx) => recordPull(tx, { at: console.now.toISOString(), head: 7 }));
  expect((await get<SyncStatus>('/api/v1/sync/status')).result).toMatchObject({
    state: 'OK',
    head: 7,
    lastSuccessAt: console.now.toISOString(),
  });
});

test('explanations received today are counted from midnight in Korea', async () => {
  await using other = new TestConsole();
  const feed = () => other.ask<FeedStatus>({ method: 'GET', url: '/api/v1/explanations/feed-status', as: 'OPERATOR' });
  expect((await feed()).result).toEqual({
    state: 'NEVER',
    lastReceivedAt: null,
    receivedToday: 0,
    waiting: 0,
    held: 0,
  });
  other.now = new Date('2026-11-20T14:59:59.999Z');
  other.explanation('PENDING_REVIEW');
  other.now = new Date('2026-11-20T15:00:00.000Z');
  other.explanation('AUTO_PUBLISHED');
  expect((await feed()).result).toEqual({
    state: 'NEVER',
    lastReceivedAt: '2026-11-20T15:00:00.000Z',
    receivedToday: 1,
    waiting: 1,
    held: 0,
  });
});

test('the disclaimer is the active policy’s, or null while none is active', async () => {
  const answer = await get<Disclaimer>('/api/v1/screening/disclaimer');
  expect(answer.result).toEqual({
    disclaimer: disclaimerText(SEED_POLICY),
    ...SEED_POLICY.disclaimer,
    hits: [],
    policyVersion: 1,
  });
  await using bare = new TestConsole({ seed: 'members without policy' });
  const without = await bare.ask<Disclaimer>({ method: 'GET', url: '/api/v1/screening/disclaimer', as: 'READ_ONLY' });
  expect(without.result).toEqual({ disclaimer: null, aiNotice: null, text: null, hits: [], policyVersion: null });
});
