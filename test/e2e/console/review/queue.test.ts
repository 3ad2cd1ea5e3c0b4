/** The queue before and after a decision: a later snapshot of the ticker, and the place after an undo. */
import type { Page, Route } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { ApiError, failure } from '../../../../shared/wire/envelope.ts';
import { violationsIn } from '../../axe.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';
import { runs } from '../../../support/runs.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
});
afterAll(() => browser.close());

const heading = (page: Page) => page.locator('article h2');
const tickers = async (page: Page): Promise<string[]> =>
  (await page.locator('[data-item]').allInnerTexts()).map((words) => words.slice(0, 6));

test('a later snapshot that is already exposed is announced before the decision, with a link to it', async () => {
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) =>
    receive(
      tx,
      newEntry(
        'later',
        { etf_ticker: '100001', etf_name: '심사 ETF 1', explanation_as_of: '2026-11-20T15:45:00+09:00' },
        { cursor: 900 },
      ),
      'AUTO_PUBLISHED',
      '2026-11-20T09:00:00.000Z',
    ),
  );
  ledger.close();
  const page = await browser.window({ at: '/review?split=ALL' });
  await heading(page).waitFor();
  const note = page.locator('article [data-later=true]');
  await note.getByText('승인해도 제공되지 않습니다').waitFor();
  await page.locator('[data-item]').first().getByText('승인해도 미제공').waitFor();
  // It is nobody's turn to decide: such items are rejected together.
  await page.getByRole('button', { name: /^내 차례/ }).click();
  await page.locator('[data-item]', { hasText: '100001' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '대체됨 1' }).click();
  await page.locator('[data-item]', { hasText: '100001' }).waitFor();
  expect(await page.locator('[data-item]').count()).toBe(1);
  expect(await violationsIn(note)).toEqual([]);
  await browser.screenshot(page, 'queue-later');
  await note.getByRole('link').click();
  await page.waitForURL('**/explanations/**');
  await heading(page).getByText('100001').waitFor();
  await page.locator('article').getByText('15:45').first().waitFor();
  await page.context().close();
});

test('the administrator sets the target for the waiting time; the queue shows each item’s state in words', async () => {
  const admin = await browser.window({ username: 'admin', at: '/settings/review-time' });
  await admin.getByText('현재 목표: 없음').waitFor();
  const field = admin.getByRole('textbox', { name: /목표 시간/ });
  await field.fill('없음');
  await admin.getByRole('button', { name: '저장' }).click();
  await admin.getByText('시간을 입력하십시오').waitFor();
  await field.fill('1.5');
  await admin.getByRole('button', { name: '저장' }).click();
  await admin.getByText('현재 목표: 업무시간 1시간 30분').waitFor();
  await browser.screenshot(admin, 'review-time');
  await admin.context().close();
  // The waiting items arrived at 16:00 on a Friday: at least two working hours of that day have passed.
  const page = await browser.window();
  await page
    .locator('[data-item]')
    .nth(1)
    .getByText(/업무 \d+시간.* · 목표 초과/)
    .waitFor();
  // It ends the second line of the row.
  const row = page.locator('[data-item]').nth(1);
  const [end, name] = [await row.getByText(/목표 초과/).boundingBox(), await row.boundingBox()];
  expect((name?.x ?? 0) + (name?.width ?? 0) - (end?.x ?? 0) - (end?.width ?? 0)).toBeLessThan(20);
  expect(await violationsIn(row)).toEqual([]);
  await browser.screenshot(page, 'queue-target');
  // Beside the row's own words, the sign is enough: they and the excerpt have the room.
  const item = String(await row.getAttribute('data-item'));
  const reviewer = await browser.person('reviewer');
  await reviewer.ask('POST', `/api/v1/review/items/${item}/opinions`, {
    question: '이 표현으로 제공해도 되겠습니까?',
  });
  await moveTo(page, '/review?split=ALL');
  const asked = page.locator(`[data-item="${item}"]`);
  await asked.getByText('의견 대기').waitFor();
  expect((await asked.getByText(/목표 초과/).boundingBox())?.width).toBeLessThan(2);
  await moveTo(page, '/settings/review-time');
  await page.getByText('시스템 관리자만 변경할 수 있습니다.').waitFor();
  await page.context().close();
  await (await browser.person('admin')).ask('PUT', '/api/v1/review/target', { minutes: null });
});

test('after an undo the item is open, at its place in the queue and with its waiting time', async () => {
  await (await browser.person('reviewer')).ask('PATCH', '/api/v1/screening/criteria', { holdSeconds: 60 });
  const page = await browser.window({ at: '/review?split=ALL' });
  await heading(page).waitFor();
  const before = await tickers(page);
  await page.locator('[data-item]').nth(1).click();
  await heading(page).getByText('100002').waitFor();
  const row = page.locator('[data-item]', { hasText: '100002' });
  const heldId = await row.getAttribute('data-item');
  // A full number of days has no hours, and an hour may pass meanwhile.
  const waited = /\d+일/.exec(await row.innerText())?.[0];
  expect(waited).toBeDefined();
  await heading(page).click();
  await page.keyboard.press('a');
  await page.locator('article form').getByRole('button', { name: '승인', exact: true }).click();
  // The one that waits longest comes next.
  await heading(page).getByText('100001').waitFor();
  await row.waitFor({ state: 'detached' });
  // Until the hold ends no channel has it: its head does not say "approved" alone.
  const held = await browser.window({ at: `/review/${heldId}` });
  await held.locator('article header').getByText('보류 중').waitFor();
  // A narrow list has no column for that: the row says it in place of its status, and so does the dialog for many at once.
  await held.setViewportSize({ width: 560, height: 740 });
  await moveTo(held, '/explanations?q=100002');
  const listed = held.locator('tbody tr', { hasText: '100002' });
  await listed.getByText('보류 중').filter({ visible: true }).waitFor();
  expect(await listed.getByText('승인', { exact: true }).isVisible()).toBe(false);
  await listed.getByRole('checkbox').check();
  await held.getByRole('button', { name: /^일괄 처리/ }).click();
  await held.getByRole('dialog').getByText('보류 중').waitFor();
  await held.context().close();
  await page.locator('[data-hold]').getByRole('button').click();
  await heading(page).getByText('100002').waitFor();
  await row.waitFor();
  expect(await tickers(page)).toEqual(before);
  expect(await row.getAttribute('aria-current')).toBe('true');
  expect(/\d+일/.exec(await row.innerText())?.[0]).toBe(waited);
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});

test('an approval whose text no channel gets says so', async () => {
  const page = await browser.window({ at: '/review?split=ALL' });
  await page
    .getByRole('link', { name: /100001/ })
    .first()
    .click();
  const approve = async (): Promise<void> => {
    await page.locator('article [data-later=true]').waitFor();
    await page.getByRole('button', { name: '승인', exact: true }).click();
    await page.locator('article form').getByRole('button', { name: '승인', exact: true }).click();
  };
  await approve();
  await page.getByText(/보류하며.* 더 최신 설명이 있어 제공되지 않습니다\./).waitFor();
  await page
    .locator('[data-hold]')
    .getByText(/초 후 보류 종료\(제공되지 않음\)/)
    .waitFor();
  // As it was before its approval it could be decided in vain only: until its answer comes it is not shown.
  let letAnswer = (): void => undefined;
  const held = new Promise<void>((resolve) => (letAnswer = resolve));
  await page.route(/review\/items\/[^/?]+$/, (route) => held.then(() => route.continue()));
  await page.locator('[data-hold]').getByRole('button').click();
  await page.getByText(/승인을 취소했습니다/).waitFor();
  expect(await heading(page).count()).toBe(0);
  letAnswer();
  await heading(page).getByText('100001').waitFor();
  await (await browser.person('reviewer')).ask('PATCH', '/api/v1/screening/criteria', { holdSeconds: 0 });
  await approve();
  await page.getByText('승인했습니다. 더 최신 설명이 있어 제공되지 않습니다.').waitFor();
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});

test('an item’s place within its ticker counts as provisional while pages are still loading', async () => {
  browser.addWaiting(60);
  const ledger = openLedger(browser.ledger);
  const entry = (id: string, cursor: number) => newEntry(id, { etf_ticker: '300001' }, { cursor });
  ledger.write((tx) => receive(tx, entry('beside', 20_000), 'PENDING_REVIEW', '2026-11-20T06:00:00.000Z'));
  // The queue shows the longest wait first: this one is on the second page.
  ledger.write((tx) => receive(tx, entry('last', 20_001), 'PENDING_REVIEW', '2026-11-20T08:00:00.000Z'));
  ledger.close();
  const page = await browser.window();
  const rows = page.locator('[data-item]', { hasText: '300001' });
  await rows.first().getByText('표시된 건 중 같은 종목 1/2').waitFor();
  expect(await rows.count()).toBe(2);
  await browser.screenshot(page, 'queue-places-so-far');
  await page.getByRole('button', { name: /^더 보기/ }).click();
  await rows.last().getByText('같은 종목 3/3', { exact: true }).waitFor();
  expect(await page.getByText('표시된 건 중 같은 종목').count()).toBe(0);
  await page.context().close();
});

test('a walk continues past the end of the loaded page', async () => {
  const viewer = await browser.person('viewer');
  const { items } = await viewer.ask<{ items: { id: string }[] }>('GET', '/api/v1/review/items?size=50');
  const page = await browser.window({ at: `/review/${items[43]?.id}` });
  await heading(page).waitFor();
  await page.locator('[data-keys=awake]').waitFor();
  const met = new Set(items.slice(0, 44).map(({ id }) => `${browser.url}/review/${id}`));
  // The first page has fifty.
  while (met.size <= 55) {
    const former = page.url();
    await page.keyboard.press('KeyJ');
    await page.waitForURL((url) => url.href !== former);
    met.add(page.url());
    // The next page has been requested automatically.
    if (met.size === 47) await page.getByRole('button', { name: /^더 보기/ }).waitFor({ state: 'detached' });
  }
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});

const OPENED = [
  ['the palette', (page: Page) => page.getByRole('dialog').locator('input'), 'Control+KeyK'],
  [
    'the search',
    (page: Page) => page.getByRole('searchbox').or(page.getByPlaceholder('종목·문구·근거 제목 검색')).first(),
    null,
  ],
] as const;

test.each(OPENED.slice(0, runs(1, OPENED.length)))(
  'the answer to a decision takes the focus from nothing that was opened meanwhile: %s',
  async (_, field, key) => {
    const page = await browser.window();
    await heading(page).waitFor();
    const held: Route[] = [];
    await page.route('**/reject', (route) => void held.push(route));
    const decided = await page.locator('[data-item][aria-current]').getAttribute('data-item');
    await decide(page, 'r');
    await page.keyboard.press('1');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => held.length).toBe(1);
    await (key === null ? field(page).click() : page.keyboard.press(key));
    await expect.poll(() => field(page).evaluate((one) => one === document.activeElement)).toBe(true);
    await held[0]?.continue();
    await page.locator(`[data-item="${decided}"]`).waitFor({ state: 'detached' });
    await heading(page).waitFor();
    await page.keyboard.type('ab');
    expect(await field(page).inputValue()).toBe('ab');
    await page.context().close();
  },
);

test('the next item is open while a decision is under way; a refused one comes back with its form', async () => {
  const page = await browser.window();
  await heading(page).waitFor();
  const held: Route[] = [];
  await page.route('**/reject', (route) => void held.push(route));
  const [first, second] = (await tickers(page)).map((ticker) => new RegExp(ticker));
  // The palette does what the key does.
  await page.locator('[data-keys=awake]').waitFor();
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('dialog').locator('input').pressSequentially('반려 양식X');
  // A key, which the browser's driver does not press for Hangul.
  await page.keyboard.press('Backspace');
  await page.getByRole('option', { name: /^반려/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('article form').getByRole('radio').first().waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('Control+Enter');
  await heading(page)
    .getByText(second ?? '')
    .waitFor();
  await page
    .locator('[data-item]', { hasText: first ?? '' })
    .getByText('결정 전송 중')
    .waitFor();
  // Nothing says that it is done, and neither the key of the undo nor another decision goes out beside it.
  await page.keyboard.press('u');
  await page.getByText('결정을 전송하는 중입니다').waitFor();
  await held[0]?.fulfill({ status: 403, json: failure(new ApiError('COMMON403')) });
  await heading(page)
    .getByText(first ?? '')
    .waitFor();
  await page.locator('article form').getByRole('alert').waitFor();
  expect(await page.locator('article form').getByRole('radio').first().isChecked()).toBe(true);
  // The next key of the send is for this form; and with a form open beside the next item, that one stays.
  await page.keyboard.press('Control+Enter');
  await heading(page)
    .getByText(second ?? '')
    .waitFor();
  await page.keyboard.press('r');
  await page.locator('article form').waitFor();
  await held[1]?.fulfill({ status: 403, json: failure(new ApiError('COMMON403')) });
  await page.getByText('결정이 처리되지 않았거나').waitFor();
  await heading(page)
    .getByText(second ?? '')
    .waitFor();
  await page.context().close();
});
