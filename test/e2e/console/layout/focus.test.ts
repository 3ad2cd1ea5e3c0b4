/** The focus of somebody without a mouse: seen on a dark screen, and given back by a form that closes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { waitFor } from '../../../support/process.ts';
import { decide } from '../../console-bed.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let desk: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  desk = await ConsoleBrowser.open(3);
  page = await desk.window();
  await page.locator('article h2').waitFor();
});
afterAll(() => desk.close());

/** The element that has the focus, by its tag and the beginning of its words. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    return `${activeElement?.tagName ?? ''} ${activeElement?.textContent.slice(0, 6) ?? ''}`;
  });

test.each(['KeyA', 'KeyE', 'KeyR', 'KeyB', 'KeyO'])(
  'Escape in the form that %s opens gives the focus to the heading of the item, not to the page',
  async (key) => {
    await page.locator('body').evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await decide(page, key);
    await page.locator('article form').waitFor();
    await waitFor('a field to have the focus', async () => /^(INPUT|TEXTAREA)/.test(await focused()));
    await page.keyboard.press('Escape');
    await page.locator('article form').waitFor({ state: 'detached' });
    expect(await focused()).toBe('H2 100001');
  },
);

test('the ring of a focused button stands out from a dark menu by 3:1', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  // Enter acts once its button has not only just got the focus.
  const own = page.getByRole('menuitem', { name: '내 계정' });
  await waitFor('the menu to open', async () => {
    if (!(await own.isVisible())) await page.getByRole('button', { name: /사용자 메뉴/ }).press('Enter');
    return own.isVisible();
  });
  await waitFor('the menu to take the focus', async () => (await focused()).startsWith('BUTTON 내 계정'));
  const contrast = await page.evaluate(() => {
    const light = (colour: string): number => {
      const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? [])
        .map((part) => Number(part) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const item = document.activeElement;
    const menu = item?.closest('[role=menu]');
    if (item === null || menu === null || menu === undefined) return 0;
    const [ring, ground] = [getComputedStyle(item).outlineColor, getComputedStyle(menu).backgroundColor].map(light);
    return ((ring ?? 0) + 0.05) / ((ground ?? 0) + 0.05);
  });
  expect(contrast).toBeGreaterThan(3);
});

test('the answer about a word to look at names the word, without the signs of the API', async () => {
  await page.keyboard.press('Escape');
  await decide(page, 'KeyE');
  const field = page.locator('article form textarea').first();
  await field.fill('매수 의견이 이어졌다.');
  await page.keyboard.press('Control+Enter');
  const note = page.locator('article form [role=alert]');
  await note.waitFor();
  expect(await note.innerText()).toContain('“매수”');
  expect(await note.innerText()).not.toMatch(/∅|\(\d+-\d+\)/);
});

test('in a narrow window the focus goes from the row to the item, from item to item, and back to the row', async () => {
  const narrow = await desk.window({ width: 720, height: 450, username: 'viewer' });
  const heading = (ticker: string): Promise<void> =>
    narrow.locator('h2:focus', { hasText: ticker }).waitFor({ timeout: 5_000 });
  await narrow.getByRole('link', { name: /100001/ }).press('Enter');
  await heading('100001');
  // Which item comes next is known once the list has been read.
  await narrow.getByRole('link', { name: '목록으로 (3건 대기)' }).waitFor();
  await narrow.keyboard.press('KeyJ');
  await heading('100002');
  await narrow.getByRole('link', { name: /목록으로/ }).press('Enter');
  await narrow.locator('[data-item]:focus', { hasText: '100002' }).waitFor({ timeout: 5_000 });
});
