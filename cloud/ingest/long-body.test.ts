/** A body of many lines on the embedded store, which works within microtasks alone. */
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { MAX_ENTRY_BYTES, MAX_ENTRY_VALUES } from '../../shared/wire/bundle-endpoint.ts';
import { GRACE_MS } from '../operations/server.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live } from '../../test/support/cloud/loads.ts';
import { AT, embeddedKind, reset } from '../../test/support/cloud/store.ts';
import type { LineAnswer } from '../publication/load.ts';
import { createEngineDoor, LOADS_PATH, MOST_LINES } from './server.ts';

const LINES = 60;
let store: Store;
let door: ReturnType<typeof createEngineDoor>;
/** The number of lines begun. */
let begun: number;

beforeAll(async () => {
  ({ store } = await (await embeddedKind()).open());
});
beforeEach(async () => {
  begun = 0;
  await reset(store);
  const counting: Store = {
    ...store,
    transaction: (work) => {
      begun += 1;
      return store.transaction(work);
    },
  };
  door = createEngineDoor({ store: counting, token: 'token', clock: new SetClock(AT), ids: systemIds, log: false });
  await door.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => store.close());

const body = (): string =>
  Array.from({ length: LINES }, (_, index) => JSON.stringify(live({ key: `k${index}`, documents: 0 }))).join('\n');

async function post(text: string, signal?: AbortSignal): Promise<Response> {
  const { port } = door.server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${LOADS_PATH}`, {
    method: 'POST',
    headers: { authorization: 'Bearer token' },
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function send(signal?: AbortSignal): Promise<LineAnswer[]> {
  const response = await post(body(), signal);
  return ((await response.json()) as { result: { lines: LineAnswer[] } }).result.lines;
}
/** The event loop turned while the body was being processed. */
async function underWay(): Promise<void> {
  while (begun < 3) await setImmediate();
  expect(begun).toBeLessThan(LINES);
}
const stored = async (): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::integer as n from explanation_result`.execute(store.db)).rows[0]?.n ?? 0;

test('the process does other things between two lines', async () => {
  const sending = send();
  await underWay();
  expect((await sending).map(({ outcome }) => outcome)).toEqual(Array.from({ length: LINES }, () => 'PUBLISHED'));
  await closeServers([door], GRACE_MS);
});

test('a stop in the middle finishes the running line; the answer asks the sender to repeat the others', async () => {
  const sending = send();
  await underWay();
  await closeServers([door], GRACE_MS);
  const taken = begun;
  const answers = await sending;
  expect(answers.map(({ line, outcome, reason, id }) => [line, outcome, reason, id])).toEqual(
    Array.from({ length: LINES }, (_, index) => [
      index + 1,
      index < taken ? 'PUBLISHED' : 'FAILED',
      index < taken ? null : 'STOPPING',
      `res-k${index}`,
    ]),
  );
  expect(answers.at(-1)?.message).toBe('The cloud is stopping; send this line again.');
  expect([taken < LINES, await stored()]).toEqual([true, taken]);
});

test('a sender disconnected at the cloud’s stop: no line runs after the close', async () => {
  const gone = new AbortController();
  const sending = send(gone.signal).catch((error: unknown) => error);
  await underWay();
  gone.abort();
  await sending;
  await closeServers([door], GRACE_MS);
  const taken = begun;
  expect([taken < LINES, await stored()]).toEqual([true, taken]);
  for (let round = 0; round < 10; round += 1) await setImmediate();
  expect(begun).toBe(taken);
});

// For its id alone a line of 60 MB was read: 2.7 GB of memory, and no tenant's pull was answered for 35 s.
test.each([
  ['longer than any entry', { x: 'x'.repeat(MAX_ENTRY_BYTES) }],
  ['of more values than any entry', { x: Array.from({ length: MAX_ENTRY_VALUES }, () => 0) }],
])('a line that is %s is not read for its id either', async (_what, rest) => {
  const lines = [
    '{"result":{"explanation_result_id":"res-a"}}',
    JSON.stringify({ result: { explanation_result_id: 'res-b' }, ...rest }),
  ];
  const { result } = (await (await post(lines.join('\n'))).json()) as { result: { lines: LineAnswer[] } };
  expect(result.lines.map(({ outcome, id }) => [outcome, id])).toEqual([
    ['FAILED', 'res-a'],
    ['FAILED', null],
  ]);
  await closeServers([door], GRACE_MS);
});

test('a body with too many lines is refused whole', async () => {
  const tooMany = await post(`${body()}\n${'\n'.repeat(MOST_LINES - LINES + 2)}`);
  expect([tooMany.status, await tooMany.json()]).toEqual([413, expect.objectContaining({ code: 'COMMON413' })]);
  expect(await stored()).toBe(0);
  const most = await post('# a remark\n'.repeat(MOST_LINES));
  expect([most.status, await most.json()]).toEqual([400, expect.objectContaining({ code: 'COMMON400' })]);
  await closeServers([door], GRACE_MS);
});
