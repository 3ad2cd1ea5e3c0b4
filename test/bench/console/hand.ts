/**
 * A reviewer's key presses in the queue in Chromium: from the key to the paint of the next item, idle and under load.
 */
import path from 'node:path';
import type { Page } from 'playwright';
import { ConsoleBrowser } from '../../e2e/console-browser.ts';
import { decide } from '../../e2e/console-fixture.ts';
import { waitFor } from '../../support/process.ts';
import { openWay } from '../agent/delivery-path.ts';
import { median, quantile, valueRow, type Bench, type BenchFixture } from '../bench.ts';
import { IN_PAGE } from '../desktop/devtools.ts';
import { fillLedger } from './filled.ts';

const EXPLANATIONS = 100_000;
const PRESSES = 60;
/** Enough to last longer than the measured presses. */
const BACKLOG = 60_000;

export const hand: Bench = {
  name: 'hand',
  about: `keys of a reviewer over ${EXPLANATIONS.toLocaleString('en')} explanations, quiet, then beside a drain and a preview of the policy`,
  run: async (fixture) => {
    const file = path.join(fixture.folder('hand'), 'ledger.sqlite');
    fillLedger(file, EXPLANATIONS, fixture.say);
    const browser = await ConsoleBrowser.open(() => file);
    fixture.after(() => browser.close());
    const page = await browser.window({ handsAnswersOver: true });
    await page.goto(new URL('/review', browser.url).href);
    await page.locator('article h2').waitFor();
    const quiet = await measured(page);
    fixture.say(told(quiet));
    const end = await keepBusy(fixture, browser, file);
    const busy = await measured(page);
    fixture.say(told(busy));
    await end();
    return [
      valueRow('next item by j, key to paint, p95', 'ms', quantile(quiet.j, 0.95), { atMost: 50 }),
      valueRow('previous item by k, key to paint, p95', 'ms', quantile(quiet.k, 0.95), { atMost: 50 }),
      valueRow('next item after a decision, key to paint, p95', 'ms', quantile(quiet.decisions, 0.95), { atMost: 100 }),
      valueRow('the same beside a drain and a preview, p95', 'ms', quantile(busy.decisions, 0.95), { atMost: 200 }),
      valueRow('next item by j beside them, p95', 'ms', quantile(busy.j, 0.95), { atMost: 200 }),
    ];
  },
};

/** Medians and 95th percentiles for the progress output. */
const told = (of: Record<string, number[]>): string =>
  Object.entries(of)
    .map(([name, times]) => `${name} p50 ${median(times).toFixed(0)} p95 ${quantile(times, 0.95).toFixed(0)} ms`)
    .join(', ');

async function measured(page: Page): Promise<Record<'j' | 'k' | 'decisions', number[]>> {
  const j = await presses(page, 'KeyJ', PRESSES);
  const k = await presses(page, 'KeyK', PRESSES / 2);
  const decisions = await presses(page, 'Control+Enter', PRESSES / 2, async () => {
    await decide(page, 'KeyA');
    await page.locator('article form').waitFor();
  });
  return { j, k, decisions };
}

/** From each press to the paint of another item, in ms; the first three do not count. */
async function presses(page: Page, key: string, count: number, before?: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let press = -3; press < count; press += 1) {
    await before?.();
    const measuring = page.evaluate<number>(`(async () => {${IN_PAGE}
      const former = location.pathname;
      const title = document.querySelector('article h2').textContent;
      document.documentElement.dataset.measuring = 'yes';
      const pressed = await new Promise((resolve) => {
        const hear = (event) => {
          if (event.key === 'Control') return;
          removeEventListener('keydown', hear, true);
          resolve(performance.timeOrigin + event.timeStamp);
        };
        addEventListener('keydown', hear, true);
      });
      delete document.documentElement.dataset.measuring;
      await seen(() => location.pathname !== former && document.querySelector('article h2')?.textContent !== title && document.querySelector('article h2'));
      return (await painted()) - pressed;
    })()`);
    await page.locator('html[data-measuring]').waitFor();
    await page.keyboard.press(key);
    const took = await measuring;
    if (press >= 0) times.push(took);
  }
  return times;
}

/** An Intake drains a backlog into the ledger, and a reviewer repeatedly previews a policy change. */
async function keepBusy(fixture: BenchFixture, browser: ConsoleBrowser, file: string): Promise<() => Promise<void>> {
  fixture.say('filling the cloud');
  const way = await openWay(fixture, BACKLOG);
  const intake = way.parts.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_INTAKE_UPSTREAM: way.url,
      CAUSEWAY_INTAKE_CERT: way.identity.cert,
      CAUSEWAY_INTAKE_KEY: way.identity.key,
      CAUSEWAY_INTAKE_CA: way.identity.ca,
    },
  });
  await intake.logLine('ready', (line) => line.msg === 'ready');
  const colleague = await browser.person('reviewer');
  let isOver = false;
  let looks = 0;
  const looking = (async () => {
    for (; !isOver; looks += 1)
      await colleague.ask('POST', '/api/v1/screening/preview', {
        days: 90,
        addWords: [{ word: `반도체 강세 ${looks}`, severity: 'BLOCK' }],
      });
  })();
  await waitFor('the first look at the policy', () => looks > 0);
  return async () => {
    isOver = true;
    await looking;
    fixture.say(`${looks} previews meanwhile`);
    await intake.stop();
  };
}
