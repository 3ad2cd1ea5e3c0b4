/** What a check in the middle of a run may read: an effect is seen before its answer is written down. */
import { expect, test } from 'vitest';
import { PROMISES } from './promises.ts';
import { now, Recorder } from './recorder.ts';

const about = { tenant: 0, item: 'a' };
const TEXT = 'text of a';

test('a text that a decision under way has exposed is judged when that decision is written down', async () => {
  const recorder = new Recorder();
  recorder.texts.set(TEXT, { item: 'a', ticker: '069500', place: 1, isScreened: true });
  recorder.add({ kind: 'ITEM', ...about, version: 1, status: 'PENDING_REVIEW', begin: now(), end: now() });
  const answer = Promise.withResolvers<void>();
  const deciding = recorder.underWay(async () => {
    const begin = now();
    await answer.promise;
    const made = { move: 'approve' as const, token: 't', person: 'reviewer', seen: 1, version: 2, text: TEXT };
    recorder.add({ kind: 'DECISION', ...about, ...made, outcome: 'DONE', begin, end: now() });
  });
  const read = { kind: 'PROVISION' as const, tenant: 0, channel: 'MTS', ticker: '069500', text: TEXT };
  recorder.add({ ...read, begin: now(), end: now() });
  expect(PROMISES.nothingAfterItsEnd(recorder.history())).toHaveLength(1);
  expect(PROMISES.nothingAfterItsEnd(recorder.soFar())).toEqual([]);
  answer.resolve();
  await deciding;
  expect(PROMISES.nothingAfterItsEnd(recorder.soFar())).toEqual([]);
  expect(recorder.soFar().operations).toHaveLength(3);
});
