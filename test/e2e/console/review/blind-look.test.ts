/** A decision that awaits the user's blind review is shown only after a recorded look, for which the user is asked. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { violationsIn } from '../../axe.ts';
import type { ApiSession } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
let second: ApiSession;
let ids: string[];

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  second = await browser.secondReviewer();
  await second.ask('PATCH', '/api/v1/screening/criteria', { blindShare: 100 });
  const { items } = await second.ask<{ items: { id: string }[] }>('GET', '/api/v1/review/items');
  ids = items.map(({ id }) => id);
  page = await browser.window();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

const reject = (id: string | undefined) =>
  second.ask('POST', `/api/v1/review/items/${id}/reject`, { reason: 'WEAK_GROUNDS' });
const asked = () => page.getByRole('region', { name: '블라인드 재심사 대기 건' });
const go = (path: string) => page.goto(new URL(path, browser.url).href);

test('the board asks first, and shows the decision after the look', async () => {
  await reject(ids[0]);
  await go(`/explanations/${ids[0]}`);
  await asked().waitFor();
  expect(await page.getByText('근거 부족').count()).toBe(0);
  expect(await violationsIn(asked())).toEqual([]);
  await browser.screenshot(page, 'blind-look-board');
  await asked().getByRole('button', { name: '결정 열람' }).click();
  await page.getByText('근거 부족').first().waitFor();
  expect(await asked().count()).toBe(0);
});

test('an open item that another reviewer decides turns into the question; the review is one link away', async () => {
  await go(`/review/${ids[1]}`);
  await page.getByRole('button', { name: /^반려/ }).waitFor();
  await reject(ids[1]);
  await asked().waitFor();
  await browser.screenshot(page, 'blind-look-review');
  // The decision keys rest: nothing is left to decide.
  await page.keyboard.press('a');
  expect(await page.getByRole('form').count()).toBe(0);
  await asked().getByRole('link', { name: '블라인드 재심사 열기' }).click();
  await page.getByRole('article', { name: '재심사할 건' }).waitFor();
  // The text and the answer options are in view together.
  for (const part of [page.locator('[data-reading]'), page.getByRole('radio').last()])
    expect(await part.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  await browser.screenshot(page, 'blind-form');
  expect(await page.getByText('이 건의 결정을 이미 확인했습니다', { exact: false }).count()).toBe(0);
});
