/** A body of many lines on the embedded store, which works without ever leaving the microtasks. */
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { closeServers } from '../service/server.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../testing/clock.ts';
import { live } from '../testing/loads.ts';
import { AT, embeddedKind } from '../testing/store.ts';
import type { LineAnswer } from '../publication/load.ts';
import { createEngineDoor, LOADS_PATH } from './server.ts';

const LINES = 60;
let store: Store;
let door: ReturnType<typeof createEngineDoor>;
/** How many lines have been begun. */
let begun: number;

beforeEach(async () => {
  begun = 0;
  ({ store } = await (await embeddedKind()).open());
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
afterEach(() => store.close());

const body = (): string =>
  Array.from({ length: LINES }, (_, index) => JSON.stringify(live({ key: `k${index}`, documents: 0 }))).join('\n');

async function send(signal?: AbortSignal): Promise<LineAnswer[]> {
  const { port } = door.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${LOADS_PATH}`, {
    method: 'POST',
    headers: { authorization: 'Bearer token' },
    body: body(),
    ...(signal === undefined ? {} : { signal }),
  });
  return ((await response.json()) as { result: { lines: LineAnswer[] } }).result.lines;
}
/** The event loop has come round while the body is under way. */
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
  await closeServers([door]);
});

test('a stop in the middle: the line that runs is finished, the others are to be sent again, in the sender’s hands', async () => {
  const sending = send();
  await underWay();
  await closeServers([door]);
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

test('a sender who has gone when the cloud stops: nothing runs on once it is closed', async () => {
  const gone = new AbortController();
  const sending = send(gone.signal).catch((error: unknown) => error);
  await underWay();
  gone.abort();
  await sending;
  await closeServers([door]);
  const taken = begun;
  expect([taken < LINES, await stored()]).toEqual([true, taken]);
  for (let round = 0; round < 10; round += 1) await setImmediate();
  expect(begun).toBe(taken);
});
