import { expect, test } from 'vitest';
import { queryOf, readQueueFilter, writeQueueFilter, type QueueFilter } from './queue-filter.ts';

const PLAIN: QueueFilter = { reason: null, split: 'MY_TURN', isLate: false, q: '', sort: 'waiting-longest' };

test('a filter survives its address', () => {
  const filters: QueueFilter[] = [
    PLAIN,
    { reason: 'SOURCE_COUNT', split: 'OPINION', isLate: true, q: '반도체 & 수출', sort: 'ticker' },
  ];
  for (const filter of filters) expect(readQueueFilter(new URLSearchParams(writeQueueFilter(filter)))).toEqual(filter);
  expect(writeQueueFilter(PLAIN)).toBe('');
});

test('an address with unknown values opens the plain queue', () => {
  expect(readQueueFilter(new URLSearchParams('?reason=NONSENSE&split=GODOT&sort=random&status=PUBLISHED'))).toEqual(
    PLAIN,
  );
});

test('the API is asked for waiting items, and only with filters that narrow', () => {
  expect(queryOf(PLAIN)).toEqual({ status: 'PENDING_REVIEW', sort: 'waiting-longest', split: 'MY_TURN' });
  expect(queryOf({ ...PLAIN, split: 'ALL' })).toEqual({ status: 'PENDING_REVIEW', sort: 'waiting-longest' });
  expect(queryOf({ reason: 'CONFIDENCE', split: 'SECOND_PERSON', isLate: true, q: 'x', sort: 'ticker' })).toEqual({
    status: 'PENDING_REVIEW',
    sort: 'ticker',
    reason: 'CONFIDENCE',
    split: 'SECOND_PERSON',
    late: 'true',
    q: 'x',
  });
});
