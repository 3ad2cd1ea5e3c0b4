/** A screen in both languages and both schemes, and in windows of several widths. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { takePicture } from '../support/pictures.ts';
import { runs } from '../support/runs.ts';
import { violations } from './axe.ts';

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

/** No axe violation in the first look, in `npm run test:deep` in any; and screenshots. */
export async function inItsLooks(page: Page, name: string): Promise<void> {
  await inLooks(page, name, runs(1, LOOKS.length));
}

/** No axe violation in any look: for one screen of `npm test`. Words and colours are shared by all. */
export async function inEveryLook(page: Page, name: string): Promise<void> {
  await inLooks(page, name, LOOKS.length);
}

async function inLooks(page: Page, name: string, count: number): Promise<void> {
  for (const [language, scheme, rules] of LOOKS.slice(0, count)) {
    await page.emulateMedia({ colorScheme: scheme });
    await speak(page, language);
    expect([language, scheme, await violations(page, rules)]).toEqual([language, scheme, []]);
    if ((language === 'ko') === (scheme === 'light')) await takePicture(page, `${name}-${language}-${scheme}`);
  }
}

/** Nothing runs out of the page in a window of this width. */
export async function fitsWidth(page: Page, width: number): Promise<void> {
  const wide = page.viewportSize();
  await page.setViewportSize({ width, height: 740 });
  expect([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([width, width]);
  if (wide !== null) await page.setViewportSize(wide);
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
  for (const [index, width] of NARROWER.entries()) {
    await page.setViewportSize({ width, height: 844 });
    for (const [language, scheme] of PAIRS[(turn + index) % 2] ?? PAIRS[0]) {
      await page.emulateMedia({ colorScheme: scheme });
      await speak(page, language);
      await takePicture(page, `sweep-${name}-${width}-${language}-${scheme}`);
      const across = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([name, width, language, across]).toEqual([name, width, language, width]);
      expect([name, width, language, scheme, await violations(page)]).toEqual([name, width, language, scheme, []]);
    }
  }
}
