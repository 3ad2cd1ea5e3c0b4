/** The screen of what was shown: band, pointer and table by keys, from an explanation, from the palette and by link. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { kstDate } from '../../../shared/time/kst.ts';
import { waitFor } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';
import { violations } from '../axe.ts';
import { ConsoleBrowser, moveTo } from '../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
let item: { id: string; etf_ticker: string };
const link = (search: Record<string, string>): string => `/shown?${new URLSearchParams(search).toString()}`;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  const api = await browser.person('reviewer');
  const { items } = await api.ask<{ items: (typeof item)[] }>('GET', '/api/v1/review/items');
  const [first] = items;
  if (first === undefined) throw new Error('no item waits');
  item = first;
  await api.ask('POST', `/api/v1/review/items/${item.id}/approve-edited`, {
    edited_summary: '심사자가 고친 문장입니다.',
  });
  await api.ask('POST', `/api/v1/explanations/${item.id}/stop`, { reason: '수치 불일치' });
  page = await browser.window({ at: link({ ticker: item.etf_ticker, date: kstDate(new Date()) }) });
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

test('a day by link: the last state, and each change before it by key with its text and cause', async () => {
  await page.getByText('설명이 제공 상태가 아닙니다').first().waitFor();
  const rows = page.getByRole('table', { name: '변경 내역' }).locator('tbody tr');
  expect(await rows.last().innerText()).toContain('수치 불일치');
  const earlier = page.getByRole('button', { name: '이전 변경' });
  await earlier.focus();
  await page.keyboard.press('Enter');
  // At the pointer, and in the list of changes.
  await page.getByText('심사자가 고친 문장입니다.').first().waitFor();
  expect(await rows.getByText('심사자가 고친 문장입니다.').count()).toBe(1);
  await page
    .getByText(/생성형 AI/)
    .first()
    .waitFor();
  expect(await violations(page)).toEqual([]);
  const slider = page.getByRole('slider', { name: '조회 시점' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('부터 있으므로 이 시각에').waitFor();
  expect(await slider.getAttribute('aria-valuetext')).toContain('기록 없음');
  // The moment stands in the address: the same link shows the same.
  await page.reload();
  await page.getByText('부터 있으므로 이 시각에').waitFor();
});

test('while a name or a ticker is typed, its instruments are suggested', async () => {
  await page
    .getByRole('textbox', { name: '종목코드' })
    .or(page.getByRole('combobox', { name: '종목코드' }))
    .fill('ETF 2');
  await page.locator('datalist option[value="100002"]').waitFor({ state: 'attached' });
  expect(await page.locator('datalist option').count()).toBeLessThanOrEqual(10);
});

test('an explanation leads to its day, and the palette to the screen', async () => {
  await moveTo(page, `/explanations/${item.id}`);
  await page.getByRole('link', { name: '제공 이력 보기' }).click();
  await page.getByRole('table', { name: '변경 내역' }).waitFor();
  expect(new URL(page.url()).searchParams.get('ticker')).toBe(item.etf_ticker);
  await moveTo(page, `/review/${item.id}`);
  await page.getByRole('link', { name: '제공 이력 보기' }).click();
  await page.getByRole('table', { name: '변경 내역' }).waitFor();
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('dialog').locator('input').fill(item.etf_ticker);
  await page.getByRole('option', { name: `제공 이력: ${item.etf_ticker}` }).click();
  await page.getByRole('table', { name: '변경 내역' }).waitFor();
  await moveTo(page, '/review');
  await page.locator('[data-item]').first().waitFor();
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('dialog').locator('input').fill('제공 이력');
  await page.getByRole('option', { name: '제공 이력' }).first().click();
  await page.getByLabel('종목코드').fill('NONE');
  // A form that has only just opened rests: Enter sends it once it is awake.
  await waitFor('the answer', async () => {
    await page.keyboard.press('Enter');
    return page.getByRole('alert').isVisible();
  });
  expect(await page.getByRole('alert').innerText()).toContain('종목코드 NONE의 설명을 받은 적이 없습니다');
  expect(await page.getByLabel('종목코드').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.getByRole('table').count()).toBe(0);
});

deepTest.each([
  ['light', 1440, 'ko'],
  ['dark', 1440, 'en'],
  ['light', 800, 'en'],
  ['dark', 800, 'ko'],
] as const)('in %s at %i pixels in %s nothing is wrong for assistive technology', async (scheme, width, language) => {
  const at = link({ ticker: item.etf_ticker, date: kstDate(new Date()) });
  const window = await browser.window({ username: 'viewer', scheme, width, language, at });
  await window.locator('tbody tr button').nth(2).click();
  await window.getByText('심사자가 고친 문장입니다.').first().waitFor();
  expect(await violations(window)).toEqual([]);
  await browser.screenshot(window, `shown-${scheme}-${width}-${language}`);
  await window.close();
});

test('a link whose day or moment does not fit says what is shown instead', async () => {
  const today = kstDate(new Date());
  const told = page.locator('main [role=status]').filter({ hasText: /./ });
  await moveTo(page, link({ ticker: item.etf_ticker, date: '2026-02-30' }));
  await told.filter({ hasText: '2026-02-30' }).waitFor();
  for (const at of ['zzz', '2020-01-02T00:00:00.000Z', '2999-01-01T00:00:00.000Z']) {
    await moveTo(page, link({ ticker: item.etf_ticker, date: today, at }));
    await told.filter({ hasText: at }).waitFor();
  }
  // The first moment of the day, with the offset of Korea.
  await moveTo(page, link({ ticker: item.etf_ticker, date: today, at: `${today}T00:00:00+09:00` }));
  await page.getByText('부터 있으므로 이 시각에').waitFor();
  expect(await told.count()).toBe(0);
  // A moment says its day.
  await moveTo(page, link({ ticker: item.etf_ticker, at: '2026-01-05T15:30:00Z' }));
  await page.getByText('2026-01-06 00:30:00').first().waitFor();
  expect(await told.count()).toBe(0);
  await moveTo(page, link({ ticker: item.etf_ticker, date: '2999-01-01' }));
  await page.getByRole('alert').filter({ hasText: '아직 오지 않은 날짜(2999-01-01)' }).waitFor();
});

test('a press on the band moves the pointer', async () => {
  await moveTo(page, link({ ticker: item.etf_ticker, date: kstDate(new Date()) }));
  await page.getByRole('img', { name: item.etf_ticker }).waitFor();
  await page.getByRole('slider', { name: '조회 시점' }).click({ position: { x: 1, y: 10 } });
  await page.getByText('부터 있으므로 이 시각에').waitFor();
});

test('while every channel is switched off, nothing is called provided', async () => {
  const reviewer = await browser.person('reviewer');
  await reviewer.ask('POST', `/api/v1/explanations/${item.id}/move-to-review`, { reason: '다시 확인' });
  await reviewer.ask('POST', `/api/v1/review/items/${item.id}/approve`, { text: 'RECEIVED' });
  const admin = await browser.person('admin');
  const { items } = await admin.ask<{ items: { channel: string; version: number }[] }>('GET', '/api/v1/scope/channels');
  for (const { channel } of items) await admin.ask('POST', `/api/v1/scope/channels/${channel}/toggle`, {});
  await moveTo(page, link({ ticker: item.etf_ticker, date: kstDate(new Date()) }));
  await page.getByText('제공 대상 채널이 없었습니다.').first().waitFor();
  const rows = page.getByRole('table', { name: '변경 내역' }).locator('tbody tr');
  expect(await rows.last().innerText()).toContain('제공 안 함: 제공 대상 채널이 없었습니다.');
});
