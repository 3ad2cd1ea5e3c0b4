/** The operator console's first screen, from an empty cache to lanes on the screen. */
import { pagesOf } from '../../../electron/packaging/build/pages.ts';
import { launchChromium } from '../../support/chromium.ts';
import { firstScriptBytes } from '../../support/initial-scripts.ts';
import { median, valueRow, type BenchFixture, type Row } from '../bench.ts';

const LOADS = 9;

/** Records when the first lane was painted, in ms since the page was requested. */
const WATCH = `globalThis.usable = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('tbody th a') === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  look();
})`;

/** @param cookie of an operator's session, as the server set it */
export async function consoleRows(fixture: BenchFixture, url: string, cookie: string): Promise<Row[]> {
  const browser = await launchChromium();
  fixture.after(() => browser.close());
  const [name = '', value = ''] = cookie.split('=');
  const times: number[] = [];
  for (let load = -1; load < LOADS; load += 1) {
    // A new context each: nothing is cached.
    const context = await browser.newContext({ locale: 'ko-KR', viewport: { width: 1440, height: 900 } });
    await context.addCookies([{ name, value, url }]);
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    await page.goto(url);
    const at = await page.evaluate<number>('globalThis.usable');
    // The first one starts the browser's own processes.
    if (load >= 0) times.push(at);
    await context.close();
  }
  return [
    valueRow('overview usable after a cold load, median', 'ms', median(times), { atMost: 1_000 }),
    valueRow('operator console, first JavaScript, compressed', 'KB', firstScriptBytes(pagesOf('operator')) / 1_000, {
      atMost: 250,
    }),
  ];
}
