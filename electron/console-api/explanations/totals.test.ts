/** Totals on a screen, and the list behind each: the count agrees with the list (D11, D14). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rescreened } from '../../../agent/ledger/explanations/explanations.ts';
import { createScreener } from '../../../agent/screening/screen.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  ExplanationItem,
  FeedStatus,
  FoundPage,
  StatusCounts,
  WordCounts,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
const wordIds = new Map(SEED_POLICY.words.map(({ word, id }) => [word, id]));
const screener = createScreener({ version: 1, snapshot: SEED_POLICY });

/** Received and screened, as by the Intake. */
function take(at: string, ticker: string, summary: string): void {
  console.now = new Date(at);
  const id = console.explanation('PENDING_REVIEW', { etf_ticker: ticker, summary });
  const { outcome, checks } = screener.screen({
    summary,
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    sourceEventIds: ['a', 'b'],
    observed_return: null,
    outOfScope: [],
  });
  console.ledger.write((tx) => rescreened(tx, id, at, { outcome, checks, policyVersion: 1, matcherVersion: 'test' }));
}

beforeAll(() => {
  console = new TestConsole();
  // The first two on the 18th in Korea, the others on the 19th and 20th.
  take('2026-11-17T15:00:00.000Z', 'A', '반드시 올랐습니다. 반드시 그렇습니다.');
  take('2026-11-18T14:59:59.999Z', 'B', '최고 수준이며 반드시 올랐습니다.');
  take('2026-11-18T15:00:00.000Z', 'C', '불확실성이 커졌고 최고치입니다.');
  take('2026-11-20T01:00:00.000Z', 'D', '반드시 올랐습니다.');
});
afterAll(() => console.close());

const get = async <T>(url: string) =>
  (await console.ask<T>({ method: 'GET', url: `/api/v1/${url}`, as: 'READ_ONLY' })).result;
const listed = async (query: string) => {
  const { items, total } = await get<FoundPage<ExplanationItem>>(`explanations?sort=ticker&${query}`);
  expect(items).toHaveLength(total);
  return items.map(({ etf_ticker }) => etf_ticker);
};
const counts = async (query = '') => {
  const { explanations, words } = await get<WordCounts>(`screening/words/counts?${query}`);
  const names = new Map([...wordIds].map(([word, id]) => [id, word]));
  return { explanations, words: words.map((one) => [names.get(one.wordId), one.explanations, one.lastReceivedAt]) };
};

describe('forbidden words', () => {
  test('are counted once per explanation, for any number of hits', async () => {
    expect(await counts()).toEqual({
      explanations: 4,
      words: [
        ['반드시', 3, '2026-11-20T01:00:00.000Z'],
        ['최고', 1, '2026-11-18T14:59:59.999Z'],
      ],
    });
  });

  test.for([
    ['', 4, ['A', 'B', 'D'], ['B']],
    ['receivedFrom=2026-11-18&receivedTo=2026-11-18', 2, ['A', 'B'], ['B']],
    ['receivedFrom=2026-11-19', 2, ['D'], []],
    ['receivedTo=2026-11-17', 0, [], []],
  ] as const)('by the days of reception (%s), with the list behind each count', async ([days, among, must, best]) => {
    const { explanations, words } = await counts(days);
    expect(explanations).toBe(among);
    for (const [word, tickers] of [
      ['반드시', must],
      ['최고', best],
    ] as const) {
      const counted = words.find(([name]) => name === word)?.[1] ?? 0;
      expect([word, counted]).toEqual([word, tickers.length]);
      expect(await listed(`word=${wordIds.get(word)}&${days}`)).toEqual(tickers);
    }
  });

  test('narrow a list together with all other filters', async () => {
    const word = wordIds.get('반드시');
    expect(await listed(`word=${word}&q=${encodeURIComponent('수준')}`)).toEqual(['B']);
    expect(await listed(`word=${word}&status=PUBLISHED`)).toEqual([]);
    expect(await listed('word=no-such-word')).toEqual([]);
  });

  test('a day that does not exist is 400', async () => {
    for (const url of ['screening/words/counts?receivedFrom=2026-02-30', 'explanations?receivedTo=today']) {
      expect((await console.ask({ method: 'GET', url: `/api/v1/${url}`, as: 'OPERATOR' })).status).toBe(400);
    }
  });
});

describe('the totals of the dashboard', () => {
  test('the total received today is the list of this day', async () => {
    const { receivedToday } = await get<FeedStatus>('explanations/feed-status');
    expect([receivedToday, await listed('receivedFrom=2026-11-20&receivedTo=2026-11-20')]).toEqual([1, ['D']]);
  });

  test('each state’s total is the list of that state', async () => {
    for (const [status, count] of Object.entries(await get<StatusCounts>('explanations/status-counts'))) {
      expect([status, await listed(`status=${status}`)]).toEqual([status, expect.objectContaining({ length: count })]);
    }
  });
});
