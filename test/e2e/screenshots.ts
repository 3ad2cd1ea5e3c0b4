/** A screen of the operator console in both languages and both schemes. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { violations } from './axe.ts';

export const SCREENSHOTS = path.join(PROJECT, 'artifacts', 'screenshots');
/** Each rule of axe wherever it can say something new. */
const LOOKS = [
  ['ko', 'light', 'ALL'],
  ['ko', 'dark', 'COLOURS'],
  ['en', 'dark', 'ALL_BUT_COLOURS'],
] as const;
type Language = (typeof LOOKS)[number][0];

/** Changes the language as another window would: the screen changes in place, without a reload. */
export async function speak(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('causeway.language', chosen);
    globalThis.dispatchEvent(new Event('storage'));
  }, language);
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
}

/** Nothing that axe finds, however the screen looks; and a picture of two of the looks. */
export async function inEveryLook(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [language, scheme, rules] of LOOKS) {
    await page.emulateMedia({ colorScheme: scheme });
    await speak(page, language);
    expect([language, scheme, await violations(page, rules)]).toEqual([language, scheme, []]);
    if ((language === 'ko') === (scheme === 'light'))
      await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${language}-${scheme}.png`) });
  }
}
