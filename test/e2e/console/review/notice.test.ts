/** The edit sheet reports a missing required notice, flagged words and figures without evidence while the text is written. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { violationsIn } from '../../axe.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(2);
  const api = await browser.person('reviewer');
  const notice = { name: '원금 손실 고지', severity: 'REVIEW', active: true, terms: ['원금 손실'], onlyWith: [] };
  await api.ask('POST', '/api/v1/screening/versions', { addNotices: [notice] });
  page = await browser.window();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

test('appears and disappears with the words of the text', async () => {
  await decide(page, 'KeyE');
  const field = page.getByRole('textbox', { name: /수정 문구/ });
  await field.waitFor();
  const missing = page.getByRole('region', { name: '누락된 필수 문구 1건' });
  await field.press('End');
  await page.keyboard.type(' 확인');
  await missing.getByText('인정 표현: 원금 손실').waitFor();
  await browser.screenshot(page, 'notice-missing');
  expect(await violationsIn(page.locator('article form'))).toEqual([]);
  await page.keyboard.type(' 원금 손실 위험이 있습니다.');
  await missing.waitFor({ state: 'detached' });
});

test('the numbers of findings stay in view, F8 goes through them, and the second press accepts words and figures', async () => {
  const field = page.getByRole('textbox', { name: /수정 문구/ });
  await field.fill(`매수 의견이 9.99%p 늘었다.${' 지수가 올랐다.'.repeat(400)} 3건이 체결되었다.`);
  const findings = page.getByRole('group', { name: '문구에서 확인할 사항' });
  for (const count of ['검출 표현 1', '근거 없는 수치 2', '누락 문구 1']) await findings.getByText(count).waitFor();
  const selected: string[] = [];
  const scrolled: number[] = [];
  for (let press = 0; press < 4; press += 1) {
    await page.keyboard.press('F8');
    selected.push(await page.evaluate(() => String(getSelection())));
    scrolled.push(await field.evaluate((text) => text.scrollTop));
  }
  expect(selected).toEqual(['매수', '9.99%p', '3건', '매수']);
  expect(scrolled).toEqual([0, 0, expect.any(Number), 0]);
  expect(scrolled[2]).toBeGreaterThan(500);
  // The underlines lie beneath their letters only where both texts break into the same lines.
  const heights = await field.evaluate((text) => [text.scrollHeight, text.previousElementSibling?.scrollHeight]);
  expect(heights[0]).toBe(heights[1]);
  expect(await page.locator('[data-beneath] [data-severity]').allInnerTexts()).toEqual(selected.slice(0, 3));
  const box = await findings.boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  await browser.screenshot(page, 'findings');
  expect(await violationsIn(page.locator('article form'))).toEqual([]);

  await page.keyboard.press('Control+Enter');
  const refusal = page.locator('article form [role=alert]');
  for (const finding of ['“매수”', '“9.99%p”', '“3건”', '원금 손실 고지']) await refusal.getByText(finding).waitFor();
  // The bar below does not cover it.
  const [told, bar] = [await refusal.boundingBox(), await page.locator('article form [type=submit]').boundingBox()];
  expect((told?.y ?? Infinity) + (told?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  await browser.screenshot(page, 'findings-refused');
  await page.keyboard.press('Control+Enter');
  await page.locator('article form').waitFor({ state: 'detached' });
  await page.locator('article h2', { hasText: '100002' }).waitFor();
});
