/** The status board over thousands of explanations: it renders only the visible rows, and they stay in view. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { waitFor } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';
import { ConsoleBrowser } from '../console-browser.ts';
import { fillLedger, seededLedger } from '../console-fixture.ts';

const ROWS = runs(5_000, 100_000);
let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open((folder) => {
    const file = seededLedger(folder);
    fillLedger(file, ROWS);
    return file;
  });
  page = await browser.window({ username: 'viewer', at: '/explanations' });
  await page.locator('tbody a').first().waitFor();
});
afterAll(() => browser.close());

const total = async (): Promise<number> => Number(await page.locator('table').getAttribute('aria-rowcount')) - 1;
interface Seen {
  /** Its `aria-rowindex`, its link, and its position. */
  index: number;
  href: string | null;
  y: number;
  /** The scroll position of the list, in CSS pixels. */
  scrolled: number;
}

/** The first fully visible row; null while rows are loading. */
const firstSeen = (): Promise<Seen | null> =>
  page.evaluate(() => {
    const place = document.querySelector('table')?.closest('[role=region]');
    if (!place || document.querySelector('[data-blank]') !== null) return null;
    for (const row of document.querySelectorAll('tbody tr[aria-rowindex]')) {
      const y = row.getBoundingClientRect().top - place.getBoundingClientRect().top;
      if (y >= 27 && y < place.clientHeight) {
        const href = row.querySelector('a')?.getAttribute('href') ?? null;
        return { index: Number(row.ariaRowIndex), href, y, scrolled: place.scrollTop };
      }
    }
    return null;
  });

/** Scrolls to a part of the list, and waits until its rows have loaded. */
async function scrollTo(part: number): Promise<Seen> {
  await page.evaluate((to) => {
    const place = document.querySelector('table')?.closest('[role=region]');
    if (place instanceof HTMLElement) place.scrollTop = to * place.scrollHeight;
  }, part);
  return waitFor('the rows there', async () => {
    const seen = await firstSeen();
    return seen !== null && Math.abs(seen.index - 2 - seen.scrolled / 33) <= 2 ? seen : undefined;
  });
}

test('shows the total, and renders a screenful of rows', async () => {
  expect(await total()).toBeGreaterThanOrEqual(ROWS);
  expect(await page.locator('tbody tr').count()).toBeLessThan(100);
});

test('any place of it can be reached, down to the last row', async () => {
  for (const part of [0.5, 0.9, 0.1, 1]) {
    await scrollTo(part);
    expect(await page.locator('tbody tr').count()).toBeLessThan(100);
  }
  await page.locator(`tbody tr[aria-rowindex="${(await total()) + 1}"] a`).waitFor();
  await browser.screenshot(page, 'explanations-windowed');
});

test('rows added above do not move the rows in view', async () => {
  const before = await scrollTo(0.3);
  const count = await total();
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) => {
    for (const id of ['new-1', 'new-2', 'new-3'])
      receive(tx, newEntry(id, { trade_date: '2026-11-20', etf_ticker: '900009', etf_name: '새 ETF' }));
  });
  ledger.close();
  await waitFor('the new rows to be counted', async () => (await total()) === count + 3);
  const after = await waitFor('the view to follow', async () => {
    const seen = await firstSeen();
    return seen?.index === before.index + 3 ? seen : undefined;
  });
  expect(after.href).toBe(before.href);
  expect(after.y).toBeCloseTo(before.y, 0);
});

test('the arrow keys walk from row to row, beyond the edge of the view too', async () => {
  await scrollTo(0);
  const first = page.locator('tbody tr[aria-rowindex="2"] a');
  await first.waitFor();
  await first.focus();
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowDown');
  const at = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest('tr')?.ariaRowIndex);
  await waitFor('the row of the last press', async () => (await at()) === '42');
  // Faster than rows render: all of it before the next frame.
  await page.evaluate(() => {
    const press = { key: 'ArrowDown', code: 'ArrowDown', bubbles: true, cancelable: true };
    for (let step = 0; step < 60; step += 1) document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', press));
  });
  await waitFor('the row of the last of them', async () => (await at()) === '102');
  await page.keyboard.press('Enter');
  await page.locator('article h2').waitFor();
});

test('a search that is too long is said, and not sent; the title of an evidence finds its explanations', async () => {
  const field = page.getByRole('searchbox', { name: '근거 제목' });
  await page.goto(new URL('/explanations', page.url()).href);
  await field.fill('가'.repeat(201));
  await page.getByText('지금 201자이므로').waitFor();
  expect(new URL(page.url()).searchParams.has('q')).toBe(false);
  await field.fill('반도체수출 증가');
  await page.locator('tbody a').first().waitFor();
  await waitFor('the search', () => new URL(page.url()).searchParams.has('q'));
  expect(await page.getByText('지금 201자이므로').count()).toBe(0);
});
