import { expect, test } from 'vitest';
import { LONGEST_NAME, readViews, withoutView, withView, type SavedView } from './views.ts';

const BLOCKED: SavedView = { name: 'blocked today', search: '?status=BLOCKED' };

test('a view survives being stored', () => {
  const views = withView(withView([], BLOCKED), { name: ' 전체 ', search: '' });
  expect(views).toEqual([{ name: '전체', search: '' }, BLOCKED]);
  expect(readViews(JSON.stringify(views))).toEqual(views);
});

test('a name is there once, and a blank one is none', () => {
  const views = withView([BLOCKED], { name: 'blocked today', search: '?status=BLOCKED&q=x' });
  expect(views).toEqual([{ name: 'blocked today', search: '?status=BLOCKED&q=x' }]);
  expect(withView(views, { name: '  ', search: '' })).toEqual(views);
  expect(withView([], { name: 'x'.repeat(100), search: '' })[0]?.name).toHaveLength(LONGEST_NAME);
  expect(withoutView(views, 'blocked today')).toEqual([]);
});

test.each([null, '', 'no JSON', '{}', '[1, null, {"name": 1}, {"name": "a", "search": "https://elsewhere"}]'])(
  'what is no view is left out: %s',
  (stored) => {
    expect(readViews(stored)).toEqual([]);
  },
);
