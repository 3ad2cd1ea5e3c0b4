/** Notes and the timeline (one list of transitions, notes and claims), through the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page, ReviewDetail, TimelineEntry } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

const CR = 'COMPLIANCE_REVIEWER';
const post = (url: string, body: object = {}, headers: Record<string, string> = {}) =>
  console.ask<ReviewDetail>({ method: 'POST', url: `/api/v1/review/items/${url}`, as: CR, body, headers });
const timeline = async (id: string, query = '', as: string = 'READ_ONLY') =>
  console.ask<Page<TimelineEntry>>({ method: 'GET', url: `/api/v1/review/items/${id}/timeline${query}`, as });

test('one list of transitions, notes and claims, newest first, for every role', async () => {
  const id = console.explanation();
  console.pass(1_000);
  await post(`${id}/claim`);
  console.pass(1_000);
  const note = await post(`${id}/notes`, { text: '두 번째 근거의 날짜를 확인할 것.\n=1+1' });
  expect([note.status, note.result]).toMatchObject([200, { text: '두 번째 근거의 날짜를 확인할 것.\n=1+1' }]);
  console.pass(1_000);
  await post(`${id}/reject`, { reason: '근거 부족' });
  for (const role of ['TENANT_ADMIN', CR, 'OPERATOR', 'READ_ONLY']) {
    const { result } = await timeline(id, '', role);
    expect(result.items.map((entry) => (entry.kind === 'MOVE' ? entry.move : entry.kind))).toEqual([
      'reject',
      'NOTE',
      'CLAIMED',
      'receive',
    ]);
    expect(result.total).toBe(4);
  }
  const [decided, written] = (await timeline(id)).result.items;
  expect(decided).toMatchObject({ kind: 'MOVE', from: 'PENDING_REVIEW', to: 'REJECTED', reason: '근거 부족' });
  expect(written).toMatchObject({ kind: 'NOTE', actor: '이름 compliance_reviewer' });
  // Page by page, without duplicates or gaps.
  const pages = await Promise.all([1, 2, 3].map((page) => timeline(id, `?page=${page}&size=2`)));
  expect(pages.map(({ result }) => result.items.length)).toEqual([2, 2, 0]);
  expect(pages.flatMap(({ result }) => result.items)).toEqual((await timeline(id)).result.items);
});

test('a note keeps the version of its item, so that a decision in progress is still valid', async () => {
  const id = console.explanation();
  expect((await post(`${id}/notes`, { text: '메모' }, { 'if-match': '"1"' })).status).toBe(200);
  expect((await post(`${id}/notes`, { text: '메모' }, { 'if-match': '"2"' })).status).toBe(412);
  expect((await post(`${id}/approve`, {}, { 'if-match': '"1"' })).status).toBe(200);
  // Decided and withdrawn explanations still take notes.
  const withdrawn = console.explanation('INVALIDATED');
  expect((await post(`${withdrawn}/notes`, { text: '공급사에 물었음' })).status).toBe(200);
});

test.for([
  {},
  { text: '' },
  { text: ' \u200b\n' },
  { text: 'x'.repeat(2_001) },
  { text: '\u0000' },
  ...['\u202e', '\u200b', '\u{e0041}', '\ufffd', '\u200d'].map((sign) => ({ text: `가${sign}나` })),
  { text: 1 },
])('a note that is none is refused: %o', async (body) => {
  const id = console.explanation();
  expect((await post(`${id}/notes`, body)).status).toBe(400);
  expect((await timeline(id)).result.total).toBe(1);
});

test('a note holds what people write: several lines, decomposed letters and emoji of several parts', async () => {
  const id = console.explanation();
  for (const text of ['첫째\r\n\t둘째', '반도체'.normalize('NFD'), '확인 👩\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3 葛\u{e0100}'])
    expect((await post(`${id}/notes`, { text })).status).toBe(200);
});

test('no note is changed, removed or replaced', async () => {
  const id = console.explanation();
  await post(`${id}/notes`, { text: '메모' });
  const run = (sql: string) => () => console.ledger.write((tx) => tx.run({ sql, parameters: [] }));
  expect(run('DELETE FROM review_note')).toThrow('never deleted');
  expect(run("UPDATE review_note SET text = 'x'")).toThrow('never changed');
  expect(
    run(
      "INSERT OR REPLACE INTO review_note SELECT id, explanation_id, author_id, author, at, 'x' FROM review_note LIMIT 1",
    ),
  ).toThrow('never replaced');
});
