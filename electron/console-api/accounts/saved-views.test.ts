/** Saved views belong to the account: each user has their own, under their own names. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MOST_VIEWS } from '../../../agent/ledger/accounts/saved-views.ts';
import type { SavedViewList } from '../../../shared/wire/console/saved-views.ts';
import { memberId, TestConsole, type Answer } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const URL = '/api/v1/session/views';
const keep = (as: string, name: string, search = '?q=1', screen = 'review'): Promise<Answer<SavedViewList>> =>
  console.ask<SavedViewList>({ method: 'PUT', url: URL, as, body: { screen, name, search } });
const namesOf = async (as: string): Promise<string[]> =>
  (await console.ask<SavedViewList>({ method: 'GET', url: URL, as })).result.items.map(({ name }) => name);

test('a name is unique per user and screen, the latest first', async () => {
  await keep('READ_ONLY', '오늘');
  console.pass(1);
  await keep('READ_ONLY', '차단');
  console.pass(1);
  await keep('READ_ONLY', '오늘', '?q=2');
  await keep('READ_ONLY', '오늘', '', 'explanations');
  const { result } = await console.ask<SavedViewList>({ method: 'GET', url: URL, as: 'READ_ONLY' });
  expect(result.items.map(({ screen, name, search }) => [screen, name, search])).toEqual([
    ['explanations', '오늘', ''],
    ['review', '오늘', '?q=2'],
    ['review', '차단', '?q=1'],
  ]);
});

test('each user sees and removes only their own', async () => {
  const [view] = (await keep('OPERATOR', '내 것')).result.items;
  expect(await namesOf('READ_ONLY')).toEqual([]);
  const url = `${URL}/${view?.id}`;
  expect((await console.ask({ method: 'DELETE', url, as: 'READ_ONLY' })).status).toBe(404);
  expect(await namesOf('OPERATOR')).toEqual(['내 것']);
  expect((await console.ask<SavedViewList>({ method: 'DELETE', url, as: 'OPERATOR' })).result.items).toEqual([]);
});

// Without the limit a reader could save views a thousand times a second: the log, which never shrinks, filled the
// ledger's disk.
test('a user’s changes to their own data are limited per window, without affecting another user', async () => {
  const sessions = [console.session('READ_ONLY'), console.session('READ_ONLY')];
  const until = console.now.getTime() + 15 * 60_000;
  console.context.ownChanges.set(memberId('READ_ONLY'), { count: 298, until });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await keep(sessions[n % 2] ?? '', '보기', `?page=${n}`)).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  const profile = { method: 'PATCH', url: '/api/v1/session/profile', body: { displayName: '다른 이름' } } as const;
  expect((await console.ask({ ...profile, as: 'READ_ONLY' })).status).toBe(429);
  expect((await console.ask({ ...profile, as: 'OPERATOR' })).status).toBe(200);
  console.pass(15 * 60_000);
  expect((await keep('READ_ONLY', '보기')).status).toBe(200);
});

test('the number of views per screen is limited; an existing one can still be changed', async () => {
  for (let n = 1; n <= MOST_VIEWS; n += 1) await keep('OPERATOR', `보기 ${n}`);
  expect((await keep('OPERATOR', '하나 더')).status).toBe(409);
  expect((await keep('OPERATOR', '보기 1', '?q=other')).status).toBe(200);
  expect((await keep('OPERATOR', '다른 화면', '', 'explanations')).status).toBe(200);
});

test.each([
  { screen: 'review', name: '', search: '' },
  { screen: 'review', name: ' 앞', search: '' },
  { screen: 'review', name: '보기\u200b', search: '' },
  { screen: 'review', name: '보기\u2800', search: '' },
  { screen: 'review', name: 'x'.repeat(61), search: '' },
  { screen: 'review', name: 'x', search: 'https://elsewhere' },
  { screen: 'settings', name: 'x', search: '' },
])('%j is no view', async (body) => {
  expect((await console.ask({ method: 'PUT', url: URL, as: 'OPERATOR', body })).status).toBe(400);
});
