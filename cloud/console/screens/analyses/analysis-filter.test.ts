import { expect, test } from 'vitest';
import {
  queryOf,
  isNarrowed,
  readAnalysisFilter,
  writeAnalysisFilter,
  type AnalysisFilter,
} from './analysis-filter.ts';

const PLAIN: AnalysisFilter = { publicationState: null, status: null, market: '', q: '', page: 1 };
const FULL: AnalysisFilter = {
  publicationState: 'INVALIDATED',
  status: 'FAILED',
  market: 'KRX',
  q: '반도체+수출 & 100%',
  page: 3,
};

test('a filter survives its address', () => {
  for (const filter of [PLAIN, FULL]) {
    expect(readAnalysisFilter(new URLSearchParams(writeAnalysisFilter(filter)))).toEqual(filter);
  }
  expect(writeAnalysisFilter(PLAIN)).toBe('');
});

test.each([
  '?page=0',
  '?page=-1',
  '?page=1.5',
  '?page=x',
  '?page=100000001',
  '?publicationState=DRAFT',
  '?status=published',
  '?q=%20%20',
  '?sort=newest',
])('an invalid filter is left out: %s', (address) => {
  expect(readAnalysisFilter(new URLSearchParams(address))).toEqual(PLAIN);
});

test('a text that the API would refuse is cut', () => {
  expect(readAnalysisFilter(new URLSearchParams({ q: '가'.repeat(300) })).q).toHaveLength(200);
});

test('the API is asked only with filters that narrow', () => {
  expect(queryOf(PLAIN)).toEqual({ page: 1, size: 50 });
  expect(queryOf(FULL)).toEqual({ ...FULL, size: 50 });
});

test('the page narrows nothing', () => {
  expect(isNarrowed({ ...PLAIN, page: 4 })).toBe(false);
  expect(isNarrowed({ ...PLAIN, market: 'KRX' })).toBe(true);
});
