/**
 * Every screen and tab of the tenant console in the narrower windows, in both languages and both schemes: axe finds
 * nothing, and nothing runs out of the page. `access.test.ts` looks at them in the wide window.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleBrowser } from '../../console-browser.ts';
import { inNarrowerWindows, speak } from '../../screenshots.ts';

let browser: ConsoleBrowser;
const pages = new Map<string, Page>();

beforeAll(async () => {
  browser = await ConsoleBrowser.open(9);
  for (const username of ['reviewer', 'admin']) pages.set(username, await browser.window({ username }));
}, 60_000);
afterAll(async () => {
  await browser.close();
});

/** The first row of the list, opened. */
const firstRow = async (page: Page): Promise<void> => {
  await page.locator('tbody a').first().click();
  await page.locator('article h2').waitFor();
};

const PLACES: Readonly<Record<string, readonly [as: string, at: string, prepare?: (page: Page) => Promise<void>]>> = {
  dashboard: ['admin', '/dashboard'],
  explanations: ['reviewer', '/explanations'],
  explanation: ['reviewer', '/explanations', firstRow],
  shown: ['reviewer', '/shown'],
  inspection: ['admin', '/inspection'],
  review: ['reviewer', '/review'],
  samples: ['reviewer', '/samples'],
  quality: ['reviewer', '/quality'],
  blind: ['reviewer', '/quality/blind'],
  words: ['reviewer', '/policy/words'],
  notices: ['reviewer', '/policy/notices'],
  criteria: ['reviewer', '/policy/criteria'],
  disclaimer: ['reviewer', '/policy/disclaimer'],
  proposals: ['reviewer', '/policy/proposals'],
  versions: ['reviewer', '/policy/versions'],
  scope: ['admin', '/settings/scope'],
  sync: ['admin', '/settings/sync'],
  members: ['admin', '/settings/members'],
  'approval-numbers': ['reviewer', '/settings/approval-numbers'],
  'review-time': ['admin', '/settings/review-time'],
  audit: ['admin', '/settings/audit'],
  roles: ['admin', '/settings/roles'],
};

test.for(Object.entries(PLACES).map(([name, [as, at, prepare]], index) => ({ name, as, at, prepare, index })))(
  '$name: nothing for axe and nothing beyond the page in narrower windows',
  { timeout: 120_000 },
  async ({ name, as, at, prepare, index }) => {
    const page = pages.get(as);
    if (page === undefined) throw new Error(`nobody has logged in as ${as}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await speak(page, 'ko');
    await page.goto(new URL(at, browser.url).href);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await prepare?.(page);
    await inNarrowerWindows(page, `tenant-${name}`, index);
  },
);

test('the pages had nothing to complain about', () => {
  expect(browser.complaints).toEqual([]);
});
