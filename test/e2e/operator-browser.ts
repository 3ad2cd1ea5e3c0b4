/** Chromium for the operator console: one window, the browser's errors, and a logged-in operator. */
import type { BrowserContext, Page, Request } from 'playwright';
import { PASSWORD } from '../support/cloud/operator-fixture.ts';
import { openBrowser } from '../support/chromium.ts';
import { waitFor } from '../support/process.ts';

export interface OperatorBrowser {
  context: BrowserContext;
  page: Page;
  /** Errors of the browser, mainly violations of the content security policy. */
  complaints: string[];
  /** How many requests of the page have no answer yet. */
  asking: () => number;
  close(): Promise<void>;
}

/** @param expected browser console errors that the test causes itself */
export async function openWindow(expected: RegExp): Promise<OperatorBrowser> {
  const browser = await openBrowser();
  const context = await browser.newContext({
    locale: 'ko-KR',
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const asked = new Set<Request>();
  page.on('request', (request) => asked.add(request));
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  return { context, page, complaints, asking: () => asked.size, close: () => browser.close() };
}

/** From the login screen to the first one. */
export async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('로그인 ID').fill('operator');
  await page.getByLabel('비밀번호').fill(PASSWORD);
  await page.getByRole('button', { name: '로그인' }).click();
  await page.getByRole('heading', { level: 1, name: '실행 개요' }).waitFor();
}

/**
 * To an address of the console as a link in it leads there, and until all of it is on the screen. A new document costs
 * half a second of processor time more, and reads everything again.
 */
export async function goInPlace({ page, asking }: OperatorBrowser, place: string): Promise<void> {
  await page.evaluate((address) => history.pushState(null, '', address), place);
  await waitFor(`${place} to be complete`, async () => {
    // A frame for what an answer changes, and one for what this asks for.
    for (let frame = 0; frame < 2; frame += 1)
      await page.evaluate(() => new Promise((resolve) => void requestAnimationFrame(resolve)));
    return asking() === 0 && (await page.locator('main [role=status]').count()) === 0;
  });
}

/** Texts as read, with white space folded. */
export const words = (texts: string[]): string[] => texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
