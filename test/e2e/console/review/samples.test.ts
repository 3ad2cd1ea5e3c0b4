/** Samples by real keys: a digit chooses the verdict, a second key saves it, and the next sample opens. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import type { Page } from 'playwright';
import type { SampleCounts } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { violationsIn } from '../../axe.ts';
import type { ApiSession } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
let api: ApiSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  const ledger = new Database(browser.ledger);
  ledger.exec(`
    INSERT INTO review_sample (explanation_id, sampled_at, policy_version, share, outcome)
    SELECT id, '2026-11-20T08:00:00.000Z', 1, 5, 'OPEN' FROM explanation WHERE etf_ticker LIKE '10000%'`);
  ledger.close();
  page = await browser.window({ at: '/samples' });
  api = await browser.person('reviewer');
  await page.locator('tbody a').first().click();
  await form().waitFor();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

const form = () => page.getByRole('form', { name: '표본 점검 결과' });
const heading = () => page.locator('article h2');
const counts = () => api.ask<SampleCounts>('GET', '/api/v1/review/samples/counts');

/** Waits until another sample is open. */
async function leaves(before: string): Promise<string> {
  await waitFor('another sample to open', async () => (await heading().innerText()) !== before);
  return heading().innerText();
}

test('j and k walk through the samples and decide nothing', async () => {
  const first = await heading().innerText();
  await page.keyboard.press('KeyJ');
  const second = await leaves(first);
  await page.keyboard.press('KeyK');
  expect(await leaves(second)).toBe(first);
  expect((await counts()).OPEN).toBe(4);
});

test('nothing is preselected, and without a verdict nothing is saved', async () => {
  expect(await form().locator('input:checked[type=radio]').count()).toBe(0);
  await form().getByRole('button', { name: '점검 결과 저장' }).focus();
  await page.keyboard.press('Control+Enter');
  await page.getByText('점검 결과를 선택하십시오.').waitFor();
  expect(await violationsIn(page.locator('main'))).toEqual([]);
  await browser.screenshot(page, 'samples-verdict');
  expect((await counts()).OPEN).toBe(4);
});

test('a digit chooses, Ctrl+Enter saves, and the next sample is open with the focus on its heading', async () => {
  const before = await heading().innerText();
  await page.keyboard.press('Digit1');
  await page.keyboard.press('Digit2');
  expect(await form().locator('input:checked[type=radio]').getAttribute('value')).toBe('MISSED');
  expect((await counts()).OPEN).toBe(4);
  await page.keyboard.press('Control+Enter');
  const next = await leaves(before);
  expect(next).not.toBe(before);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
  expect(await counts()).toMatchObject({ OPEN: 3, MISSED: 1 });
  // The next one begins without a choice.
  await form().waitFor();
  expect(await form().locator('input:checked[type=radio]').count()).toBe(0);
  await page.keyboard.press('Digit1');
  await page.keyboard.press('Control+Enter');
  await leaves(next);
  expect(await counts()).toMatchObject({ OPEN: 2, FINE: 1, MISSED: 1 });
});

test('after the last one only the list is left', async () => {
  await page.keyboard.press('Digit1');
  const before = await heading().innerText();
  await page.keyboard.press('Control+Enter');
  await leaves(before);
  await form().waitFor();
  await page.keyboard.press('Digit1');
  await page.keyboard.press('Control+Enter');
  await heading().waitFor({ state: 'detached' });
  expect(await counts()).toMatchObject({ OPEN: 0, FINE: 3, MISSED: 1 });
});
