/**
 * The quality screen in a narrow window and by keyboard: chart letters keep their size, a definition opens on demand.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  const api = await browser.person('reviewer');
  const { items } = await api.ask<{ items: { id: string }[] }>('GET', '/api/v1/review/items');
  await api.ask('POST', `/api/v1/review/items/${items[0]?.id}/reject`, { reason: 'WEAK_GROUNDS' });
  page = await browser.window({ at: '/quality/statistics' });
  await page.locator('svg[role=img]').waitFor();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

/** The drawn chart: the letter height of each label, and the places of the labels under the bars. */
function drawn(): Promise<{ heights: number[]; labels: { left: number; right: number }[]; width: number }> {
  return page.evaluate(() => {
    const chart = document.querySelector('svg[role=img]');
    const texts = [...(chart?.querySelectorAll('text') ?? [])];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    return {
      heights: boxes.map(({ height }) => Math.round(height)),
      labels: texts.flatMap((text, index) => {
        const box = boxes[index];
        return text.getAttribute('text-anchor') === 'middle' && box !== undefined
          ? [{ left: box.left, right: box.right }]
          : [];
      }),
      width: chart?.getBoundingClientRect().width ?? 0,
    };
  });
}

test('letters of a chart keep their size in a narrow window, and its labels do not touch', async () => {
  const wide = await drawn();
  await page.setViewportSize({ width: 480, height: 800 });
  await expect.poll(async () => (await drawn()).width).toBeLessThan(480);
  const narrow = await drawn();
  expect(new Set(narrow.heights)).toEqual(new Set(wide.heights));
  expect(narrow.labels.length).toBeGreaterThan(1);
  expect(narrow.labels.length).toBeLessThanOrEqual(wide.labels.length);
  for (const [index, label] of narrow.labels.entries())
    expect(label.left).toBeGreaterThanOrEqual(narrow.labels[index - 1]?.right ?? 0);
  await browser.screenshot(page, 'quality-narrow');
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(async () => (await drawn()).width).toBeGreaterThan(900);
  expect(await drawn()).toEqual(wide);
});

test('a card is a number and one line; its definition opens by a key and is linked to it for assistive technology', async () => {
  const meaning = page.getByText('심사 대기 접수부터 결정까지.');
  expect(await meaning.isVisible()).toBe(false);
  const button = page.getByRole('button', { name: '대기 시간(중앙값) 정의' });
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await button.focus();
  await page.keyboard.press('Enter');
  await meaning.waitFor({ state: 'visible' });
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  expect(await button.getAttribute('aria-controls')).toBe(await meaning.getAttribute('id'));
  await browser.screenshot(page, 'quality-cards');
  await page.keyboard.press('Space');
  await meaning.waitFor({ state: 'hidden' });
});
