import { expect, test } from 'vitest';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';
import { foundIn, nextPlace } from './findings.ts';

test('the next place follows caret or selection, leaves the one that is selected, and begins again at the end', () => {
  const places = [
    { start: 12, end: 15 },
    { start: 3, end: 5 },
    { start: 3, end: 8 },
  ];
  const after = (start: number, end = start) => nextPlace(places, { start, end })?.start;
  expect([after(0), after(3), after(3, 8), after(12, 15), after(20)]).toEqual([3, 3, 12, 3, 3]);
  // Of two that begin alike the longer one is shown, and walking on goes past both.
  expect(nextPlace(places, { start: 0, end: 0 })).toEqual({ start: 3, end: 8 });
  expect(nextPlace([], { start: 0, end: 0 })).toBeNull();
});

test('findings belong to the very text that was screened', () => {
  const missing = [{ noticeId: 'n' }];
  const item = {
    summary: '받은 글',
    draft: { text: '쓰던 글', hits: [1], missing: [] },
    underReview: { text: '고친 글', hits: [2], missing },
    hitsNow: { summary: [3], missing: { summary: missing } },
  } as unknown as ReviewDetail;
  expect(foundIn('쓰던 글', item)?.hits).toEqual([1]);
  expect(foundIn('고친 글', item)).toMatchObject({ hits: [2], missing });
  expect(foundIn('받은 글', item)).toEqual({ hits: [3], missing });
  expect(foundIn('새로 쓴 글', item)).toBeNull();
});
