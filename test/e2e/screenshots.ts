/** A screen of the operator console in both languages and both schemes. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { violations } from './axe.ts';

export const SCREENSHOTS = path.join(PROJECT, 'artifacts', 'screenshots');
/** Each axe rule in every look where it can report anything new. */
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

/** No axe violation in any look; and screenshots of two of the looks. */
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
