import { expect, test } from 'vitest';
import { askedOf, isNarrowed, readBoardFilter, writeBoardFilter, type BoardFilter } from './board-filter.ts';

const PLAIN: BoardFilter = {
  status: null,
  market: '',
  tradeDateFrom: '',
  tradeDateTo: '',
  q: '',
  sort: 'newest',
};

test('a filter survives its address', () => {
  const full: BoardFilter = {
    status: 'STOPPED',
    market: 'KRX',
    tradeDateFrom: '2026-11-01',
    tradeDateTo: '2026-11-20',
    q: '반도체+수출',
    sort: 'ticker',
  };
  for (const filter of [PLAIN, full])
    expect(readBoardFilter(new URLSearchParams(writeBoardFilter(filter)))).toEqual(filter);
  expect(writeBoardFilter(PLAIN)).toBe('');
});

test.each(['?page=3', '?from=2026-02-30', '?to=gestern', '?status=NEW', '?sort=random'])(
  'what is no filter is left out: %s',
  (address) => {
    expect(readBoardFilter(new URLSearchParams(address))).toEqual(PLAIN);
  },
);

test('the API is asked only for what narrows', () => {
  expect(askedOf(PLAIN, 1)).toEqual({ page: 1, size: 100, sort: 'newest' });
  expect(askedOf({ ...PLAIN, status: 'BLOCKED', q: 'x', tradeDateFrom: '2026-11-01' }, 2)).toEqual({
    page: 2,
    size: 100,
    sort: 'newest',
    status: 'BLOCKED',
    q: 'x',
    tradeDateFrom: '2026-11-01',
  });
});

test('the order narrows nothing', () => {
  expect(isNarrowed({ ...PLAIN, sort: 'ticker' })).toBe(false);
  expect(isNarrowed({ ...PLAIN, market: 'KRX' })).toBe(true);
});
