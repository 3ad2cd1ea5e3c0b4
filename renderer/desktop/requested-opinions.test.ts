import { expect, test } from 'vitest';
import { requestsOf } from './requested-opinions.ts';

const item = (id: string, at: string, mine = false) => ({
  id,
  etf_ticker: id,
  etf_name: 'ETF',
  opinion: { id: '1', question: '?', displayName: '동료', at, mine, given: null },
});

test("requests of others are counted, and the last of them is named; the user's own are not", () => {
  const items = [item('a', '2026-11-20T01:00:00.000Z'), item('b', '2026-11-20T03:00:00.000Z'), item('c', 'Z', true)];
  expect(requestsOf(items)).toEqual({ count: 2, newest: { id: 'b', name: 'b ETF' } });
  expect(requestsOf(items.slice(2))).toEqual({ count: 0, newest: null });
  expect(requestsOf(undefined)).toBeNull();
});
