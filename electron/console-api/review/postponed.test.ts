/** A postponement is its person's own, and ends by itself (D222). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page, PostponementAnswer, ReviewDetail, ReviewItem } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

const ask = (method: 'PUT' | 'DELETE', id: string, as = 'COMPLIANCE_REVIEWER') =>
  console.ask<PostponementAnswer>({
    method,
    url: `/api/v1/review/items/${id}/postponement`,
    as,
    ...(method === 'PUT' ? { body: { postponement: 'HALF_HOUR' } } : {}),
  });
const listed = async (id: string, as = 'COMPLIANCE_REVIEWER') => {
  const { result } = await console.ask<Page<ReviewItem>>({ method: 'GET', url: '/api/v1/review/items?size=100', as });
  return result.items.find((item) => item.id === id)?.postponedUntil;
};

test('hides from nobody else, makes no version, and ends by itself or by its person', async () => {
  const id = console.explanation('PENDING_REVIEW');
  const until = new Date(console.now.getTime() + 30 * 60_000).toISOString();
  const before = console.traces();
  expect((await ask('PUT', id)).result).toEqual({ postponedUntil: until });
  expect(await listed(id)).toBe(until);
  expect(await listed(id, 'READ_ONLY')).toBeNull();
  const { result, headers } = await console.ask<ReviewDetail>({
    method: 'GET',
    url: `/api/v1/review/items/${id}`,
    as: 'COMPLIANCE_REVIEWER',
  });
  expect([result.postponedUntil, result.status, headers.etag]).toEqual([until, 'PENDING_REVIEW', '"1"']);
  console.pass(30 * 60_000);
  expect(await listed(id)).toBeNull();
  expect((await ask('PUT', id)).status).toBe(200);
  expect((await ask('DELETE', id)).result).toEqual({ postponedUntil: null });
  expect(await listed(id)).toBeNull();
  // Nothing to end: no row of the log tells of it.
  expect((await ask('DELETE', id)).status).toBe(200);
  expect(console.actions(before.actions)).toMatchObject([
    { action: 'review.postpone', target_id: id },
    { action: 'review.postpone', target_id: id },
    { action: 'review.resume', target_id: id },
  ]);
});

test('is refused for an item that does not wait, and for one that does not exist', async () => {
  expect((await ask('PUT', console.explanation('PUBLISHED'))).status).toBe(409);
  expect((await ask('PUT', 'none')).status).toBe(404);
  expect((await ask('DELETE', 'none')).status).toBe(404);
});
