/** The look of the tenant console: dates in the language's own form, and a review whose parts keep their places. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { violationsIn } from '../../axe.ts';
import { speak } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(18);
}, 60_000);

afterAll(() => browser.close());

const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

test('a day is written, typed and picked in the language of the screen, regardless of the browser’s', async () => {
  // The browser is English, the screen Korean.
  const page = await browser.window({ language: 'en', at: '/explanations?from=2026-11-05' });
  await speak(page, 'ko');
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
  expect(await violationsIn(calendar)).toEqual([]);
  await browser.screenshot(page, 'day-field-ko');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Enter');
  await calendar.waitFor({ state: 'hidden' });
  await expect.poll(() => search(page).get('from')).toBe('2026-10-10');
  await expect.poll(() => from.evaluate((field) => field === document.activeElement)).toBe(true);

  // An invalid day filters nothing, and is reported.
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

/** Positions of an element's parts, to the pixel. */
const places = (page: Page, selector: string): Promise<number[]> =>
  page.locator(selector).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));

test.each(['ko', 'en'] as const)('in %s seventeen items fit in the queue, each in two lines', async (language) => {
  const page = await browser.window({ language });
  await page.locator('[data-item]').nth(17).waitFor({ state: 'attached' });
  const list = await page.locator('[data-item]').evaluateAll((rows) =>
    rows.map((row) => {
      const { bottom } = row.getBoundingClientRect();
      return bottom <= window.innerHeight;
    }),
  );
  expect(list.filter(Boolean).length).toBeGreaterThanOrEqual(17);
  // Nothing overflows its container.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1440);
  for (const part of await page.locator('aside, section, header, nav').all())
    expect(await part.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
});

test('the reason of the wait comes first under the text; nothing in the head moves between items', async () => {
  const page = await browser.window({ at: '/review?q=1000018' });
  await page.locator('article h2', { hasText: '1000018' }).waitFor();
  const titles = await page.locator('article h3').allInnerTexts();
  const at = titles.indexOf('심사할 문구');
  expect(titles.slice(at, at + 3)).toEqual(['심사할 문구', '심사 대기 사유', '금지어 검출 1건']);
  const why = page.getByRole('region', { name: '심사 대기 사유' });
  expect(await why.innerText()).toMatch(/금지어/);
  await why.getByText('금지어').hover();
  await page.getByRole('tooltip', { name: '“매수”에 해당하는 표현이 있어 심사가 필요합니다.' }).waitFor();

  const head = 'article header :is(dt, dd, [data-glyph])';
  const long = await places(page, head);
  await page.goto(new URL('/review?q=100001', browser.url).href);
  await page.locator('article h2', { hasText: '100001' }).waitFor();
  expect(await places(page, head)).toEqual(long);
});

test('the edit sheet keeps its height while the user types', async () => {
  const page = await browser.window();
  await page.locator('article h2').waitFor();
  await page.keyboard.press('e');
  const field = page.locator('form textarea');
  await field.waitFor();
  const size = (): Promise<(number | undefined)[]> =>
    Promise.all(['form', 'form textarea'].map(async (one) => (await page.locator(one).boundingBox())?.height));
  const before = await size();
  await page.keyboard.press('Control+End');
  for (let line = 0; line < 8; line += 1) {
    await page.keyboard.insertText(` 매수 추천이 ${line}% 늘고 거래대금이 ${line}조원 늘었다.\n`);
    expect(await size()).toEqual(before);
  }
  await page.getByText('임시 저장됨').waitFor();
  await page.getByText(/현행 정책 검출/).waitFor();
  expect(await size()).toEqual(before);
});
