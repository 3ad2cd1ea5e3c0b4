/** Thirty decisions in a row by keys alone, in each size and language: no mouse, and no key that is lost. */
import type { Page } from 'playwright';
import { afterEach, expect, test } from 'vitest';
import { REST_MS } from '../../../../shared/ui/keys/key-rest.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

const DECISIONS = 30;
/** 1440 x 900 at 200 % is a window of 720 x 450. */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 720, height: 450 },
] as const;
const ACTS = [
  { act: 'approve', keys: ['KeyA'] },
  { act: 'reject', keys: ['KeyR', 'Digit1'] },
  { act: 'approve-edited', keys: ['KeyE', 'Control+End', 'Space', 'KeyX'] },
  { act: 'block', keys: ['KeyB', 'Digit2'] },
  { act: 'approve', keys: ['KeyA'] },
] as const;

let browser: ConsoleBrowser;
afterEach(() => browser.close());

/** Counts what only a mouse causes. */
function countMouse(): void {
  let clicks = 0;
  for (const kind of ['pointerdown', 'wheel']) addEventListener(kind, () => (clicks += 1), { capture: true });
  Object.assign(window, { mouseUsed: () => clicks });
}

const openId = (page: Page): string | undefined => /\/review\/([^/?]+)/.exec(page.url())?.[1];

test.for(SIZES.flatMap((size) => (['ko', 'en'] as const).map((language) => ({ ...size, language }))))(
  'at $width x $height in $language',
  { timeout: 600_000 },
  async ({ width, height, language }) => {
    browser = await ConsoleBrowser.open(DECISIONS + 2);
    const page = await browser.window({ width, height, language, before: countMouse });
    // In a window with one pane the list is there first, and a key opens its first item.
    await page.locator('[data-item]').first().waitFor();
    if (width < 1000) await page.keyboard.press('KeyJ');
    const made: string[] = [];
    while (made.length < DECISIONS) {
      const { act, keys } = ACTS[made.length % ACTS.length] ?? ACTS[0];
      await page.waitForURL((url) => !made.includes(openId(page) ?? '') && url.pathname.length > '/review/'.length);
      const id = openId(page) ?? '';
      await page.locator('[data-keys=awake]').waitFor();
      const sent = page.waitForResponse((response) => response.url().endsWith(`/review/items/${id}/${act}`));
      for (const key of [...keys, 'Control+Enter']) await page.keyboard.press(key);
      expect((await sent).status(), `${act} of ${id}`).toBe(200);
      made.push(id);
      // A hand reads the next text first: the same key at once would be the second half of a double press.
      const last = await page.evaluate(() => performance.now());
      await page.waitForFunction((until) => performance.now() > until, last + REST_MS);
    }
    expect(await page.evaluate('mouseUsed()')).toBe(0);
    const { items } = await (
      await browser.person('viewer')
    ).ask<{ items: { id: string; status: string }[] }>('GET', '/api/v1/explanations?size=100');
    const statuses = new Map(items.map(({ id, status }) => [id, status]));
    const count = (status: string): number => made.filter((id) => statuses.get(id) === status).length;
    expect([count('REJECTED'), count('BLOCKED'), count('PUBLISHED')]).toEqual([6, 6, 18]);
    expect(browser.complaints).toEqual([]);
  },
);
