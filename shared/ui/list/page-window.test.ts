import { describe, expect, test } from 'vitest';
import { pagesOf, shiftOf, WINDOW_PAGE } from './page-window.ts';

describe('the pages of a window', () => {
  test.each([
    [{ first: 0, last: -1 }, [1]],
    [{ first: 0, last: 30 }, [1]],
    [{ first: 80, last: 120 }, [1, 2]],
    [{ first: 99_950, last: 99_999 }, [1000]],
    [{ first: WINDOW_PAGE, last: WINDOW_PAGE }, [2]],
    [{ first: -5, last: 3 }, [1]],
  ])('%j: %j', (range, pages) => {
    expect(pagesOf(range)).toEqual(pages);
  });
});

describe('a list that moves', () => {
  const ids = new Map([
    [10, 'new'],
    [11, 'a'],
    [12, 'b'],
  ]);
  test('the row in view is found again', () => {
    expect(shiftOf({ id: 'a', index: 10 }, ids)).toBe(1);
    expect(shiftOf({ id: 'b', index: 12 }, ids)).toBe(0);
    expect(shiftOf({ id: 'new', index: 11 }, ids)).toBe(-1);
  });
  test('an item that is gone or never existed moves nothing', () => {
    expect(shiftOf({ id: 'gone', index: 11 }, ids)).toBe(0);
    expect(shiftOf(null, ids)).toBe(0);
  });
});
