/** Several windows and several users at the console, in a plain browser. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from '../axe.ts';
import { decide } from '../console-fixture.ts';
import { ConsoleBrowser } from '../console-browser.ts';
import { deepTest } from '../../support/runs.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
});
afterAll(() => browser.close());

test('two windows of one user have separate sessions', async () => {
  const [first, second] = [await browser.window(), await browser.window({ width: 800, height: 600 })];
  await first.locator('article h2').waitFor();
  await second.locator('[data-item]').first().waitFor();
  await first.getByRole('button', { name: /사용자 메뉴/ }).click();
  await first.getByRole('menuitem', { name: '로그아웃' }).click();
  await first.locator('input[name=username]').waitFor();
  await second.reload();
  await second.locator('[data-item]').first().waitFor();
  expect(browser.complaints).toEqual([]);
});

test('a case window is its review, with hits and keys, under its own title and without the navigation', async () => {
  const queue = await browser.window({ width: 1200 });
  const ofOthers: string[] = [];
  queue.context().on('request', (request) => {
    if (request.url().includes('/api/v1/events') && request.frame().page() !== queue) ofOthers.push(request.url());
  });
  await queue.getByRole('link', { name: /100003/ }).click();
  await queue.locator('article h2', { hasText: '100003' }).waitFor();
  const opened = queue.context().waitForEvent('page');
  await queue.getByRole('link', { name: '새 창에서 열기' }).click();
  const own = await opened;
  await own.locator('article h2', { hasText: '100003' }).waitFor();
  expect(await own.title()).toContain('100003 심사 ETF 3');
  expect([await own.getByRole('navigation').count(), await own.locator('[data-item]').count()]).toEqual([0, 0]);
  await own.locator('mark[data-severity=REVIEW]').first().waitFor();
  expect(await violations(own, 'ALL_BUT_COLOURS')).toEqual([]);
  await browser.screenshot(own, 'case-window');
  // No list applies here: the keys act on the only item.
  await own.keyboard.press('KeyJ');
  await decide(own, 'KeyM');
  await own.getByRole('dialog').getByText('다른 심사자 누구나').waitFor();
  await own.keyboard.press('Digit1');
  await own.getByRole('note').filter({ hasText: '넘긴 설명입니다' }).waitFor();
  await own.getByRole('dialog').waitFor({ state: 'detached' });
  await decide(own, 'KeyA');
  await own.locator('article form').waitFor();
  await own.keyboard.press('Control+Enter');
  await own.getByText(/현재 상태는/).waitFor();
  expect(await own.title()).toContain('100003');
  await queue.getByText(/현재 상태는/).waitFor();
  // The stream of the queue told both: each window with one of its own would take a connection.
  expect(ofOthers).toEqual([]);
  expect(browser.complaints).toEqual([]);
});

deepTest('seven windows of one browser, more than its connections, load, reload and receive every change', async () => {
  const colleague = await browser.secondReviewer();
  const queue = await browser.window();
  await queue.locator('article h2').waitFor();
  browser.addWaiting(2);
  const [one, two] = [await waiting('300001'), await waiting('300002')];
  const cases: Page[] = [];
  for (let count = 0; count < 6; count += 1) {
    const page = await queue.context().newPage();
    await page.goto(`${browser.url}/case/${count % 2 === 0 ? one : two}`);
    await page.locator('article h2').waitFor();
    cases.push(page);
  }
  // Before the page has read anything: a missing page cannot be reloaded.
  for (let count = 0; count < 6; count += 1) await queue.reload({ waitUntil: 'domcontentloaded' });
  await queue.locator('article h2').waitFor();
  const hear = async (id: string, pages: Page[]): Promise<void> => {
    await colleague.ask('POST', `/api/v1/review/items/${id}/reject`, { reason: 'WEAK_GROUNDS' });
    await Promise.all(pages.map((page) => page.getByText(/현재 상태는/).waitFor()));
  };
  const about = (id: string): Page[] => cases.filter((page) => page.url().endsWith(id));
  await hear(one, about(one));
  // The window that reads the stream for all is among those that close.
  for (const page of [queue, ...about(one)]) await page.close();
  await hear(two, about(two));
});

/** The item of a ticker that has just arrived. */
async function waiting(ticker: string): Promise<string> {
  const { items } = await (
    await browser.person('viewer')
  ).ask<{ items: { id: string }[] }>('GET', `/api/v1/review/items?q=${ticker}`);
  return items[0]?.id ?? '';
}
