/** Opinions by real keys: nothing is preselected, a digit chooses, a second key records, and the next one opens. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { BlindReviewItem, Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import type { ApiSession } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
let colleague: ApiSession;
let reviewer: ApiSession;
let items: ReviewItem[];

beforeAll(async () => {
  browser = await ConsoleBrowser.open(6);
  colleague = await browser.secondReviewer();
  await colleague.ask('PATCH', '/api/v1/screening/criteria', { blindShare: 100 });
  ({ items } = await colleague.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items'));
  for (const { id } of items.slice(0, 3))
    await colleague.ask('POST', `/api/v1/review/items/${id}/reject`, { reason: 'WEAK_GROUNDS' });
  await colleague.ask('POST', `/api/v1/review/items/${items[3]?.id}/opinions`, { question: '수치가 맞나요?' });
  reviewer = await browser.person('reviewer');
  page = await browser.window({ at: `/review/${items[3]?.id}` });
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

const heading = () => page.locator('article h3').first();
const checked = () => page.locator('form input[type=radio]:checked');
const listed = (state: BlindReviewItem['state']) =>
  reviewer.ask<ListPage<BlindReviewItem>>('GET', `/api/v1/review/blind-reviews?state=${state}`);

async function leaves(before: string): Promise<string> {
  await waitFor('another review to open', async () => (await heading().innerText()) !== before);
  return heading().innerText();
}

test('a second opinion has no preselection, and cannot be sent without a choice', async () => {
  const id = items[3]?.id ?? '';
  await page.getByRole('button', { name: /^의견 제시/ }).click();
  const what = page.getByLabel('권고 의견');
  expect(await what.inputValue()).toBe('');
  await page.getByLabel('사유', { exact: true }).fill('맞습니다.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('권고 의견을 선택하십시오.').waitFor();
  const asked = () => colleague.ask<ReviewItem>('GET', `/api/v1/review/items/${id}`);
  expect((await asked()).opinion?.given).toBeNull();
  await what.selectOption('반려');
  await page.keyboard.press('Control+Enter');
  await page.locator('article li[data-kind=OPINION_GIVEN]').waitFor();
  expect((await asked()).opinion?.given).toMatchObject({ opinion: 'REJECT', text: '맞습니다.' });
});

test('a blind review: no preselection, j and k walk, digits choose decision and reason', async () => {
  await moveTo(page, '/quality/blind');
  await page.locator('tbody a').first().click();
  await page.locator('article form').waitFor();
  const first = await heading().innerText();
  expect(await checked().count()).toBe(0);
  await page.keyboard.press('KeyJ');
  const second = await leaves(first);
  await page.keyboard.press('KeyK');
  expect(await leaves(second)).toBe(first);
  await page.locator('article form').waitFor();
  await page.keyboard.press('Digit3');
  await page.getByRole('group', { name: '사유' }).waitFor();
  expect(await checked().evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual(['reject']);
  // No check or hit is suggested: the opinion is this reviewer's own.
  await page.keyboard.press('Digit1');
  expect(await checked().evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual([
    'reject',
    'WEAK_GROUNDS',
  ]);
  await browser.screenshot(page, 'blind-digits');
  expect((await listed('OPEN')).total).toBe(3);
  await page.keyboard.press('Control+Enter');
  await page.getByText('첫 결정과 일치합니다.').waitFor();
  await leaves(first);
  expect([(await listed('OPEN')).total, (await listed('AGREED')).total]).toEqual([2, 1]);
  await page.locator('article form').waitFor();
  expect(await checked().count()).toBe(0);
});

test('an approval has a text field, which takes digits; differences are shown, and the last review leads to the list', async () => {
  for (const left of [1, 0]) {
    const before = await heading().innerText();
    await page.keyboard.press('Digit1');
    await page.keyboard.type('1개 출처로 충분');
    await page.keyboard.press('Control+Enter');
    if (left > 0) {
      await leaves(before);
      await page.locator('article form').waitFor();
    }
  }
  await page.getByText('해당하는 블라인드 재심사가 없습니다.').waitFor();
  expect((await listed('DIFFERED')).total).toBe(2);
  await page.getByText('첫 결정과 다릅니다.').first().waitFor();
});
