/** What the tenant console looks like to whoever reads it: dates as the language writes them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { violations } from './axe.ts';
import { speak } from './console-bed.ts';
import { ConsoleBrowser } from './console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(14);
}, 60_000);

afterAll(() => browser.close());

const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

test('a day is written, typed and picked as the language of the screen writes it, whatever the browser speaks', async () => {
  // The browser is English, the screen Korean.
  const page = await browser.window({ language: 'en' });
  await speak(page, 'ko');
  await page.goto(new URL('/explanations?from=2026-11-05', browser.url).href);
  const from = page.getByLabel('거래일 시작');
  await from.waitFor();
  expect(await from.inputValue()).toBe('2026. 11. 05.');
  await from.fill('2026.11.9');
  await from.press('Enter');
  await expect.poll(() => search(page).get('from')).toBe('2026-11-09');
  expect(await from.inputValue()).toBe('2026. 11. 09.');

  await from.press('ArrowDown');
  const calendar = page.getByRole('dialog', { name: '거래일 시작' });
  await calendar.getByText('2026년 11월', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await browser.screenshot(page, 'day-field-ko');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Enter');
  await calendar.waitFor({ state: 'hidden' });
  await expect.poll(() => search(page).get('from')).toBe('2026-10-10');
  await expect.poll(() => from.evaluate((field) => field === document.activeElement)).toBe(true);

  // A day that does not exist narrows nothing, and is said to be none.
  await from.fill('2026. 2. 30.');
  await page.getByText('형식의 선택 가능한 날짜').waitFor();
  await from.press('Enter');
  expect(search(page).get('from')).toBe('2026-10-10');
  await from.press('Escape');
  expect(await from.inputValue()).toBe('2026. 10. 10.');
  await from.fill('');
  await expect.poll(() => search(page).get('from')).toBe(null);

  await speak(page, 'en');
  const english = page.getByLabel('Trade date from');
  await english.fill('5 Nov 2026');
  await english.press('Enter');
  await expect.poll(() => search(page).get('from')).toBe('2026-11-05');
  expect(await english.inputValue()).toBe('05 Nov 2026');
  // The other end of the span cannot lie before it.
  await page.getByLabel('Trade date to').fill('2026-11-04');
  await page.getByText('Enter an available date').waitFor();
  expect(search(page).get('to')).toBe(null);
});
