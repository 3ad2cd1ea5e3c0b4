/** Second opinions: who may request, give and withdraw them; their records; and that they decide nothing. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SplitCounts } from '../../../shared/wire/console/opinion.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import type { OpinionAnswer, Page, ReviewDetail, TimelineEntry } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let first: string;
let second: string;
beforeEach(() => {
  console = new TestConsole();
  first = console.session('COMPLIANCE_REVIEWER');
  second = console.colleague('second', '둘째 심사자');
});
afterEach(() => console.close());

const QUESTION = '목표가 표현으로 볼지 봐 주세요.';
const GIVEN = { opinion: 'REJECT', text: '목표가로 읽힙니다.' };
const send = (as: string, way: string, body?: object, headers: Record<string, string> = {}) =>
  console.ask<OpinionAnswer & ReviewDetail>({
    method: body === undefined ? 'DELETE' : 'POST',
    url: `/api/v1/review/${way}`,
    as,
    ...(body === undefined ? {} : { body }),
    headers,
  });
const ask = (as: string, id: string, question = QUESTION) => send(as, `items/${id}/opinions`, { question });
const detail = async (as: string, id: string) =>
  (await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as })).result;
const asked = async (id: string): Promise<string> => (await ask(first, id)).result.opinion?.id ?? '';
const timeline = async (id: string) => {
  const url = `/api/v1/review/items/${id}/timeline`;
  return (await console.ask<Page<TimelineEntry>>({ method: 'GET', url, as: 'READ_ONLY' })).result.items;
};
const listed = async (split: string, query = '') => {
  const url = `/api/v1/review/items?split=${split}${query}`;
  const { result } = await console.ask<Page<ReviewDetail>>({ method: 'GET', url, as: 'OPERATOR' });
  const counts = await console.ask<SplitCounts>({ method: 'GET', url: '/api/v1/review/splits', as: 'READ_ONLY' });
  return { ids: result.items.map(({ id }) => id), total: result.total, counts: counts.result };
};

const turnOf = async (as: string): Promise<[ids: string[], count: number]> => {
  const { result } = await console.ask<Page<ReviewDetail>>({
    method: 'GET',
    url: '/api/v1/review/items?split=MY_TURN',
    as,
  });
  const counts = await console.ask<SplitCounts>({ method: 'GET', url: '/api/v1/review/splits', as });
  return [result.items.map(({ id }) => id).toSorted(), counts.result.MY_TURN];
};

test('is requested of the others, marks the item, and changes neither item nor exposure', async () => {
  const [id, other] = [console.explanation(), console.explanation()];
  const before = console.traces();
  const answer = await send(first, `items/${id}/opinions`, { question: QUESTION }, { 'if-match': '"1"' });
  expect(answer.result.opinion).toMatchObject({ question: QUESTION, mine: true, given: null });
  expect(console.traces()).toEqual({ ...before, actions: before.actions + 1 });
  expect(console.actions(before.actions)).toMatchObject([{ action: 'review.opinion-asked', target_id: id }]);
  const seen = await detail(second, id);
  expect([seen.version, seen.status, seen.opinion?.mine]).toEqual([1, 'PENDING_REVIEW', false]);
  expect((await detail(second, other)).opinion).toBeNull();
  expect(await listed('OPINION')).toMatchObject({ ids: [id], total: 1, counts: { OPINION: 1, SECOND_PERSON: 0 } });
  expect((await listed('OPINION', '&q=nowhere')).total).toBe(0);
  expect((await listed('SECOND_PERSON')).total).toBe(0);
});

test('is given once, by another reviewer, and stays on the item until the next transition', async () => {
  const id = console.explanation();
  const way = `opinions/${await asked(id)}/answer`;
  expect((await send(first, way, GIVEN)).body.message).toContain('another reviewer must give it');
  const before = console.traces();
  const given = await send(second, way, GIVEN);
  expect(given.result.opinion).toMatchObject({ mine: false, given: { ...GIVEN, displayName: '둘째 심사자' } });
  expect(console.traces()).toEqual({ ...before, actions: before.actions + 1 });
  expect(console.actions(before.actions)).toMatchObject([{ action: 'review.opinion-given', actor: '둘째 심사자' }]);
  expect((await send(second, way, GIVEN)).status).toBe(409);
  expect((await listed('OPINION')).total).toBe(0);
  expect(await detail(first, id)).toMatchObject({ status: 'PENDING_REVIEW', version: 1, opinion: { given: GIVEN } });
  // An opinion is advice; the reviewer decides.
  expect((await send(first, `items/${id}/approve`, {})).result).toMatchObject({ status: 'PUBLISHED', opinion: null });
  const told = (await timeline(id)).map(({ kind }) => kind);
  expect(told).toEqual(expect.arrayContaining(['OPINION_ASKED', 'OPINION_GIVEN']));
  expect(await timeline(id)).toContainEqual(expect.objectContaining({ kind: 'OPINION_GIVEN', ...GIVEN }));
});

test('is withdrawn by its requester, and can be requested again', async () => {
  const id = console.explanation();
  const opinion = await asked(id);
  expect((await ask(second, id)).status).toBe(409);
  expect((await send(second, `opinions/${opinion}`)).status).toBe(409);
  const before = console.traces();
  expect((await send(first, `opinions/${opinion}`)).result).toEqual({ opinion: null });
  expect(console.actions(before.actions)).toMatchObject([{ action: 'review.opinion-withdrawn' }]);
  expect((await send(first, `opinions/${opinion}`)).status).toBe(409);
  expect((await send(second, `opinions/${opinion}/answer`, GIVEN)).body.message).toContain('withdrawn');
  expect((await ask(second, id)).result.opinion).toMatchObject({ mine: true });
  expect((await timeline(id)).map(({ kind }) => kind).filter((kind) => kind.startsWith('OPINION'))).toEqual([
    'OPINION_ASKED',
    'OPINION_WITHDRAWN',
    'OPINION_ASKED',
  ]);
});

test('needs a waiting item in the version that was seen', async () => {
  const id = console.explanation('PUBLISHED');
  expect((await ask(first, id)).status).toBe(409);
  expect((await ask(first, 'nothing')).status).toBe(404);
  const waiting = console.explanation();
  const stale = await send(first, `items/${waiting}/opinions`, { question: QUESTION }, { 'if-match': '"7"' });
  expect(stale.status).toBe(412);
  for (const body of [{}, { question: ' \n' }, { question: 'x'.repeat(2_001) }])
    expect((await send(first, `items/${waiting}/opinions`, body)).status).toBe(400);
  for (const unknown of ['0', '1e3', '999', 'nothing'])
    expect((await send(second, `opinions/${unknown}/answer`, GIVEN)).status).toBe(404);
  const way = `opinions/${await asked(waiting)}/answer`;
  for (const body of [{ opinion: 'REJECT' }, { opinion: 'MAYBE', text: 'x' }, { ...GIVEN, text: '' }])
    expect((await send(second, way, body)).status).toBe(400);
});

describe('while it is open', () => {
  test.for([
    ['approve', {}],
    ['approve-edited', { edited_summary: '고친 글입니다.' }],
  ] as const)('the asker must say that they %s without it', async ([decision, body]) => {
    const id = console.explanation();
    const opinion = await asked(id);
    const before = console.traces();
    const refused = await send(first, `items/${id}/${decision}`, body);
    expect([refused.status, 'errors' in refused.body && refused.body.errors]).toEqual([
      409,
      [{ path: 'body.withoutOpinion', message: opinion }],
    ]);
    expect(console.traces()).toEqual(before);
    const done = await send(first, `items/${id}/${decision}`, { ...body, withoutOpinion: true });
    expect(done.result).toMatchObject({ status: 'PUBLISHED', opinion: null });
    const [told] = console.actions(before.actions);
    expect([told?.action, told?.detail]).toEqual([
      `explanation.${decision}`,
      expect.stringContaining(`"withoutOpinion":${opinion}`),
    ]);
    expect((await timeline(id))[0]).toMatchObject({ kind: 'OPINION_PASSED_OVER', actor: '이름 compliance_reviewer' });
    expect((await send(second, `opinions/${opinion}/answer`, GIVEN)).body.message).toContain('has been decided');
  });

  test('a stop of the text is never blocked', async () => {
    for (const decision of ['reject', 'block']) {
      const id = console.explanation();
      await ask(first, id);
      expect((await send(first, `items/${id}/${decision}`, { reason: '사유' })).status).toBe(200);
    }
  });

  test('another reviewer decides without confirmation: they have read it themselves', async () => {
    const id = console.explanation();
    await ask(first, id);
    const before = console.traces();
    expect((await send(second, `items/${id}/approve`, {})).result.status).toBe('PUBLISHED');
    expect(console.actions(before.actions)[0]?.detail).not.toContain('withoutOpinion');
    expect((await timeline(id))[0]).toMatchObject({ kind: 'OPINION_OVERTAKEN', actor: '둘째 심사자' });
  });

  test('a withdrawal by the vendor ends the request', async () => {
    const id = console.explanation();
    await ask(first, id);
    const at = console.now.toISOString();
    console.ledger.write((tx) => applyMove(tx, { id, move: 'invalidate', actor: { kind: 'SYSTEM' }, at }));
    expect((await listed('OPINION')).counts.OPINION).toBe(0);
    expect((await timeline(id))[0]).toMatchObject({ kind: 'OPINION_OVERTAKEN', actor: 'SYSTEM' });
  });

  test('the first of four eyes lets the text wait: not a decision yet', async () => {
    const on = { method: 'PATCH', url: '/api/v1/screening/criteria', body: { fourEyes: true } } as const;
    expect((await console.ask({ ...on, as: first })).status).toBe(200);
    const id = console.explanation();
    await ask(first, id);
    const body = { edited_summary: '고친 글입니다.' };
    const waits = await send(first, `items/${id}/approve-edited`, body);
    expect(waits.result).toMatchObject({ status: 'PENDING_REVIEW', opinion: { mine: true }, waitingEdit: {} });
    expect(await listed('SECOND_PERSON')).toMatchObject({
      ids: [id],
      total: 1,
      counts: { OPINION: 1, SECOND_PERSON: 1 },
    });
    expect((await send(second, `items/${id}/approve-edited`, body)).result.status).toBe('PUBLISHED');
    expect((await listed('SECOND_PERSON')).counts).toMatchObject({ OPINION: 0, SECOND_PERSON: 0 });
  });

  test('what waits for somebody else is not my turn, and is the other reviewer’s', async () => {
    const on = { method: 'PATCH', url: '/api/v1/screening/criteria', body: { fourEyes: true } } as const;
    await console.ask({ ...on, as: first });
    const [free, opinion, edit] = [console.explanation(), console.explanation(), console.explanation()];
    await ask(first, opinion);
    await send(first, `items/${edit}/approve-edited`, { edited_summary: '고친 글입니다.' });
    expect(await turnOf(first)).toEqual([[free], 1]);
    expect(await turnOf(second)).toEqual([[free, opinion, edit].toSorted(), 3]);
  });
});

test('a first approval that does not count waits for no opinion', async () => {
  const criteria = { method: 'PATCH', url: '/api/v1/screening/criteria', as: first } as const;
  await console.ask({ ...criteria, body: { fourEyes: true } });
  const id = console.explanation();
  await send(first, `items/${id}/approve-edited`, { edited_summary: '고친 글입니다.' });
  expect((await detail(second, id)).waitingEdit).not.toBeNull();
  console.setMember('COMPLIANCE_REVIEWER', { role: 'OPERATOR' });
  expect((await listed('SECOND_PERSON')).total).toBe(0);
  expect((await detail(second, id)).waitingEdit).toBeNull();
});

test('the record of an opinion is never changed', async () => {
  await ask(first, console.explanation());
  const run = (sql: string) => () => console.ledger.write((tx) => tx.run({ sql, parameters: [] }));
  expect(run('DELETE FROM second_opinion')).toThrow('never deleted');
  expect(run("UPDATE second_opinion SET question = 'x'")).toThrow('ends once');
  expect(run('INSERT OR REPLACE INTO second_opinion SELECT * FROM second_opinion LIMIT 1')).toThrow('never replaced');
});
