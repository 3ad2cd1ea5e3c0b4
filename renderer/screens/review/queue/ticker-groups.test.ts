import { expect, test } from 'vitest';
import { groupByTicker, placesOfTickers } from './ticker-groups.ts';

const items = ['A1', 'B1', 'A2', 'C1', 'B2', 'A3'].map((id) => ({ id, etf_ticker: id.slice(0, 1) }));

test('a ticker stands where its first item stands, and its items keep their order', () => {
  expect(groupByTicker(items).map(({ id }) => id)).toEqual(['A1', 'A2', 'A3', 'B1', 'B2', 'C1']);
});

test('the place is shown for tickers with more than one item', () => {
  expect([...placesOfTickers(items)]).toEqual([
    ['A1', '1/3'],
    ['A2', '2/3'],
    ['A3', '3/3'],
    ['B1', '1/2'],
    ['B2', '2/2'],
  ]);
});
