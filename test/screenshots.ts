/**
 * `npm run screenshots`: the pictures of the README and its recording, taken in Chromium from a running demo (`npm start`).
 * The recording decides one item of the queue.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright';
import type { RunFile } from '../electron/start/run-file.ts';
import type { RunGrid } from '../shared/wire/operator/runs.ts';
import { animatedWebp, type Frame } from './support/animated-webp.ts';
import { launchChromium } from './support/chromium.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, '.github/screenshots');
const HOME = process.env['CAUSEWAY_HOME'] ?? path.join(ROOT, '.causeway');
const SIZE = { width: 1440, height: 900 };
/** Of the recording's stills: the letters stay sharp, and the file stays under 2 MB. */
const QUALITY = 0.6;
/** A word of the demo's policy that its texts hold, and what the recording puts in its place. */
const WORD = '최고';
const INSTEAD = '상위';

interface Place {
  url: string;
  path: string;
  username: string;
  password: string;
}

/** A page that shows this place, logged in, without the help of a first visit. */
async function open(browser: Browser, { url, path: place, username, password }: Place): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en', colorScheme: 'light' });
  await context.addInitScript(() => localStorage.setItem('causeway.first-keys', 'off'));
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(password);
  const frame = page.getByRole('navigation').first();
  // A form that has just opened refuses Enter for a moment.
  while (!(await frame.isVisible())) {
    await page.keyboard.press('Enter');
    await frame.waitFor({ timeout: 2_000 }).catch(() => undefined);
  }
  await page.goto(`${url}${place}`);
  await page.getByRole('main').getByRole('heading').first().waitFor();
  await settled(page);
  const tour = page.locator('[data-tour] > button');
  if (await tour.isVisible()) await tour.click();
  return page;
}

/** Nothing is being asked for any more: rows and figures are in view. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.fonts.ready);
}

async function picture(page: Page, name: string): Promise<void> {
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${path.relative(ROOT, file)}\n`);
}

/** A still WebP of what the page shows, made in a page of no address: the console's own lets nothing be fetched. */
async function still(page: Page, blank: Page): Promise<Uint8Array> {
  const shot = (await page.screenshot()).toString('base64');
  const numbers = await blank.evaluate(
    async ({ shot, quality }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${shot}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    { shot, quality: QUALITY },
  );
  return Uint8Array.from(numbers);
}

async function main(): Promise<number> {
  const file = path.join(HOME, 'run.json');
  if (!existsSync(file)) {
    process.stderr.write(`No demo runs on ${HOME}: start it with "npm start -- --no-window" and run this again.\n`);
    return 1;
  }
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunFile;
  const vendor = { url: run.operatorConsole.url, ...run.operatorConsole.account };
  const reviewer = run.tenantConsole.accounts.find(({ username }) => username === 'reviewer');
  if (reviewer === undefined) throw new Error('the demo has no reviewer');
  const firm = { url: run.tenantConsole.url, ...reviewer };
  mkdirSync(FOLDER, { recursive: true });
  const browser = await launchChromium();
  try {
    const facts = await open(browser, { ...vendor, path: `/facts?date=${await worstDay(browser, vendor)}` });
    await picture(facts, 'facts');
    const queue = await open(browser, { ...firm, path: '/review' });
    // A word of the policy in it, and nobody's question.
    const rows = queue.locator('[data-item]').filter({ hasText: WORD, has: queue.locator('mark') });
    await rows
      .filter({ hasNotText: /awaiting|opinion/ })
      .first()
      .click();
    await queue.locator('article mark').first().waitFor();
    await settled(queue);
    await picture(queue, 'review');
    await record(queue);
    const shown = await open(browser, { ...firm, path: '/explanations?status=INVALIDATED' });
    await toTheChange(shown);
    await picture(shown, 'shown');
  } finally {
    await browser.close();
  }
  return 0;
}

/** From a list of withdrawn texts to what was shown of the first that was shown at all, before its last change. */
async function toTheChange(page: Page): Promise<void> {
  const list = page.url();
  const texts = page.getByRole('main').locator('a[href*="/explanations/"]');
  for (let n = 0, count = await texts.count(); n < count; n += 1) {
    await texts.nth(n).click();
    await page.locator('a[href*="/shown?"]').first().click();
    const previous = page.getByRole('button', { name: 'Previous change' });
    // A day on which nothing was exposed may have no changes to step through.
    await previous.waitFor({ timeout: 15_000 }).catch(() => undefined);
    await settled(page);
    if ((await previous.isVisible()) && (await previous.isEnabled())) {
      await previous.click();
      await settled(page);
      return;
    }
    await page.goto(list);
    await texts.first().waitFor();
  }
  throw new Error('the demo has shown none of its withdrawn texts');
}

/** The day with the most failed runs of the last two weeks. */
async function worstDay(browser: Browser, vendor: Omit<Place, 'path'>): Promise<string> {
  const page = await open(browser, { ...vendor, path: '/overview' });
  const text = await page.evaluate(async () => await (await fetch('/api/v1/sources/grid?days=14')).text());
  const answer = JSON.parse(text) as { result: RunGrid };
  await page.context().close();
  const failed = new Map<string, number>();
  for (const { days } of answer.result.lanes)
    for (const { date, runs } of days)
      failed.set(date, (failed.get(date) ?? 0) + runs.filter((run) => run.status === 'FAILED').length);
  const [worst] = [...failed].toSorted((a, b) => b[1] - a[1]);
  if (worst === undefined) throw new Error('the demo has no day');
  return worst[0];
}

/** One decision by its keys: the item, its edit with the difference, the sending, the next item. */
async function record(page: Page): Promise<void> {
  const blank = await page.context().newPage();
  const frames: Frame[] = [];
  const frame = async (ms: number): Promise<void> => {
    frames.push({ image: await still(page, blank), ms });
  };
  await frame(2_000);
  await page.keyboard.press('KeyE');
  const field = page.locator('article form textarea').first();
  await field.waitFor();
  await frame(1_000);
  await field.evaluate((element, word) => {
    if (!(element instanceof HTMLTextAreaElement)) return;
    const at = element.value.indexOf(word);
    element.setSelectionRange(at, at + word.length);
  }, WORD);
  for (const letter of INSTEAD) {
    await page.keyboard.insertText(letter);
    await frame(300);
  }
  await settled(page);
  await picture(page, 'edit');
  await frame(2_000);
  const id = new URL(page.url()).pathname;
  await page.keyboard.press('Control+Enter');
  await page.waitForURL((url) => url.pathname !== id);
  await frame(300);
  await settled(page);
  await frame(2_500);
  const file = path.join(FOLDER, 'decision.webp');
  writeFileSync(file, animatedWebp(frames, SIZE.width, SIZE.height));
  process.stdout.write(`${path.relative(ROOT, file)}\n`);
}

process.exitCode = await main();
