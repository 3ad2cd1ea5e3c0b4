/**
 * A Korean input method that is still composing a syllable: its keys send nothing, close nothing and activate nothing.
 */
import type { CDPSession, Locator, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ExplanationItem, Page as ListPage } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

/** The last one waits with a word hit. */
const TICKER = '100003';

let browser: ConsoleBrowser;
let page: Page;
let method: CDPSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  page = await browser.window();
  method = await page.context().newCDPSession(page);
  await page.getByRole('link', { name: new RegExp(TICKER) }).click();
  await page.locator('article h2', { hasText: TICKER }).waitFor();
});
afterAll(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

const form = (): Locator => page.locator('article form');
const isWaiting = async (): Promise<boolean> => {
  const { items } = await (
    await browser.person('viewer')
  ).ask<ListPage<ExplanationItem>>('GET', `/api/v1/explanations?q=${TICKER}`);
  return items[0]?.status === 'PENDING_REVIEW';
};

// The item stays open for the next form: to load it anew for each takes two seconds of processor time.
afterEach(async () => {
  await page.keyboard.press('Escape');
  await form().waitFor({ state: 'detached' });
  await page.locator('article h2').click();
});

/**
 * Presses a key while the syllable is composed, as Chromium reports it: with its own code, or with the input method's.
 */
async function pressComposing(code: 'Enter' | 'Escape' | 'KeyA', keyCode: number, modifiers = 0): Promise<void> {
  const key = { code, key: keyCode === 229 ? 'Process' : code === 'KeyA' ? 'ㅁ' : code, modifiers };
  const text = code === 'Enter' && keyCode !== 229 ? { text: '\r' } : {};
  await method.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, ...text, windowsVirtualKeyCode: keyCode });
  await method.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key, windowsVirtualKeyCode: keyCode });
}

const CTRL = 2;
const FORMS: [string, () => Promise<void>, () => Locator][] = [
  ['an edit', () => decide(page, 'KeyE'), () => form().locator('textarea')],
  ['the comment of an approval', () => decide(page, 'KeyA'), () => form().locator('input').first()],
  ['the reason of a rejection', () => decide(page, 'KeyR'), () => form().locator('input:not([type=radio])')],
  ['a note', () => page.getByRole('button', { name: '메모 작성' }).click(), () => form().locator('textarea')],
  [
    'a false hit',
    () => page.getByRole('button', { name: /^오탐/ }).first().click(),
    () => form().locator('input').first(),
  ],
  ['a second opinion', () => decide(page, 'KeyO'), () => form().locator('textarea')],
];

test.each(FORMS)('%s: no key sends or closes it while a syllable is composed', async (_what, open, fieldOf) => {
  await open();
  const field = fieldOf();
  await field.waitFor();
  await field.fill('');
  await field.focus();
  const asked: string[] = [];
  const onRequest = (request: { method: () => string; url: () => string }): void => {
    if (request.method() === 'POST' && !request.url().endsWith('/claim')) asked.push(request.url());
  };
  page.on('request', onRequest);
  await method.send('Input.insertText', { text: '사유는 ' });
  await method.send('Input.imeSetComposition', { text: '하', selectionStart: 1, selectionEnd: 1 });
  for (const keyCode of [13, 229]) {
    await pressComposing('Enter', keyCode, CTRL);
    await pressComposing('Enter', keyCode);
    await pressComposing('Escape', keyCode === 13 ? 27 : 229);
    await pressComposing('KeyA', keyCode === 13 ? 65 : 229);
    expect(await form().count()).toBe(1);
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  }
  await method.send('Input.imeSetComposition', { text: '한', selectionStart: 1, selectionEnd: 1 });
  await method.send('Input.insertText', { text: '한' });
  expect(await field.inputValue()).toBe('사유는 한');
  expect(asked).toEqual([]);
  expect(await isWaiting()).toBe(true);
  page.off('request', onRequest);
});

test('a composed syllable is sent whole once it is finished', async () => {
  await page.getByRole('button', { name: '메모 작성' }).click();
  const field = form().locator('textarea');
  await field.fill('');
  await field.focus();
  await method.send('Input.imeSetComposition', { text: '확', selectionStart: 1, selectionEnd: 1 });
  await pressComposing('Enter', 229, CTRL);
  await method.send('Input.insertText', { text: '확인' });
  await page.keyboard.press('Control+Enter');
  await waitFor('the form to close', async () => (await form().count()) === 0);
  await page.locator('article').getByText('확인', { exact: true }).waitFor();
});
