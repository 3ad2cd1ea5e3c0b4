/** What a client can fill: the counts of refusals and of own changes, and the path that a refusal records. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../../../shared/wire/envelope.ts';
import type { Caller, ConsoleContext } from '../context/context.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';
import { countOwnChange } from './access.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

test('a user’s own changes are refused beyond 300, until the window is over, and counts that are over are dropped', () => {
  let now = new Date('2026-11-20T09:00:00.000Z');
  const ownChanges: ConsoleContext['ownChanges'] = new Map();
  const context = { ownChanges, clock: { now: () => now } } as ConsoleContext;
  const change = (id: string): number | undefined => {
    try {
      countOwnChange(context, { member: { id } } as Caller);
      return 0;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'COMMON429') return error.retryAfterSeconds;
      throw error;
    }
  };
  const pass = (ms: number): void => {
    now = new Date(now.getTime() + ms);
  };
  expect(new Set(Array.from({ length: 300 }, () => change('kim')))).toEqual(new Set([0]));
  pass(1_000);
  expect([change('kim'), change('lee')]).toEqual([899, 0]);
  pass(898_999);
  expect(change('kim')).toBe(1);
  pass(1);
  expect([change('kim'), ownChanges.size]).toEqual([0, 2]);
  pass(1_000);
  expect([change('kim'), [...ownChanges.keys()]]).toEqual([0, ['kim']]);
});

test('of an unknown path a refusal records 200 characters', async () => {
  const before = console.actions().length;
  const url = `/api/v1/${'x'.repeat(500)}`;
  expect((await console.ask({ method: 'POST', url, as: 'OPERATOR' })).body.code).toBe('COMMON403');
  expect(console.actions(before).map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
    { method: 'POST', path: url.slice(0, 200) },
  ]);
});
