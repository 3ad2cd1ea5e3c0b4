/** Bulk actions: only on ticked items, each of them named, and confirmed with the number. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { violationsIn } from '../../axe.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(6);
});
afterAll(() => browser.close());

const tick = (page: Page, name: string) => page.getByRole('checkbox', { name: `${name} 선택` });
const open = (page: Page) => page.getByRole('button', { name: /^일괄 처리/ });

async function statuses(): Promise<Record<string, string>> {
  const asked = await (
    await browser.person('viewer')
  ).ask<{ items: { etf_ticker: string; status: string }[] }>('GET', '/api/v1/explanations?size=100');
  return Object.fromEntries(asked.items.map(({ etf_ticker, status }) => [etf_ticker, status]));
}

test('only ticked items are rejected: named in the dialog, and confirmed with their number', async () => {
  const page = await browser.window();
  await page.locator('article h2').waitFor();
  expect(await open(page).isVisible()).toBe(false);
  await tick(page, '100002 심사 ETF 2').press('Space');
  await tick(page, '100004 심사 ETF 4').check();
  // A tick opens nothing, and another list begins without ticks.
  expect(await page.locator('article h2').innerText()).toContain('100001');
  await browser.screenshot(page, 'bulk-ticked');
  await open(page).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('100002 심사 ETF 2'),
    expect.stringContaining('100004 심사 ETF 4'),
  ]);
  await dialog.getByLabel('근거 부족').check();
  await dialog.getByRole('button', { name: '다음: 2건 반려' }).click();
  await dialog.getByRole('heading', { name: '2건 반려 처리를 확정하시겠습니까?' }).waitFor();
  // A held key answers nothing.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Space');
  await browser.screenshot(page, 'bulk-confirm');
  expect(await violationsIn(dialog)).toEqual([]);
  expect((await statuses())['100002']).toBe('PENDING_REVIEW');
  await dialog.getByRole('button', { name: '이전' }).click();
  await dialog.getByRole('button', { name: '다음: 2건 반려' }).click();
  await dialog.getByRole('button', { name: '2건 반려' }).click();
  await dialog.getByText('2건을 처리했습니다.').waitFor();
  await dialog.getByRole('button', { name: '닫기' }).last().click();
  expect(await statuses()).toMatchObject({
    '100001': 'PENDING_REVIEW',
    '100002': 'REJECTED',
    '100003': 'PENDING_REVIEW',
    '100004': 'REJECTED',
  });
  await page.locator('[data-item]').nth(4).waitFor({ state: 'detached' });
  await open(page).waitFor({ state: 'hidden' });
  await page.context().close();
});

test('all visible rows can be ticked; another filter begins without a tick; a lost answer is looked up', async () => {
  const page = await browser.window();
  await page.getByRole('checkbox', { name: '전체 선택' }).check();
  await page.getByRole('button', { name: '일괄 처리 4' }).waitFor();
  // Until the other list is there, a tick of all would be one of the list before, or lost.
  const answer = Promise.withResolvers<void>();
  await page.route('**/review/items?*q=100005*', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.getByRole('searchbox').fill('100005');
  await page.waitForURL('**q=100005**');
  await open(page).waitFor({ state: 'hidden' });
  expect(await page.getByRole('checkbox', { name: '전체 선택' }).isDisabled()).toBe(true);
  answer.resolve();
  await page.getByRole('checkbox', { name: '전체 선택' }).check();
  await page.getByRole('button', { name: '일괄 처리 1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('근거 부족').check();
  await dialog.getByRole('button', { name: '다음: 1건 반려' }).click();
  await page.route('**/bulk/reject', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await dialog.getByRole('button', { name: '1건 반려' }).click();
  await dialog.getByText('1건을 처리했습니다.').waitFor();
  expect((await statuses())['100005']).toBe('REJECTED');
  await page.context().close();
});

test('the board’s bulk actions also affect only ticked rows, and a click still opens a row', async () => {
  const page = await browser.window({ username: 'operator', at: '/explanations' });
  await page.locator('tbody tr', { hasText: '상태 ETF 0' }).getByRole('checkbox').check();
  await tick(page, '100001 심사 ETF 1').check();
  await open(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('제외되는 건 1건').waitFor();
  await browser.screenshot(page, 'bulk-board');
  await dialog.getByLabel('근거 부족').check();
  await dialog.getByRole('button', { name: /^다음: 1건/ }).click();
  await dialog.getByRole('button', { name: /^1건/ }).click();
  await dialog.getByText('1건을 처리했습니다.').waitFor();
  await dialog.getByRole('button', { name: '닫기' }).last().click();
  await page.locator('tbody tr', { hasText: '상태 ETF 0' }).getByText('제공 중지').waitFor();
  await page.context().close();
  const reader = await browser.window({ username: 'viewer', at: '/review' });
  await reader.locator('article h2').waitFor();
  expect(await reader.getByRole('checkbox').count()).toBe(0);
  await reader.context().close();
});

test('the items of one ticker stand together, each with its place', async () => {
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) =>
    receive(
      tx,
      newEntry(
        'later',
        {
          etf_ticker: '100001',
          etf_name: '심사 ETF 1',
          explanation_as_of: '2026-11-20T15:45:00+09:00',
        },
        { cursor: 900 },
      ),
      'PENDING_REVIEW',
      '2026-11-20T09:00:00.000Z',
    ),
  );
  ledger.close();
  const page = await browser.window();
  const rows = page.locator('[data-item]');
  await rows.filter({ hasText: '같은 종목 2/2' }).waitFor();
  const tickers = (await rows.allInnerTexts()).map((words) => words.slice(0, 6));
  expect(tickers).toEqual(['100001', '100001', '100003', '100006']);
  await page.locator('article h2').waitFor();
  const first = page.url();
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.href !== first);
  await expect.poll(() => rows.nth(1).getAttribute('aria-current')).toBe('true');
  await browser.screenshot(page, 'queue-tickers');
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});
