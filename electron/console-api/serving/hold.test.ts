/** Start and end of a text's exposure as a console sees them: the hold before it, and the expiry. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { rememberedOf } from '../../../agent/ledger/explanations/history.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import type {
  ActivePolicy,
  ExplanationDetail,
  ExplanationItem,
  FeedStatus,
  FoundPage,
  Preview,
  ReviewDetail,
  ReviewItem,
  TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let tickers = 0;
beforeAll(() => {
  console = new TestConsole();
  console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k', at: console.now.toISOString() }));
});
afterAll(() => console.close());

const CR = 'COMPLIANCE_REVIEWER';
const criteria = (body: object, as = CR) =>
  console.ask<ActivePolicy>({ method: 'PATCH', url: '/api/v1/screening/criteria', as, body });
const preview = async (body: object): Promise<Preview> =>
  (await console.ask<Preview>({ method: 'POST', url: '/api/v1/screening/preview', as: CR, body })).result;
const read = async (id: string): Promise<ExplanationDetail> =>
  (await console.ask<ExplanationDetail>({ method: 'GET', url: `/api/v1/explanations/${id}`, as: 'READ_ONLY' })).result;
const decide = (id: string, decision: string, body?: object) =>
  console.ask<ReviewDetail>({
    method: 'POST',
    url: `/api/v1/review/items/${id}/${decision}`,
    as: CR,
    ...(body === undefined ? {} : { body }),
  });
const moveToReview = (id: string, as = 'OPERATOR') =>
  console.ask<ExplanationDetail>({ method: 'POST', url: `/api/v1/explanations/${id}/move-to-review`, as });
const exposedText = (ticker: string) => exposedExplanation(console.ledger, ticker, 'MTS', console.now)?.text;
const newTicker = (): string => String((tickers += 1)).padStart(6, '0');
/** An explanation that awaits review and was never exposed. */
function waiting(etf_ticker: string, explanation_as_of = '2026-11-20T06:30:00.000Z'): string {
  const entry = newEntry(`w-${etf_ticker}`, { etf_ticker, explanation_as_of, summary: '반도체 수출이 늘었습니다.' });
  return console.ledger.write((tx) => receive(tx, entry, 'PENDING_REVIEW', console.now.toISOString()));
}

test('an approved text is held as long as the policy says, and every answer says until when', async () => {
  await criteria({ holdSeconds: 30 });
  const ticker = newTicker();
  const id = waiting(ticker);
  const until = new Date(console.now.getTime() + 30_000).toISOString();
  const { result } = await decide(id, 'approve');
  expect(result).toMatchObject({ status: 'PUBLISHED', held: { until, leftMs: 30_000 } });
  expect(await read(id)).toMatchObject({ exposed: false, obstacle: 'HELD', heldUntil: until });
  const held = await console.ask<FoundPage<ExplanationItem>>({
    method: 'GET',
    url: '/api/v1/explanations?held=true',
    as: 'READ_ONLY',
  });
  expect(held.result).toMatchObject({ items: [{ id, heldUntil: until }], total: 1, more: false });
  const feed = await console.ask<FeedStatus>({
    method: 'GET',
    url: '/api/v1/explanations/feed-status',
    as: 'OPERATOR',
  });
  expect(feed.result.held).toBe(1);
  expect(exposedText(ticker)).toBeUndefined();
  console.pass(30_000);
  expect(await read(id)).toMatchObject({ exposed: true, obstacle: null, heldUntil: null });
  expect(exposedText(ticker)).toBe('반도체 수출이 늘었습니다.');
});

test('an undo is a move to review, recorded as one before any channel got the text', async () => {
  await criteria({ holdSeconds: 30 });
  const ticker = newTicker();
  console.explanation('AUTO_PUBLISHED', { etf_ticker: ticker, summary: '먼저 제공된 글' });
  const id = waiting(ticker, '2026-11-20T07:30:00.000Z');
  await decide(id, 'approve-edited', { edited_summary: '고친 글입니다.' });
  console.pass(10_000);
  expect(exposedText(ticker)).toBe('먼저 제공된 글');
  const { result } = await moveToReview(id);
  expect(result).toMatchObject({ status: 'PENDING_REVIEW', published_summary: null, heldUntil: null });
  expect(result.history.at(-1)).toMatchObject({ move: 'move-to-review', duringHold: true });
  const action = console.actions().at(-1);
  expect(action).toMatchObject({ action: 'explanation.move-to-review', actor_role: 'OPERATOR' });
  expect(JSON.parse(action?.detail ?? '')).toMatchObject({ duringHold: true });
  const timeline = await console.ask<{ items: TimelineEntry[] }>({
    method: 'GET',
    url: `/api/v1/review/items/${id}/timeline`,
    as: 'READ_ONLY',
  });
  expect(timeline.result.items.slice(0, 2)).toMatchObject([{ duringHold: true }, { move: 'approve-edited' }]);
  console.pass(3_600_000);
  expect(exposedText(ticker)).toBe('먼저 제공된 글');
});

test('an undo that waited for the ledger is judged by the time it is made, not requested', async () => {
  await criteria({ holdSeconds: 10 });
  const ticker = newTicker();
  console.explanation('AUTO_PUBLISHED', { etf_ticker: ticker, summary: '먼저 제공된 글' });
  const id = waiting(ticker, '2026-11-20T07:30:00.000Z');
  await decide(id, 'approve');
  console.pass(9_000);
  const write = console.ledger.write.bind(console.ledger);
  // Another writer holds the lock until the hold has ended.
  console.ledger.write = (work) => {
    console.pass(2_000);
    return write(work);
  };
  const { result } = await moveToReview(id);
  console.ledger.write = write;
  expect(result.history.at(-1)).toMatchObject({ duringHold: false });
  expect(exposedText(ticker)).toBeUndefined();
});

test('the hold is in the ledger: another process sees it, however this one ends', async () => {
  await criteria({ holdSeconds: 60 });
  const ticker = newTicker();
  await decide(waiting(ticker), 'approve');
  const other = openLedger(console.file);
  const seen = (ms: number) => exposedExplanation(other, ticker, 'MTS', new Date(console.now.getTime() + ms))?.text;
  expect([seen(59_999), seen(60_000)]).toEqual([undefined, '반도체 수출이 늘었습니다.']);
  other.close();
});

test('a text expires at its time, and a preview names the texts that another time would expose or hide', async () => {
  await criteria({ holdSeconds: 0 });
  const ticker = newTicker();
  const day = console.now.toISOString().slice(0, 10);
  const id = console.explanation('AUTO_PUBLISHED', { etf_ticker: ticker, summary: '오늘의 글', trade_date: day });
  const of = (told: Preview) =>
    (['exposedAgain', 'exposedNoMore', 'exposedLonger', 'exposedShorter'] as const).filter((group) =>
      told[group].items.some((item) => item.id === id),
    );
  const past = '00:01';
  expect(of(await preview({ criteria: { expiresAt: past } }))).toEqual(['exposedNoMore']);
  expect(exposedText(ticker)).toBe('오늘의 글');
  const { result: set } = await criteria({ expiresAt: past });
  expect(set.criteria?.expiresAt).toBe(past);
  expect(exposedText(ticker)).toBeUndefined();
  const expiresAt = new Date(`${day}T00:01:00+09:00`).toISOString();
  expect(await read(id)).toMatchObject({ status: 'AUTO_PUBLISHED', exposed: false, obstacle: 'EXPIRED', expiresAt });
  expect(of(await preview({ criteria: { expiresAt: '00:02' } }))).toEqual([]);
  expect(of(await preview({ criteria: { expiresAt: null } }))).toEqual(['exposedAgain']);
  // A version from before the criterion removes it too: the preview of a restore says so.
  expect(of(await preview({ restoreVersion: 1 }))).toEqual(['exposedAgain']);
  await criteria({ expiresAt: '23:50' });
  expect(exposedText(ticker)).toBe('오늘의 글');
  // Nothing changes now, but the text would stay exposed longer.
  expect(of(await preview({ criteria: { expiresAt: null } }))).toEqual(['exposedLonger']);
  expect(of(await preview({ criteria: { expiresAt: '23:40' } }))).toEqual(['exposedShorter']);
  await criteria({ expiresAt: null });
});

test.each([
  { holdSeconds: 61 },
  { holdSeconds: -1 },
  { holdSeconds: 1.5 },
  { holdSeconds: null },
  { expiresAt: '' },
  { expiresAt: '24:00' },
  { expiresAt: '9:30' },
  { expiresAt: '15:30:00' },
])('%j is refused, in a change as in its preview', async (body) => {
  expect((await criteria(body)).body.code).toBe('COMMON400');
  const tried = await console.ask({
    method: 'POST',
    url: '/api/v1/screening/preview',
    as: CR,
    body: { criteria: body },
  });
  expect(tried.body.code).toBe('COMMON400');
});

test.each(['TENANT_ADMIN', 'OPERATOR', 'READ_ONLY'])('%s sets neither', async (as) => {
  expect((await criteria({ holdSeconds: 0, expiresAt: null }, as)).body.code).toBe('COMMON403');
});

test('an undo starts no new wait: the item keeps its place in the queue, and in the statistics', async () => {
  await criteria({ holdSeconds: 30 });
  const ticker = newTicker();
  const id = waiting(ticker);
  const since = console.now.toISOString();
  for (let round = 0; round < 2; round += 1) {
    console.pass(60_000);
    await decide(id, 'approve');
    console.pass(5_000);
    await moveToReview(id, CR);
    const { result } = await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as: CR });
    expect([result.status, result.waitingSince]).toEqual(['PENDING_REVIEW', since]);
  }
  expect(rememberedOf(console.ledger, id, '')?.status_since).toBe(since);
  // An exposed explanation that returns to review waits from that moment.
  await decide(id, 'approve');
  console.pass(31_000);
  await moveToReview(id, CR);
  const again = console.now.toISOString();
  expect((await read(id)).history.at(-1)?.duringHold).toBe(false);
  expect(rememberedOf(console.ledger, id, '')?.status_since).toBe(again);
  const { result } = await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as: CR });
  expect(result.waitingSince).toBe(again);
});

test('a later snapshot of the ticker is reported before the decision, with its effect on the earlier one', async () => {
  await criteria({ holdSeconds: 0 });
  const ticker = newTicker();
  const put = (name: string, hour: number, outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW'): string => {
    const explanation_as_of = `2026-11-20T0${hour}:30:00.000Z`;
    const entry = newEntry(`later-${name}`, { etf_ticker: ticker, explanation_as_of, summary: '수출이 늘었습니다.' });
    return console.ledger.write((tx) => receive(tx, entry, outcome, console.now.toISOString()));
  };
  const later = async (id: string): Promise<ReviewDetail['later']> =>
    (await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as: 'READ_ONLY' })).result
      .later;
  const earlier = put('earlier', 4, 'PENDING_REVIEW');
  expect(await later(earlier)).toBeNull();
  const next = put('next', 5, 'PENDING_REVIEW');
  const [day, asOf] = ['2026-11-20', '2026-11-20T05:30:00.000Z'];
  const told = { id: next, status: 'PENDING_REVIEW', trade_date: day, explanation_as_of: asOf, replaces: false };
  expect([await later(earlier), await later(next)]).toEqual([told, null]);
  await decide(next, 'reject', { reason: '사유' });
  expect(await later(earlier)).toBeNull();
  const exposedNow = put('shown', 6, 'AUTO_PUBLISHED');
  expect(await later(earlier)).toMatchObject({ id: exposedNow, status: 'AUTO_PUBLISHED', replaces: true });
  const list = await console.ask<FoundPage<ReviewItem>>({
    method: 'GET',
    url: `/api/v1/review/items?q=${ticker}`,
    as: 'READ_ONLY',
  });
  expect(list.result.items).toMatchObject([{ id: earlier, later: { id: exposedNow, replaces: true } }]);
  // The effect occurs as announced.
  await decide(earlier, 'approve');
  expect(await read(earlier)).toMatchObject({ status: 'PUBLISHED', exposed: false, obstacle: 'REPLACED' });
  // A stopped explanation keeps no earlier one from being exposed (D60).
  await moveToReview(earlier, CR);
  await console.ask({
    method: 'POST',
    url: `/api/v1/explanations/${exposedNow}/stop`,
    as: CR,
    body: { reason: '사유' },
  });
  expect(await later(earlier)).toBeNull();
  await decide(earlier, 'approve');
  expect(await read(earlier)).toMatchObject({ status: 'PUBLISHED', exposed: true, obstacle: null });
});

test('of a text that lies ahead queue, approval and board say when it goes out (D203)', async () => {
  await criteria({ holdSeconds: 0 });
  const ticker = newTicker();
  const comes = new Date(console.now.getTime() + 3_600_000).toISOString();
  const id = waiting(ticker, comes);
  const queue = await console.ask<FoundPage<ReviewItem>>({
    method: 'GET',
    url: `/api/v1/review/items?q=${ticker}`,
    as: 'READ_ONLY',
  });
  expect(queue.result.items).toMatchObject([{ id, aheadUntil: comes }]);
  const { result } = await decide(id, 'approve');
  expect(result).toMatchObject({
    status: 'PUBLISHED',
    exposed: false,
    obstacle: 'AHEAD',
    aheadUntil: comes,
    held: null,
  });
  expect(await read(id)).toMatchObject({ exposed: false, obstacle: 'AHEAD', heldUntil: comes, aheadUntil: comes });
  expect(exposedText(ticker)).toBeUndefined();
  console.pass(3_600_000);
  expect(await read(id)).toMatchObject({ exposed: true, obstacle: null, heldUntil: null, aheadUntil: null });
});
