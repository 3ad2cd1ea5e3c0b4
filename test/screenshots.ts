/** `npm run screenshots`: the two pictures of the README, taken in Chromium from a running demo (`npm start`). */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import type { RunFile } from '../electron/start/run-file.ts';
import { launchChromium } from './support/chromium.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, '.github/screenshots');
const HOME = process.env['CAUSEWAY_HOME'] ?? path.join(ROOT, '.causeway');

async function logIn(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(url);
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(password);
  const frame = page.getByRole('navigation').first();
  // A form that has just opened refuses Enter for a moment.
  while (!(await frame.isVisible())) {
    await page.keyboard.press('Enter');
    await frame.waitFor({ timeout: 2_000 }).catch(() => undefined);
  }
}

async function main(): Promise<number> {
  const file = path.join(HOME, 'run.json');
  if (!existsSync(file)) {
    process.stderr.write(`No demo runs on ${HOME}: start it with "npm start -- --no-window" and run this again.\n`);
    return 1;
  }
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunFile;
  const { account } = run.operatorConsole;
  const reviewer = run.tenantConsole.accounts.find(({ username }) => username === 'reviewer') ?? account;
  mkdirSync(FOLDER, { recursive: true });
  const browser = await launchChromium();
  try {
    for (const { name, url, who, place } of [
      { name: 'review', url: run.tenantConsole.url, who: reviewer, place: '/review' },
      { name: 'facts', url: run.operatorConsole.url, who: account, place: '/facts' },
    ]) {
      const context = await browser.newContext({
        viewport: { width: 1080, height: 530 },
        locale: 'en',
        colorScheme: 'light',
      });
      await context.addInitScript(() => localStorage.setItem('causeway.first-keys', 'off'));
      const page = await context.newPage();
      await logIn(page, url, who.username, who.password);
      await page.goto(`${url}${place}`);
      await page.waitForLoadState('load');
      await page.getByRole('main').waitFor();
      // Rows appear with the API's answer: a heading below the screen's own one shows that they are there.
      await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor();
      const tour = page.locator('[data-tour] > button');
      if (await tour.isVisible()) await tour.click();
      await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
      process.stdout.write(`${path.relative(ROOT, path.join(FOLDER, `${name}.png`))}\n`);
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return 0;
}

process.exitCode = await main();
