import { expect, test } from 'vitest';
import {
  queryOf,
  isNarrowed,
  PLAIN_BOARD,
  readBoardFilter,
  writeBoardFilter,
  type BoardFilter,
} from './board-filter.ts';

test('a filter survives its address', () => {
  const full: BoardFilter = {
    status: 'STOPPED',
    market: 'KRX',
    tradeDateFrom: '2026-11-01',
    tradeDateTo: '2026-11-20',
    receivedFrom: '2026-11-19',
    receivedTo: '2026-11-21',
    word: 'w-1',
    held: 'true',
    exposure: 'EXCLUDED',
    q: '반도체+수출',
    sort: 'ticker',
  };
  for (const filter of [PLAIN_BOARD, full])
    expect(readBoardFilter(new URLSearchParams(writeBoardFilter(filter)))).toEqual(filter);
  expect(writeBoardFilter(PLAIN_BOARD)).toBe('');
});

test.each([
  '?page=3',
  '?from=2026-02-30',
  '?to=gestern',
  '?receivedFrom=2026-11-31',
  '?status=NEW',
  '?sort=random',
  '?held=1',
  '?exposure=HIDDEN',
])('an invalid filter is left out: %s', (address) => {
  expect(readBoardFilter(new URLSearchParams(address))).toEqual(PLAIN_BOARD);
});

test('the API is asked only with filters that narrow', () => {
  expect(queryOf(PLAIN_BOARD, 1)).toEqual({ page: 1, size: 100, sort: 'newest' });
  expect(queryOf({ ...PLAIN_BOARD, status: 'BLOCKED', q: 'x', tradeDateFrom: '2026-11-01' }, 2)).toEqual({
    page: 2,
    size: 100,
    sort: 'newest',
    status: 'BLOCKED',
    q: 'x',
    tradeDateFrom: '2026-11-01',
  });
});

test('the order narrows nothing', () => {
  expect(isNarrowed({ ...PLAIN_BOARD, sort: 'ticker' })).toBe(false);
  expect(isNarrowed({ ...PLAIN_BOARD, market: 'KRX' })).toBe(true);
});
