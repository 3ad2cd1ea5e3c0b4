/** The printed page: the dossier of an explanation and an item of the queue, with checks and disclaimer, without buttons. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

const DISCLAIMER = '이 설명은 생성형 AI가 작성하고 당사의 심사 기준에 따라 제공됩니다.';

let browser: ConsoleBrowser;
let page: Page;
let id: string;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(2);
  const api = await browser.person('reviewer');
  const { items } = await api.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items?q=100002');
  id = items[0]?.id ?? '';
  page = await browser.window();
  await page.emulateMedia({ media: 'print' });
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

test.each(['explanations', 'review'])(
  'an item of /%s is printed with its checks, hits and disclaimer',
  async (screen) => {
    await page.goto(new URL(`/${screen}/${id}`, browser.url).href);
    const article = page.locator('article');
    await article.getByRole('heading', { name: '검사 결과' }).waitFor();
    for (const words of [DISCLAIMER, '금지어', '매수', '구성 종목 기여도'])
      await article.getByText(words).first().waitFor({ state: 'visible' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    for (const pressed of ['승인', '제공 중지', '인쇄·PDF'])
      expect(await page.getByRole('button', { name: pressed, exact: true }).count()).toBe(0);
    // A scrolling container cuts nothing off.
    const cut = await article.evaluate((element) =>
      [element, ...element.querySelectorAll('*')].some(
        (one) => one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY === 'auto',
      ),
    );
    expect(cut).toBe(false);
    await browser.screenshot(page, `print-${screen}`);
    // As a file, it has pages.
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  },
);

test('the notice of the last action is not printed over the record', async () => {
  await page.emulateMedia({ media: 'screen' });
  await page.goto(new URL(`/explanations/${id}`, browser.url).href);
  await page.getByRole('button', { name: '메모 작성' }).click();
  await page.getByLabel(/^내부 메모/).fill('인쇄 전 메모');
  await page.keyboard.press('Control+Enter');
  const notice = page.getByText('메모를 등록했습니다.');
  await notice.waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await notice.isVisible()).toBe(false);
});
