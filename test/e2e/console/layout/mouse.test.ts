/** The tenant console by mouse only: only text fields are used by keyboard. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { deepTest } from '../../../support/runs.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';
import { mismatchedNames } from '../../axe.ts';
import { speak } from '../../screenshots.ts';

let browser: ConsoleBrowser;
/** The reviewer's window, in which each test goes to an address of its own: a load takes two seconds of processor time. */
let page: Page;
beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  page = await browser.window({ at: '/explanations?q=200000' });
});
beforeEach(() => page.setViewportSize(WIDE));
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

/** The queue of one ticker, with its item open. */
async function openItem(ticker: string): Promise<void> {
  await moveTo(page, `/review?q=${ticker}`);
  await page.locator('article h2', { hasText: ticker }).waitFor();
}

async function statusOf(ticker: string): Promise<string | undefined> {
  const reader = await browser.person('viewer');
  const { items } = await reader.ask<ListPage<ReviewItem>>('GET', `/api/v1/explanations?q=${ticker}`);
  return items[0]?.status;
}

const WIDE = { width: 1440, height: 900 };

/** Whether both ends of the text under review are uncovered. */
const isTextInView = (page: Page): Promise<boolean> =>
  page
    .locator('[data-reading]')
    .first()
    .evaluate((text) => {
      const { top, bottom, left, right } = text.getBoundingClientRect();
      const sees = (y: number): boolean => text.contains(document.elementFromPoint((left + right) / 2, y));
      return sees(top + 4) && sees(bottom - 4);
    });

test('at 200 % zoom the text of the board stays in view when an operation opens beside it', async () => {
  await page.setViewportSize({ width: 720, height: 450 });
  await page.locator('tbody tr').first().click();
  for (const operation of ['제공 중지', '재심사 전환', '최종 문구 정정']) {
    await page.getByRole('button', { name: operation, exact: true }).click();
    await page.locator('article form').waitFor();
    await waitFor(`the text in view with ${operation}`, () => isTextInView(page));
    await browser.screenshot(page, `mouse-board-${operation}`);
    await page.locator('article form').getByRole('button', { name: '닫기', exact: true }).click();
  }
});

deepTest('a double click on a decision opens its form and sends nothing', async () => {
  await openItem('100002');
  for (const name of [/^승인/, /^수정 승인/, /^반려/, /^차단/]) {
    await page.locator('[data-keys=awake]').waitFor();
    await page.getByRole('button', { name }).first().dblclick();
    const form = page.locator('article form');
    await form.waitFor();
    expect(await statusOf('100002')).toBe('PENDING_REVIEW');
    await form.getByRole('button', { name: '닫기', exact: true }).click();
  }
});

test('a double click that sends a decision does not decide the next item', async () => {
  await moveTo(page, '/review');
  await page.getByRole('link', { name: /100003/ }).waitFor();
  const oldest = (await page.locator('[data-item]').first().innerText()).slice(0, 6);
  await page.getByRole('link', { name: /100003/ }).click();
  await page.locator('article h2', { hasText: '100003' }).waitFor();
  await page.locator('[data-keys=awake]').waitFor();
  await page.getByRole('button', { name: /^승인/ }).first().click();
  await page.locator('article form').getByRole('button', { name: '승인', exact: true }).click({ clickCount: 3 });
  await waitFor('the approval', async () => (await statusOf('100003')) === 'PUBLISHED');
  // The one that waits longest comes next.
  await page.locator('article h2', { hasText: oldest }).waitFor();
  for (const ticker of [oldest, '100002', '100004']) expect(await statusOf(ticker)).toBe('PENDING_REVIEW');
});

test('each button is large enough for the pointer', async () => {
  const own = await browser.window({ username: 'admin', at: '/settings/members' });
  for (const [place, button] of [
    ['/settings/members', '사용자 등록'],
    ['/explanations', '저장한 보기'],
    ['/settings/audit', '기록 위변조 검사'],
  ] as const) {
    await moveTo(own, place);
    await own.locator('main').getByRole('button', { name: button }).first().waitFor();
    const small = await own.locator('main button:visible').evaluateAll((all) =>
      all.flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width < 24 || height < 24 ? [`${one.textContent} ${width} x ${height}`] : [];
      }),
    );
    expect([place, small]).toEqual([place, []]);
  }
  await own.context().close();
});

test('a marked figure in the text wraps as a whole', async () => {
  // Unlike the items of the fixture, an added one lacks evidence for its figures.
  browser.addWaiting(1);
  await openItem('300001');
  const mark = page.locator('mark[data-severity=FIGURE]').first();
  await mark.waitFor();
  for (let width = 1440; width >= 400; width -= 40) {
    await page.setViewportSize({ width, height: 900 });
    const lines = await mark.evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(one.lastChild ?? one);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect([width, lines]).toEqual([width, 1]);
  }
});

test('a figure lights its row and its evidence, and the names of the navigation fold to icons', async () => {
  await openItem('100002');
  await page.locator('[data-reading] [data-light]', { hasText: '0.90%p' }).hover();
  const lit = page.locator('article [data-lit]');
  expect(await lit.allInnerTexts()).toEqual([
    expect.stringContaining('0.90%p'),
    expect.stringContaining('구성 종목 기여도'),
  ]);
  await page.locator('article h2').hover();
  expect(await lit.count()).toBe(0);
  const width = async (): Promise<number> => (await page.getByRole('navigation').boundingBox())?.width ?? 0;
  const wide = await width();
  await page.keyboard.press('[');
  await expect.poll(width).toBeLessThan(wide / 3);
  await page.getByRole('link', { name: '대시보드' }).waitFor();
  await page.keyboard.press('[');
  await expect.poll(width).toBe(wide);
});

test('the tools of the whole queue stand in one line', async () => {
  await moveTo(page, '/review');
  for (const language of ['ko', 'en'] as const) {
    await speak(page, language);
    const tools = page.locator('section search').first().locator('input:visible, button:visible');
    await tools.nth(2).waitFor();
    const middles = await tools.evaluateAll((all) =>
      all.map((one) => Math.round((one.getBoundingClientRect().top + one.getBoundingClientRect().bottom) / 2)),
    );
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(6);
  }
  await speak(page, 'ko');
});

test('a saved view is deleted by a second press, and its buttons are named by their labels', async () => {
  await moveTo(page, '/explanations?status=STOPPED');
  await page.getByRole('button', { name: '저장한 보기' }).click();
  await page.getByLabel('현재 보기의 이름').fill('중지');
  await page.getByRole('button', { name: '저장', exact: true }).click();
  await page.getByRole('link', { name: '중지', exact: true }).waitFor();
  expect(await mismatchedNames(page)).toEqual([]);
  await page.getByRole('button', { name: '저장한 보기 “중지” 삭제', exact: true }).dblclick();
  expect(await mismatchedNames(page)).toEqual([]);
  await page.getByRole('button', { name: '저장한 보기 “중지” 삭제 확정' }).click();
  await page.getByRole('link', { name: '중지', exact: true }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
});

test('tiles stand in rows of equal length', async () => {
  for (const place of ['/dashboard', '/quality/statistics', '/explanations']) {
    await page.setViewportSize(WIDE);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('[data-tiles]')) one.setAttribute('data-former', '');
    });
    await moveTo(page, place);
    await page.locator('[data-tiles]:not([data-former]) > :nth-child(5)').first().waitFor();
    for (const width of [1440, 1024, 800, 720, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const grids = await page.locator('[data-tiles]').evaluateAll((all) =>
        all.map((grid) => {
          const rows = new Map<number, number>();
          for (const tile of grid.children) {
            const top = Math.round(tile.getBoundingClientRect().top);
            rows.set(top, (rows.get(top) ?? 0) + 1);
          }
          return [...rows.values()];
        }),
      );
      for (const rows of grids) {
        const [first = 0, ...others] = rows;
        expect([place, width, rows, others.slice(0, -1).every((row) => row === first)]).toEqual([
          place,
          width,
          rows,
          true,
        ]);
        // The last row lacks one at most, where an odd number cannot be divided.
        if (others.length > 0) expect([place, width, rows, first - (rows.at(-1) ?? 0) <= 1]).toContain(true);
      }
    }
  }
});
