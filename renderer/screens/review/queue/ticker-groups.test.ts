import { expect, test } from 'vitest';
import { groupByTicker, placesOf, placesOfTickers } from './ticker-groups.ts';

const listed = (...ids: string[]) => ids.map((id) => ({ id, etf_ticker: id.slice(0, 1) }));
const items = listed('A1', 'B1', 'A2', 'C1', 'B2', 'A3');

test('a ticker stands where its first item stands, and its items keep their order', () => {
  expect(groupByTicker(placesOf([], items), items).map(({ id }) => id)).toEqual(['A1', 'A2', 'A3', 'B1', 'B2', 'C1']);
});

test('a ticker keeps its place until its last item has left; a new one stands by the chosen order', () => {
  const places = placesOf([], items);
  expect(placesOf(places, listed('B1', 'C1', 'B2', 'A3', 'D1'))).toEqual(['A', 'B', 'C', 'D']);
  expect(placesOf(['B', 'C'], listed('B1', 'D1', 'C1'))).toEqual(['B', 'D', 'C']);
  expect(placesOf(['A', 'B', 'C'], listed('B1', 'C1'))).toEqual(['B', 'C']);
  // It has left: when it comes again, it stands where the order puts it.
  expect(placesOf(['B', 'C'], listed('B1', 'C1', 'A4'))).toEqual(['B', 'C', 'A']);
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
