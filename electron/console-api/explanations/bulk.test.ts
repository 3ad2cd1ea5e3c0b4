/** Bulk actions: each item is a separate transition, and changed items are skipped and reported. */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import type { BulkResult } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
  const at = console.now.toISOString();
  // Without a channel nothing is exposed.
  console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'key', at }));
});
afterAll(() => console.close());

const bulk = (action: string, body: object, as = 'COMPLIANCE_REVIEWER') =>
  console.ask<BulkResult>({ method: 'POST', url: `/api/v1/bulk/${action}`, as, body });
const reason = '수치 불일치';

test('stops every item that can be stopped, each with its history and audit row, and reports the rest', async () => {
  const [shown, other, waiting] = [
    console.explanation('AUTO_PUBLISHED'),
    console.explanation('PUBLISHED', { etf_ticker: 'OTHER' }),
    console.explanation('PENDING_REVIEW'),
  ];
  const before = console.traces();
  const items = [
    { id: shown, version: 1 },
    { id: other, version: 9 },
    { id: waiting, version: 1 },
    { id: 'nothing', version: 1 },
  ];
  const { result } = await bulk('stop', { items, reason }, 'OPERATOR');
  expect(result).toEqual({
    done: 1,
    results: [
      { id: shown, outcome: 'DONE', status: 'STOPPED', version: 2, exposed: false, obstacle: 'STATE' },
      { id: other, outcome: 'CONFLICT', status: 'PUBLISHED', version: 1, exposed: true, obstacle: null },
      { id: waiting, outcome: 'CONFLICT', status: 'PENDING_REVIEW', version: 1, exposed: false, obstacle: 'STATE' },
      { id: 'nothing', outcome: 'MISSING', status: null, version: null, exposed: null, obstacle: null },
    ],
  });
  expect(console.traces().history).toBe(before.history + 1);
  expect(console.actions(before.actions)).toMatchObject([{ action: 'explanation.stop', target_id: shown }]);
});

test.for([
  ['move-to-review', 'PUBLISHED', 'PENDING_REVIEW'],
  ['reject', 'PENDING_REVIEW', 'REJECTED'],
  ['block', 'PENDING_REVIEW', 'BLOCKED'],
] as const)('%s goes from %s to %s for each', async ([action, from, to]) => {
  const items = [1, 2, 3].map(() => ({ id: console.explanation(from), version: 1 }));
  const before = console.traces();
  const { result } = await bulk(action, { items, reason });
  expect([result.done, result.results.map(({ status }) => status)]).toEqual([3, [to, to, to]]);
  expect(console.traces()).toMatchObject({ history: before.history + 3, actions: before.actions + 3 });
});

test.for([
  { reason },
  { items: [], reason },
  { items: [{ id: 'x' }], reason },
  { items: [{ id: 'x', version: 1 }] },
  { items: [{ id: 'x', version: 1 }], reason: ' ' },
  { items: [1, 2].map(() => ({ id: 'x', version: 1 })), reason },
  { items: Array.from({ length: 101 }, (_, index) => ({ id: `x-${index}`, version: 1 })), reason },
])('a body that does not fit the schema is refused as a whole: %o', async (body) => {
  const before = console.traces();
  expect((await bulk('stop', body)).status).toBe(400);
  expect(console.traces()).toEqual(before);
});

test('when the ledger fails at an item, each outcome is reported: done items stay done, the rest was not tried', async () => {
  const ids = [1, 2, 3].map(() => console.explanation('PUBLISHED'));
  const [done = '', broken = '', untried = ''] = ids;
  const db = new Database(console.file);
  db.exec(`CREATE TRIGGER breaks BEFORE UPDATE ON explanation WHEN OLD.id = '${broken}'
    BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  const before = console.traces();
  const { status, result } = await bulk('stop', { items: ids.map((id) => ({ id, version: 1 })), reason });
  expect([status, result]).toEqual([
    200,
    {
      done: 1,
      results: [
        { id: done, outcome: 'DONE', status: 'STOPPED', version: 2, exposed: false, obstacle: 'STATE' },
        { id: broken, outcome: 'FAILED', status: null, version: null, exposed: null, obstacle: null },
        { id: untried, outcome: 'FAILED', status: null, version: null, exposed: null, obstacle: null },
      ],
    },
  ]);
  expect(console.traces()).toMatchObject({ history: before.history + 1, actions: before.actions + 1 });
  // When nothing was done, the failure is the answer.
  const first = await bulk('stop', { items: [broken, untried].map((id) => ({ id, version: 1 })), reason });
  expect(first.status).toBe(500);
  expect(console.traces()).toMatchObject({ history: before.history + 1, actions: before.actions + 1 });
  db.exec('DROP TRIGGER breaks');
  db.close();
});

test('nothing is approved or corrected in bulk', () => {
  const bulks = CONSOLE_ROUTES.map(({ path }) => path).filter((path) => path.includes('bulk'));
  expect(bulks.map((path) => path.split('/').at(-1))).toEqual(['stop', 'move-to-review', 'reject', 'block']);
});
