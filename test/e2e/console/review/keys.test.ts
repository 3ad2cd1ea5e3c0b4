/** A quick reviewer works through the queue by keys alone: real key events, and none of them is lost. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { REST_MS } from '../../../../shared/ui/keys/key-rest.ts';
import { violationsIn } from '../../axe.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;

/** Later snapshots of the first two tickers, which wait for a shorter time than all others. */
const LATER = [
  ['later-1', '100001'],
  ['later-2', '100001'],
  ['later-3', '100002'],
] as const;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) => {
    for (const [index, [id, ticker]] of LATER.entries()) {
      const entry = newEntry(id, { etf_ticker: ticker, etf_name: '심사 ETF' }, { cursor: 900 + index });
      receive(tx, entry, 'PENDING_REVIEW', `2026-11-20T09:0${index}:00.000Z`);
    }
  });
  ledger.close();
});
afterAll(() => browser.close());

const press = (page: Page, ...keys: string[]): Promise<void> =>
  keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
/** Lets a test hold the clock of the keys, in the page: a slow machine is no slow hand. */
function holdableClock(): void {
  const real = performance.now.bind(performance);
  let held: number | null = null;
  performance.now = () => held ?? real();
  Object.assign(window, { hold: (isHeld: boolean) => (held = isHeld ? real() : null) });
}
const form = (page: Page) => page.locator('article form');
const rows = (page: Page) => page.locator('[data-item]');
const openId = (page: Page) => page.locator('[data-item][aria-current=true]').getAttribute('data-item');

test('selects with X and Shift, searches with /, and goes to a screen with G and its letter', async () => {
  const page = await browser.window();
  await page.locator('[data-keys=awake]').waitFor();
  const ticked = () => page.locator('li:has([data-item]) input:checked').count();
  await press(page, 'KeyX');
  expect(await ticked()).toBe(1);
  await press(page, 'Shift+KeyJ', 'Shift+ArrowDown');
  expect(await ticked()).toBe(3);
  expect(await openId(page)).toBe(await rows(page).nth(2).getAttribute('data-item'));
  await press(page, 'KeyX');
  expect(await ticked()).toBe(2);

  await press(page, 'KeyU');
  await page.getByText('취소할 것이 없습니다').waitFor();

  // No letter of a screen: it acts as without G.
  await press(page, 'KeyG', 'KeyK');
  expect(await openId(page)).toBe(await rows(page).nth(1).getAttribute('data-item'));
  await press(page, 'KeyG');
  const letters = page.locator('[data-go]');
  await letters.getByText('대시보드').waitFor();
  expect(await violationsIn(letters)).toEqual([]);
  await browser.screenshot(page, 'keys-go');
  await press(page, 'Escape');
  await letters.waitFor({ state: 'detached' });
  await press(page, 'KeyG', 'KeyE');
  await page.waitForURL('**/explanations');
  await page.locator('main input[type=search]').first().waitFor();
  await press(page, 'Slash');
  await page.keyboard.type('gr/');
  expect(await page.locator('main input[type=search]').first().inputValue()).toBe('gr/');
  // Escape clears it, and leaves it: letters are keys again.
  await press(page, 'Escape', 'Escape', 'KeyG', 'KeyR');
  await page.waitForURL('**/review/**');
  await page.context().close();
});

test('S puts an item off, for this reviewer alone; M hands one over, and taking it undoes that', async () => {
  const page = await browser.window();
  await page.locator('[data-keys=awake]').waitFor();
  const [first, second] = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-item')));
  await press(page, 'KeyS');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('30분 뒤').waitFor();
  expect(await violationsIn(dialog)).toEqual([]);
  await browser.screenshot(page, 'keys-later');
  await press(page, 'Digit1');
  await page.locator(`[data-item="${first}"]`).waitFor({ state: 'detached' });
  expect(await openId(page)).toBe(second);
  const { items } = await (
    await browser.person('viewer')
  ).ask<{ items: { id: string; postponedUntil: string | null }[] }>('GET', '/api/v1/review/items');
  expect(items[0]).toMatchObject({ id: first, postponedUntil: null });
  await page.getByRole('button', { name: '나중에 볼 설명 1건 표시' }).click();
  await page.locator(`[data-item="${first}"]`).click();
  await page.locator(`[data-item="${first}"][aria-current=true]`).waitFor();
  await browser.screenshot(page, 'keys-later-shown');
  await press(page, 'KeyS');
  await dialog.getByText('지금 다시 보기').waitFor();
  await press(page, 'Digit4');
  await page.getByRole('button', { name: /나중에 볼 설명/ }).waitFor({ state: 'detached' });
  expect(await rows(page).first().getAttribute('data-item')).toBe(first);

  // A dialog takes the keys until it has closed.
  await dialog.waitFor({ state: 'detached' });
  await page.locator('[data-keys=awake]').waitFor();
  await press(page, 'KeyM');
  await dialog.getByText('다른 심사자 누구나').waitFor();
  expect(await violationsIn(dialog)).toEqual([]);
  await press(page, 'Digit1');
  await page.locator(`[data-item="${first}"]`).waitFor({ state: 'detached' });
  expect(await openId(page)).toBe(second);
  await page.getByRole('button', { name: /^전체/ }).click();
  await page.locator(`[data-item="${first}"]`, { hasText: '넘김: 다른 심사자 누구나' }).click();
  await page.getByRole('note').filter({ hasText: '준법심사자 님이 넘긴 설명입니다.' }).waitFor();
  await browser.screenshot(page, 'keys-handed-over');
  await page.getByRole('button', { name: '내가 심사' }).click();
  await page.locator(`[data-item="${first}"]`, { hasText: '넘김' }).waitFor({ state: 'detached' });
  await page.context().close();
});

test('the first key after a decision opens a form; a ticker keeps its place, then comes the oldest', async () => {
  const page = await browser.window({ before: holdableClock });
  await page.locator('[data-keys=awake]').waitFor();
  const tickers = (await rows(page).allInnerTexts()).map((words) => words.slice(0, 6));
  expect(tickers).toEqual(['100001', '100001', '100001', '100002', '100002', '100003', '100004']);
  const shown = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-item')));
  const met: (string | null)[] = [];
  while (met.length < shown.length) {
    const id = await openId(page);
    met.push(id);
    if (met.length === 1) await page.evaluate('hold(true)');
    const sent = page.waitForResponse((response) => response.url().endsWith('/reject'));
    await press(page, 'KeyR', 'Digit1', 'Control+Enter');
    await sent;
    // At the top of the list at each step: nothing that waits longer stays above.
    await page.locator(`[data-item="${id}"]`).waitFor({ state: 'detached' });
    if (met.length < shown.length) {
      await page.locator('[data-keys=awake]').waitFor();
      expect(await openId(page)).toBe(await rows(page).first().getAttribute('data-item'));
      if (met.length === 1) {
        // The second half of a double press decides nothing; another key acts at once.
        await press(page, 'Control+Enter', 'KeyR');
        expect(await form(page).count()).toBe(1);
        await press(page, 'Escape');
        await page.evaluate('hold(false)');
      }
      const last = await page.evaluate(() => performance.now());
      await page.waitForFunction((until) => performance.now() > until, last + REST_MS);
    }
  }
  expect(met).toEqual(shown);
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});
