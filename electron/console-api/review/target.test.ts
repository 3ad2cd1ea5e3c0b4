/** The target for the review's waiting time: set only by the administrator, and without effect on decisions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReviewTarget } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

const read = async (as = 'READ_ONLY') =>
  (await console.ask<ReviewTarget>({ method: 'GET', url: '/api/v1/review/target', as })).result;
const set = (minutes: unknown, as = 'TENANT_ADMIN', headers: Record<string, string> = {}) =>
  console.ask<ReviewTarget>({ method: 'PUT', url: '/api/v1/review/target', as, body: { minutes }, headers });

test('is unset until the administrator sets one; every role reads it', async () => {
  expect(await read()).toEqual({ minutes: null, version: 1 });
  const before = console.traces();
  expect((await set(240)).result).toEqual({ minutes: 240, version: 2 });
  expect(await read('COMPLIANCE_REVIEWER')).toEqual({ minutes: 240, version: 2 });
  expect(console.actions(before.actions)).toMatchObject([{ action: 'review.target', target_id: null }]);
  const again = console.traces();
  expect((await set(240)).result.version).toBe(2);
  expect(console.traces()).toEqual(again);
  expect((await set(null)).result).toEqual({ minutes: null, version: 3 });
});

test('other roles, other values and older versions are refused', async () => {
  for (const as of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY']) expect((await set(60, as)).status).toBe(403);
  for (const minutes of [0, -1, 1.5, 10_081, '60', undefined]) expect((await set(minutes)).status).toBe(400);
  expect((await set(60, 'TENANT_ADMIN', { 'if-match': '"1"' })).status).toBe(412);
  expect((await read()).minutes).toBeNull();
});
