/** Chromium for the operator console: one window, the browser's errors, and a logged-in operator. */
import type { BrowserContext, Page } from 'playwright';
import { PASSWORD } from '../../cloud/testing/operator-fixture.ts';
import { openBrowser } from '../support/chromium.ts';

export interface OperatorBrowser {
  context: BrowserContext;
  page: Page;
  /** Errors of the browser, mainly violations of the content security policy. */
  complaints: string[];
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
  return { context, page, complaints, close: () => browser.close() };
}

/** From the login screen to the first one. */
export async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('로그인 ID').fill('operator');
  await page.getByLabel('비밀번호').fill(PASSWORD);
  await page.getByRole('button', { name: '로그인' }).click();
  await page.getByRole('heading', { level: 1, name: '실행 개요' }).waitFor();
}

/** Texts as read, with white space folded. */
export const words = (texts: string[]): string[] => texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
