/**
 * While another process writes: reads go on, and writes wait for their turn (faults: several processes on one ledger).
 */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MOST_WAITING } from '../context/fair-queue.ts';
import { memberId, TestConsole, type Answer } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let other: Database.Database;
beforeEach(() => {
  console = new TestConsole();
  other = new Database(console.file);
});
afterEach(async () => {
  other.close();
  await console[Symbol.asyncDispose]();
});

/** Requests a stop, which waits; tells whether it has been answered. */
function stop(id: string, as: string) {
  const asked = { answer: undefined as Answer | undefined, done: Promise.resolve() };
  asked.done = console
    .ask({ method: 'POST', url: `/api/v1/explanations/${id}/stop`, as, body: { reason: '사유' } })
    .then((answer) => void (asked.answer = answer));
  return asked;
}

test('a read is answered while a write waits, and the write is made as soon as possible', async () => {
  const id = console.explanation('PUBLISHED');
  const as = console.session('OPERATOR');
  other.exec('BEGIN IMMEDIATE');
  const stopping = stop(id, as);
  for (const url of ['/api/v1/review/items', `/api/v1/explanations/${id}`, '/api/v1/session'])
    expect((await console.ask({ method: 'GET', url, as })).status).toBe(200);
  expect(stopping.answer).toBeUndefined();
  other.exec('COMMIT');
  await stopping.done;
  expect(stopping.answer?.status).toBe(200);
});

test('waiting writes are made in the order of their requests', async () => {
  const id = console.explanation('PUBLISHED');
  const as = console.session('OPERATOR');
  other.exec('BEGIN IMMEDIATE');
  const order: number[] = [];
  const writes = [1, 2, 3].map((n) => console.context.write(() => void order.push(n)));
  const stopping = stop(id, as);
  other.exec('COMMIT');
  await Promise.all([...writes, stopping.done]);
  expect([order, stopping.answer?.status]).toEqual([[1, 2, 3], 200]);
});

/** Saves many views at once, which every role may do. */
function flood(as: string, times: number) {
  const answered: number[] = [];
  const done = Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const body = { screen: 'review', name: `view ${index % 20}`, search: '' };
      answered.push((await console.ask({ method: 'PUT', url: '/api/v1/session/views', as, body })).status);
    }),
  );
  return { answered, done };
}

/** Resolves when this many writes have been requested. */
function asked(times: number): Promise<void> {
  const { write } = console.context;
  let count = 0;
  return new Promise((resolve) => {
    console.context.write = (work, person) => {
      count += 1;
      if (count === times) resolve();
      return write(work, person);
    };
  });
}

// A thousand writes of one reader at once made another user's stop wait for all of them.
test('one user’s writes do not delay another user’s stop', async () => {
  const id = console.explanation('PUBLISHED');
  const [reader, operator] = [console.session('READ_ONLY'), console.session('OPERATOR')];
  other.exec('BEGIN IMMEDIATE');
  const all = asked(101);
  const many = flood(reader, 100);
  const stopping = stop(id, operator);
  const before = stopping.done.then(() => many.answered.length);
  await all;
  other.exec('COMMIT');
  expect(await before).toBeLessThan(10);
  expect(stopping.answer?.status).toBe(200);
  await many.done;
  expect(new Set(many.answered)).toEqual(new Set([200]));
});

test('a user’s waiting writes are limited, without refusing another user', async () => {
  const id = console.explanation('PUBLISHED');
  const [reader, operator] = [console.session('READ_ONLY'), console.session('OPERATOR')];
  other.exec('BEGIN IMMEDIATE');
  const all = asked(MOST_WAITING + 21);
  const many = flood(reader, MOST_WAITING + 20);
  const stopping = stop(id, operator);
  await all;
  other.exec('COMMIT');
  await Promise.all([many.done, stopping.done]);
  expect(stopping.answer?.status).toBe(200);
  expect([200, 429].map((one) => many.answered.filter((status) => status === one).length)).toEqual([MOST_WAITING, 20]);
});

test('a write whose author was deactivated while it waited is refused', async () => {
  const id = console.explanation('PUBLISHED');
  const as = console.session('OPERATOR');
  other.exec('BEGIN IMMEDIATE');
  const stopping = stop(id, as);
  await console.ask({ method: 'GET', url: '/api/v1/session', as });
  other.prepare('UPDATE member SET active = 0 WHERE id = ?').run(memberId('OPERATOR'));
  other.exec('COMMIT');
  await stopping.done;
  expect(stopping.answer?.status).toBe(401);
  expect(other.prepare('SELECT status FROM explanation WHERE id = ?').get(id)).toEqual({ status: 'PUBLISHED' });
});

test('a look that waited is not recorded for an account deactivated meanwhile', async () => {
  const id = console.explanation();
  const as = console.session('COMPLIANCE_REVIEWER');
  other.exec('BEGIN IMMEDIATE');
  const looking = console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/looks`, as });
  await console.ask({ method: 'GET', url: '/api/v1/session', as });
  other.prepare('UPDATE member SET active = 0 WHERE id = ?').run(memberId('COMPLIANCE_REVIEWER'));
  other.exec('COMMIT');
  expect((await looking).status).toBe(401);
});

test('the last use of a session is recorded when the writer has gone, and reads do not wait for it', async () => {
  const as = console.session('READ_ONLY');
  console.now = new Date(console.now.getTime() + 5 * 60_000);
  other.exec('BEGIN IMMEDIATE');
  for (let times = 0; times < 3; times += 1)
    expect((await console.ask({ method: 'GET', url: '/api/v1/explanations', as })).status).toBe(200);
  other.exec('COMMIT');
  await console.context.write(() => undefined);
  const seen = other.prepare('SELECT max(last_seen_at) AS at FROM session').get() as { at: string };
  expect(seen.at).toBe(console.now.toISOString());
});
