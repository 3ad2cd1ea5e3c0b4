/**
 * The reasons of a refusal by real keys: those of the action, the one that the hit suggests, and the digits that choose
 * them.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewDetail, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { violationsIn } from '../../axe.ts';
import { decide, type ApiSession } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
let api: ApiSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  page = await browser.window();
  api = await browser.person('reviewer');
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

const form = () => page.locator('form', { has: page.locator('fieldset') });
const chosen = () => form().locator('input[type=radio]:checked');

async function open(ticker: string): Promise<string> {
  const { items } = await api.ask<ListPage<ReviewItem>>('GET', `/api/v1/review/items?q=${ticker}`);
  const id = items[0]?.id ?? '';
  await moveTo(page, `/review/${id}`);
  await page.locator('article h2', { hasText: ticker }).waitFor();
  await page.locator('[data-keys=awake]').waitFor();
  return id;
}

/** The last reason on record. */
async function reasonOf(id: string): Promise<string | null | undefined> {
  const { history } = await api.ask<ReviewDetail>('GET', `/api/v1/review/items/${id}`);
  return history.find(({ to }) => to === 'REJECTED' || to === 'BLOCKED')?.reason;
}

test('a digit chooses a reason of the action, and is text in a text field', async () => {
  const id = await open('100001');
  await page.keyboard.press('KeyR');
  await form().waitFor();
  // The confidence check failed.
  expect(await chosen().getAttribute('value')).toBe('WEAK_GROUNDS');
  expect(await form().getByRole('radio', { name: '투자권유' }).count()).toBe(0);
  await page.keyboard.press('Digit2');
  expect(await chosen().getAttribute('value')).toBe('NUMBER_MISMATCH');
  await page.keyboard.press('Digit3');
  expect(await chosen().getAttribute('value')).toBe('ONE_SIDED');
  await form()
    .getByLabel(/^상세 사유/)
    .click();
  await page.keyboard.type('12건 가운데 1건');
  expect(await chosen().getAttribute('value')).toBe('ONE_SIDED');
  // With a modifier the key belongs to the browser.
  await form().getByRole('radio', { name: '장점만 부각' }).focus();
  await page.keyboard.press('Alt+Digit1');
  expect(await chosen().getAttribute('value')).toBe('ONE_SIDED');
  await page.keyboard.press('Control+Enter');
  await page.locator('article h2', { hasText: '100002' }).waitFor();
  await expect.poll(() => reasonOf(id)).toBe('ONE_SIDED: 12건 가운데 1건');
});

test('OTHER asks for text at once, and all reasons are available on demand', async () => {
  const id = await open('100002');
  await page.keyboard.press('KeyB');
  await form().waitFor();
  await form()
    .getByRole('button', { name: /^전체 사유 보기/ })
    .click();
  expect(await form().getByRole('radio').count()).toBe(14);
  expect(await violationsIn(form())).toEqual([]);
  await page.keyboard.press('Digit8');
  expect(await chosen().getAttribute('value')).toBe('OTHER');
  await page.keyboard.press('Control+Enter');
  await page.getByText('‘기타’를 선택한 경우').waitFor();
  await page.keyboard.type('1등 표현');
  await page.keyboard.press('Control+Enter');
  await page.locator('article h2', { hasText: '100003' }).waitFor();
  await expect.poll(() => reasonOf(id)).toBe('OTHER: 1등 표현');
});

test('all reasons are shown without moving any, and the focus stays among them', async () => {
  await open('100003');
  await decide(page, 'KeyB');
  await form().waitFor();
  // Not a reason of a block by default: the failed confidence check suggests it as the ninth.
  await page.keyboard.press('Digit9');
  expect(await chosen().getAttribute('value')).toBe('WEAK_GROUNDS');
  await page.keyboard.press('Tab');
  const more = form().getByRole('button', { name: /^전체 사유 보기/ });
  expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
  await waitFor('all reasons', async () => {
    if ((await form().getByRole('radio').count()) < 14) await page.keyboard.press('Enter');
    return (await form().getByRole('radio').count()) === 14;
  });
  expect(await chosen().evaluate((radio) => radio === document.activeElement)).toBe(true);
  // Neither the further reasons nor a choice among them takes its digit.
  await form().getByRole('radio', { name: '장점만 부각' }).check();
  await page.keyboard.press('Digit9');
  expect(await chosen().getAttribute('value')).toBe('WEAK_GROUNDS');
  await page.keyboard.press('Escape');
  await form().waitFor({ state: 'detached' });
});

test('the hit preselects the reason of its word, visibly, and the key that opened the form sends nothing', async () => {
  const id = await open('100004');
  await page.keyboard.down('KeyR');
  await form().waitFor();
  for (let held = 0; held < 5; held += 1) await page.keyboard.down('KeyR');
  await page.keyboard.up('KeyR');
  // Not a reason of a rejection by default; the hit's suggestion is added.
  expect(await chosen().getAttribute('value')).toBe('SOLICITATION');
  await form().getByText('(자동 선택)').waitFor();
  await browser.screenshot(page, 'review-reasons');
  // Nothing was written: a closed form leaves no draft behind.
  await page.keyboard.press('Escape');
  await form().waitFor({ state: 'detached' });
  expect(await page.getByText(/작성 중/).count()).toBe(0);
  expect(await reasonOf(id)).toBeUndefined();
  await decide(page, 'KeyB');
  await page.locator('form:focus-within').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('article h2', { hasText: '100003' }).waitFor();
  await expect.poll(() => reasonOf(id)).toBe('SOLICITATION');
});

test('digits rest with the other keys when the user has turned these off', async () => {
  await open('100003');
  await page.evaluate(() => localStorage.setItem('causeway.shortcuts', 'off'));
  await page.reload();
  await page.getByRole('button', { name: '반려' }).click();
  await form().waitFor();
  await page.keyboard.press('Digit2');
  expect(await chosen().getAttribute('value')).toBe('WEAK_GROUNDS');
  expect(await form().locator('kbd').count()).toBe(0);
});

test('the form of a stop on the board begins with the hit’s reason as well', async () => {
  const { items } = await api.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items');
  const item = items[0];
  const { checks } = await api.ask<ReviewDetail>('GET', `/api/v1/review/items/${item?.id}`);
  const words = checks.flatMap(({ hits }) => hits.map(({ wordId }) => wordId));
  const body = { acknowledgedWords: words };
  await api.ask('POST', `/api/v1/review/items/${item?.id}/approve`, body);
  await moveTo(page, `/explanations/${item?.id}`);
  await page.getByRole('region', { name: /^검사/ }).first().waitFor();
  await page.getByRole('button', { name: '제공 중지', exact: true }).click();
  await form().waitFor();
  expect(await chosen().getAttribute('value')).toBe('WEAK_GROUNDS');
  await form().getByText('(자동 선택)').waitFor();
  await page.keyboard.press('Escape');
});

test('the firm chooses the digits in its policy: one digit means the same reason in every form (D237)', async () => {
  const own = await browser.window({ at: '/policy/criteria' });
  const digits = own.getByRole('group', { name: '사유별 숫자 키' });
  await digits.getByLabel('숫자 1').selectOption('FORECAST');
  await digits.getByLabel('숫자 2').selectOption('SOLICITATION');
  expect(await digits.getByRole('combobox').count()).toBe(3);
  await own.getByRole('button', { name: '영향 미리 보기' }).click();
  await own.getByText('1 미래 예측, 2 투자권유').first().waitFor();
  await browser.screenshot(own, 'reasons-of-the-firm');
  await api.ask('PATCH', '/api/v1/screening/criteria', { reasonDigits: 'FORECAST SOLICITATION' });
  const { items } = await api.ask<ListPage<ReviewItem>>('GET', '/api/v1/explanations?status=PUBLISHED');
  await api.ask('POST', `/api/v1/explanations/${items[0]?.id}/move-to-review`, { reason: 'WEAK_GROUNDS' });
  await own.goto(new URL(`/review/${items[0]?.id}`, browser.url).href);
  const asked = own.locator('form', { has: own.locator('fieldset') });
  for (const key of ['KeyR', 'KeyB']) {
    await decide(own, key);
    await asked.getByRole('radio', { name: '미래 예측' }).waitFor();
    await own.keyboard.press('Digit2');
    expect(await asked.locator('input[type=radio]:checked').getAttribute('value')).toBe('SOLICITATION');
    // A reason that the firm leaves out has no digit, also where it is suggested.
    expect(await asked.locator('kbd').count()).toBe(2);
    await own.keyboard.press('Escape');
  }
  await own.context().close();
});
