/** A screen in both languages and both schemes, and in windows of several widths. */
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

const NARROWER = [1024, 768, 390] as const;
/** Either pair has both languages and both schemes. */
const PAIRS = [
  [
    ['ko', 'light'],
    ['en', 'dark'],
  ],
  [
    ['ko', 'dark'],
    ['en', 'light'],
  ],
] as const;

/**
 * In each narrower window and in both languages and schemes: nothing that axe finds, nothing that runs out of the page,
 * and a picture of each.
 *
 * @param turn which pair of looks comes first: screens take turns
 */
export async function inNarrowerWindows(page: Page, name: string, turn: number): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [index, width] of NARROWER.entries()) {
    await page.setViewportSize({ width, height: 844 });
    for (const [language, scheme] of PAIRS[(turn + index) % 2] ?? PAIRS[0]) {
      await page.emulateMedia({ colorScheme: scheme });
      await speak(page, language);
      await page.screenshot({ path: path.join(SCREENSHOTS, `sweep-${name}-${width}-${language}-${scheme}.png`) });
      const across = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([name, width, language, across]).toEqual([name, width, language, width]);
      expect([name, width, language, scheme, await violations(page)]).toEqual([name, width, language, scheme, []]);
    }
  }
}
