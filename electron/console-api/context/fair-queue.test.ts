/** One user sends many requests at once: other users' requests are answered in between. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { memberId, TestConsole } from '../../../test/support/console-api/console.ts';
import { SESSION_COOKIE } from '../http/access.ts';
import { MOST_WAITING } from './fair-queue.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console[Symbol.asyncDispose]());

/** Sends many requests at once, by two sessions of one user; `answered` are the statuses so far. */
function ask(times: number, url: string) {
  const sessions = [console.session('READ_ONLY'), console.session('READ_ONLY')];
  const answered: number[] = [];
  const all = Array.from({ length: times }, async (_, index) => {
    answered.push((await console.ask({ method: 'GET', url, as: sessions[index % 2] ?? '' })).status);
  });
  return { answered, done: Promise.all(all) };
}

// Forty reads by one user, over a log of a million rows, made other users wait for 57 s.
test('one user’s reads do not delay another user', async () => {
  const many = ask(60, '/api/v1/audit/actions?system=true');
  const other = console.session('COMPLIANCE_REVIEWER');
  expect((await console.ask({ method: 'GET', url: '/api/v1/session', as: other })).status).toBe(200);
  expect(many.answered.length).toBeLessThan(6);
  await many.done;
  expect(new Set(many.answered)).toEqual(new Set([200]));
});

test('a user’s waiting requests are limited, without refusing another user', async () => {
  const many = ask(MOST_WAITING + 50, '/api/v1/session');
  const other = console.session('COMPLIANCE_REVIEWER');
  expect((await console.ask({ method: 'GET', url: '/api/v1/session', as: other })).status).toBe(200);
  await many.done;
  expect(new Set(many.answered)).toEqual(new Set([200, 429]));
  expect(many.answered.filter((status) => status === 429).length).toBeLessThan(50);
  const later = ask(1, '/api/v1/session');
  await later.done;
  expect(later.answered).toEqual([200]);
});

test.each([
  ['the account is deactivated', 'UPDATE member SET active = 0 WHERE id = ?'],
  ['the role is another one', "UPDATE member SET role = 'READ_ONLY' WHERE id = ?"],
])('an export breaks off when %s', async (_what, change) => {
  const row = { at: console.now.toISOString(), actor: { kind: 'SYSTEM' }, action: 'x', detail: {} } as const;
  console.ledger.write((tx) => {
    for (let made = 0; made < 600; made += 1) recordAction(tx, { ...row, targetType: 'y', targetId: null });
  });
  const { readQueue } = console.context;
  const next = readQueue.next.bind(readQueue);
  let taken = 0;
  readQueue.next = (person) => {
    taken += 1;
    // The export itself took the first turn, and now requests its second step.
    if (taken === 2) console.ledger.write((tx) => tx.run({ sql: change, parameters: [memberId('TENANT_ADMIN')] }));
    return next(person);
  };
  const cookie = `${SESSION_COOKIE}=${console.session('TENANT_ADMIN')}`;
  const headers = { host: '127.0.0.1', accept: 'text/csv', cookie };
  const url = '/api/v1/audit/actions?system=true';
  await expect(console.app.inject({ method: 'GET', url, headers })).rejects.toThrow();
  expect(taken).toBe(2);
});
