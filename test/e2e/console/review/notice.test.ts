/** The edit sheet reports a missing required notice while the text is written, like flagged words. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { violations } from '../../axe.ts';
import { decide } from '../../console-bed.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let desk: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  desk = await ConsoleBrowser.open(2);
  const api = await desk.person('reviewer');
  const notice = { name: '원금 손실 고지', severity: 'REVIEW', active: true, terms: ['원금 손실'], onlyWith: [] };
  await api.ask('POST', '/api/v1/screening/versions', { addNotices: [notice] });
  page = await desk.window();
});
afterAll(() => desk.close());
afterEach(() => expect(desk.complaints).toEqual([]));

test('appears and disappears with the words of the text', async () => {
  await decide(page, 'KeyE');
  const field = page.getByRole('textbox', { name: /수정 문구/ });
  await field.waitFor();
  const missing = page.getByRole('region', { name: '누락된 필수 문구 1건' });
  await field.press('End');
  await page.keyboard.type(' 확인');
  await missing.getByText('인정 표현: 원금 손실').waitFor();
  await desk.screenshot(page, 'notice-missing');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type(' 원금 손실 위험이 있습니다.');
  await missing.waitFor({ state: 'detached' });
});
