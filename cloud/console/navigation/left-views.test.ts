import { expect, test } from 'vitest';
import { NO_VIEWS, queryTo, readViews, viewed } from './left-views.ts';

const overview = { href: '/overview', day: 'date' } as const;
const runs = { href: '/runs', day: 'to' } as const;
const tenants = { href: '/tenants' };
const TODAY = '2026-11-20';

test('one day is in view on every screen that is about a day', () => {
  const left = viewed(NO_VIEWS, overview, 'date=2026-11-18&state=BLOCKED', TODAY);
  expect(queryTo(left, runs)).toBe('?to=2026-11-18');
  expect(queryTo(left, tenants)).toBe('');
  // A screen without a day leaves it unchanged; today needs no parameter.
  expect(queryTo(viewed(left, tenants, 'q=a', TODAY), runs)).toBe('?to=2026-11-18');
  expect(queryTo(viewed(left, runs, 'to=2026-11-20', TODAY), overview)).toBe('?state=BLOCKED');
});

test('a day that cannot be read stays on its screen', () => {
  expect(queryTo(viewed(NO_VIEWS, overview, 'date=2026-13-45', TODAY), runs)).toBe('');
});

test('a screen opens again with its filters', () => {
  const left = viewed(viewed(NO_VIEWS, tenants, 'q=a+b&status=LATE', TODAY), overview, '', TODAY);
  expect(queryTo(left, tenants)).toBe('?q=a+b&status=LATE');
  expect(queryTo(viewed(left, tenants, '', TODAY), tenants)).toBe('');
  expect(viewed(left, overview, '', TODAY)).toBe(left);
});

test('only values that were stored are read', () => {
  const left = viewed(NO_VIEWS, overview, 'date=2026-11-18&state=BLOCKED', TODAY);
  expect(readViews(JSON.stringify(left))).toEqual(left);
  for (const text of [null, '', '{', '[]', '{"queries":1}', 'null']) expect(readViews(text)).toEqual(NO_VIEWS);
  expect(readViews('{"day":1,"queries":{"/a":1,"/b":"x=1"}}')).toEqual({ day: null, queries: { '/b': 'x=1' } });
});
