/** The edit sheet reports a missing required notice while the text is written, like flagged words. */
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
