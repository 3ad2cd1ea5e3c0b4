/** A false hit is dismissed with a reason, once, and counted beside its word. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import type { ReviewDetail, WordCounts } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

const CR = 'COMPLIANCE_REVIEWER';
/** An item in which a screening has found the word. */
function found(wordId: string): string {
  const id = console.explanation();
  const row = { word_id: wordId, received_at: console.now.toISOString(), explanation_id: id };
  console.ledger.write((tx) => tx.run(sqlite.insertInto('word_hit').values(row)));
  return id;
}
const dismiss = (id: string, body: object, headers: Record<string, string> = {}) =>
  console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/dismissals`, as: CR, body, headers });
const counts = async (query = '') => {
  const url = `/api/v1/screening/words/counts${query}`;
  const { result } = await console.ask<WordCounts>({ method: 'GET', url, as: 'READ_ONLY' });
  return result.words.map(({ wordId, explanations, dismissed }) => [wordId, explanations, dismissed]);
};

test('is shown on the item, counted beside its word, and does not change the item', async () => {
  const [id] = [found('word-best'), found('word-best'), found('word-certain')];
  const before = console.traces();
  const body = { wordId: 'word-best', reason: '‘최고기온’의 일부' };
  expect((await dismiss(id, body, { 'if-match': '"1"' })).status).toBe(200);
  expect(console.traces()).toEqual({ ...before, actions: before.actions + 1 });
  const url = `/api/v1/review/items/${id}`;
  const { result } = await console.ask<ReviewDetail>({ method: 'GET', url, as: 'READ_ONLY' });
  expect(result.dismissed).toMatchObject([{ ...body, displayName: '이름 compliance_reviewer' }]);
  expect(await counts()).toEqual([
    ['word-best', 2, 1],
    ['word-certain', 1, 0],
  ]);
  expect(await counts('?receivedFrom=2026-11-21')).toEqual([]);
});

test('keeps in the log the word and each place in its sentence, even if word and text change later', async () => {
  const text = '지수가 사상 최고를 기록했고, 거래량도 최고였다.';
  const { screen, policyVersion } = console.context.screener.of(console.ledger);
  const input = {
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    observed_return: null,
    outOfScope: [],
  } as const;
  const made = { ...screen({ ...input, summary: text, sourceEventIds: ['a', 'b'] }), policyVersion };
  const entry = newEntry('dismissed', { summary: text }, { cursor: 900 });
  const id = console.ledger.write((tx) =>
    receive(tx, entry, { ...made, matcherVersion: MATCHER_VERSION }, console.now.toISOString()),
  );
  expect((await dismiss(id, { wordId: 'word-best', reason: '사실 서술' })).status).toBe(200);
  expect(JSON.parse(console.actions().at(-1)?.detail ?? '')).toEqual({
    wordId: 'word-best',
    word: '최고',
    found: [
      '지수가 사상 [최고]를 기록했고, 거래량도 최고였다. (7-9)',
      '가 사상 최고를 기록했고, 거래량도 [최고]였다. (22-24)',
    ],
    reason: '사실 서술',
  });
});

test('is dismissed once, and only where it was found', async () => {
  const id = found('word-best');
  const body = { wordId: 'word-best', reason: '오탐' };
  expect((await dismiss(id, body)).status).toBe(200);
  expect((await dismiss(id, body)).status).toBe(409);
  expect((await dismiss(id, { ...body, wordId: 'word-certain' })).status).toBe(409);
  expect((await dismiss(id, body, { 'if-match': '"7"' })).status).toBe(412);
  expect((await dismiss('nothing', body)).status).toBe(404);
  expect((await dismiss(id, { wordId: 'word-best' })).body.code).toBe('REVIEW4001');
});
