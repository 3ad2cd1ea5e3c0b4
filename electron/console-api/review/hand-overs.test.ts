/** Handing an item over: to whom, whose turn it is then, what ends it, and that it keeps nobody from deciding (D236). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HandOverAnswer, Page, ReviewDetail, TimelineEntry } from '../../../shared/wire/console/console.ts';
import type { SplitCounts } from '../../../shared/wire/console/opinion.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let first: string;
let second: string;
let third: string;
const ME = '이름 compliance_reviewer';

beforeEach(() => {
  console = new TestConsole();
  first = console.session('COMPLIANCE_REVIEWER');
  [second, third] = [console.colleague('둘째'), console.colleague('셋째')];
});
afterEach(() => console.close());

const give = (as: string, id: string, to: string | null) =>
  console.ask<HandOverAnswer>({ method: 'PUT', url: `/api/v1/review/items/${id}/hand-over`, as, body: { to } });
const take = (as: string, id: string) =>
  console.ask<HandOverAnswer>({ method: 'DELETE', url: `/api/v1/review/items/${id}/hand-over`, as });
const post = (as: string, way: string, body?: object) =>
  console.ask<ReviewDetail>({ method: 'POST', url: `/api/v1/review/items/${way}`, as, ...(body ? { body } : {}) });
const seen = async (as: string, id: string) =>
  (await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as })).result.handedOver;
/** Whose turn the only waiting item is, by list and by count, which agree. */
async function turns(): Promise<boolean[]> {
  const all = [first, second, third].map(async (as) => {
    const url = '/api/v1/review/items?split=MY_TURN';
    const { total } = (await console.ask<Page<ReviewDetail>>({ method: 'GET', url, as })).result;
    const counts = await console.ask<SplitCounts>({ method: 'GET', url: '/api/v1/review/splits', as });
    expect([counts.result.MY_TURN, counts.result.ALL]).toEqual([total, 1]);
    return total === 1;
  });
  return Promise.all(all);
}

test('goes to a person whom the item shows: their turn alone, on record, without a version, until it is taken', async () => {
  const id = console.explanation();
  await post(second, `${id}/claim`);
  const before = console.traces();
  const told = { by: ME, to: '둘째', at: console.now.toISOString() };
  expect((await give(first, id, '둘째')).result.handedOver).toEqual({ ...told, mine: false });
  expect(console.traces()).toEqual({ ...before, actions: before.actions + 1 });
  expect(console.actions(before.actions)).toMatchObject([{ action: 'review.handed-over', target_id: id }]);
  expect(await seen(second, id)).toEqual({ ...told, mine: true });
  expect(await turns()).toEqual([false, true, false]);
  expect((await take(first, id)).result).toEqual({ handedOver: null });
  expect(await turns()).toEqual([true, true, true]);
  // Nothing to take: no row of the log tells of it.
  expect((await take(first, id)).status).toBe(200);
  const url = `/api/v1/review/items/${id}/timeline`;
  const { items } = (await console.ask<Page<TimelineEntry>>({ method: 'GET', url, as: 'READ_ONLY' })).result;
  const entries = items.filter(({ kind }) => kind === 'HANDED_OVER' || kind === 'TAKEN');
  expect(entries).toMatchObject([{ kind: 'TAKEN' }, { kind: 'HANDED_OVER', actor: ME, to: '둘째' }]);
});

test('goes to any other reviewer: everybody’s turn but the giver’s', async () => {
  const id = console.explanation();
  expect((await give(first, id, null)).result.handedOver).toMatchObject({ to: null, mine: false });
  expect(await turns()).toEqual([false, true, true]);
  expect((await take(second, id)).status).toBe(200);
  expect(await turns()).toEqual([true, true, true]);
});

test('goes to nobody whom the item does not show as a reviewer, and every refusal reads the same', async () => {
  const id = console.explanation('PUBLISHED');
  const back = { method: 'POST', url: `/api/v1/explanations/${id}/move-to-review`, as: 'OPERATOR' } as const;
  expect((await console.ask({ ...back, body: { reason: 'WEAK_GROUNDS' } })).status).toBe(200);
  await post(second, `${id}/claim`);
  const names = ['셋째', ME, '이름 operator', '없는 사람'];
  const refused = await Promise.all(names.map((name) => give(first, id, name)));
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
  expect(new Set(refused.map(({ body }) => body.message)).size).toBe(1);
  // A former name, which the history still shows, and the present one mean the same person.
  await post(third, `${id}/claim`);
  await console.ask({ method: 'PATCH', url: '/api/v1/session/profile', as: third, body: { displayName: '새 이름' } });
  for (const name of ['셋째', '새 이름']) expect((await give(first, id, name)).status).toBe(200);
  expect((await give(first, console.explanation('PUBLISHED'), null)).status).toBe(409);
  expect((await give(first, 'none', null)).status).toBe(404);
});

test('counts no more once its recipient may not decide', async () => {
  const id = console.explanation();
  await post(second, `${id}/claim`);
  await give(first, id, '둘째');
  console.ledger.write((tx) =>
    tx.run({ sql: "UPDATE member SET role = 'OPERATOR' WHERE id = '둘째'", parameters: [] }),
  );
  expect([await seen(first, id), (await turns()).toSpliced(1, 1)]).toEqual([null, [true, true]]);
});

test('keeps nobody from deciding, and ends with a move, a first approval and a request for an opinion', async () => {
  const moved = console.explanation();
  await give(first, moved, null);
  expect((await post(first, `${moved}/reject`, { reason: 'WEAK_GROUNDS' })).result.handedOver).toBeNull();
  const asked = console.explanation();
  await give(first, asked, null);
  await post(second, `${asked}/opinions`, { question: '어떻습니까?' });
  expect(await seen(first, asked)).toBeNull();
  await console.ask({ method: 'PATCH', url: '/api/v1/screening/criteria', as: first, body: { fourEyes: true } });
  const edited = console.explanation();
  await give(first, edited, null);
  const waits = await post(second, `${edited}/approve-edited`, { edited_summary: '고친 글입니다.' });
  expect(waits.result).toMatchObject({ handedOver: null, waitingEdit: {} });
});
