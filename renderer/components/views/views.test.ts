import { expect, test } from 'vitest';
import { moveViews, readViews } from './views.ts';

const VIEWS = [
  { name: '전체', search: '' },
  { name: 'blocked today', search: '?status=BLOCKED' },
];

test.each([null, '', 'no JSON', '{}', '[1, null, {"name": 1}, {"name": "a", "search": "https://elsewhere"}]'])(
  'an invalid view is left out: %s',
  (stored) => {
    expect(readViews(stored)).toEqual([]);
  },
);

test("a browser's views move to the account in their order, without replacing an existing one", async () => {
  const saved: unknown[] = [];
  const save = async (view: object) => void saved.push(view);
  await moveViews(JSON.stringify(VIEWS), [], save);
  expect(saved).toEqual(VIEWS.toReversed());
  saved.length = 0;
  await moveViews(JSON.stringify(VIEWS), [{ name: '전체' }], save);
  expect(saved).toEqual([VIEWS[1]]);
});
