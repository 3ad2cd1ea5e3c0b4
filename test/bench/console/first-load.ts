/**
 * The first load of the review queue from an empty cache: its bytes on the wire, and the time until its first rows are
 * painted, beside the console of an earlier commit in the same run.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright';
import { launchChromium } from '../../support/chromium.ts';
import { PROJECT, TestFixture } from '../../support/process.ts';
import { median, ratioRow, valueRow, type Bench, type BenchFixture } from '../bench.ts';

/** The last commit before the page was made quicker. Its sources come from the repository's history. */
const BEFORE = '9e65b2e';
const EXPLANATIONS = 3_000;
const WAITING = 300;
const LOADS = 9;
/** Lines between browser and server: none, and one like that of a branch office. */
const LINES = {
  loopback: null,
  line: { offline: false, latency: 20, downloadThroughput: 20e6 / 8, uploadThroughput: 20e6 / 8 },
} as const;
/** The page has loaded everything once nothing has come for so long, in ms. */
const QUIET_MS = 1_500;

/** Records when the first row was painted, in ms since the page was requested. */
const WATCH = `globalThis.firstRows = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('[data-item]') === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  look();
})`;

export const firstLoad: Bench = {
  name: 'first-load',
  about: `the review queue from an empty cache, with ${WAITING} waiting items, beside the console of commit ${BEFORE}`,
  run: async (fixture) => {
    const consoles = { now: await openConsole(fixture, PROJECT), before: await openConsole(fixture, earlier(fixture)) };
    const browser = await launchChromium();
    fixture.after(() => browser.close());
    const at = async (line: keyof typeof LINES) => {
      const times = { now: [] as number[], before: [] as number[] };
      const sizes = { now: [] as number[], before: [] as number[] };
      for (let load = -1; load < LOADS; load += 1)
        for (const which of ['now', 'before'] as const) {
          const { rowsAt, bytes } = await measured(browser, consoles[which], LINES[line]);
          // The first one starts the browser's own processes.
          if (load < 0) continue;
          times[which].push(rowsAt);
          sizes[which].push(bytes);
        }
      const [now, before] = [median(times.now), median(times.before)];
      const [size, sizeBefore] = [median(sizes.now) / 1_000, median(sizes.before) / 1_000];
      fixture.say(
        `${line}: ${now.toFixed(0)} ms, ${size.toFixed(0)} KB; before ${before.toFixed(0)} ms, ${sizeBefore.toFixed(0)} KB`,
      );
      return { now, before, size };
    };
    const near = await at('loopback');
    const far = await at('line');
    return [
      ratioRow(`first rows, over commit ${BEFORE}, loopback`, 'ms', near.now, near.before, { atMost: 0.6 }),
      ratioRow('the same over 20 Mbit/s with 20 ms', 'ms', far.now, far.before, { atMost: 0.6 }),
      valueRow('first load on the wire, with fonts', 'KB', near.size, { atMost: 900 }),
    ];
  },
};

/** The sources of the earlier commit with the packages of this one, in a folder of their own. */
function earlier(fixture: BenchFixture): string {
  const folder = fixture.folder('before');
  const archive = execFileSync('git', ['archive', BEFORE], { cwd: PROJECT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const packages = path.join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(path.join(PROJECT, 'node_modules')))
    symlinkSync(path.join(PROJECT, 'node_modules', name), path.join(packages, name));
  return folder;
}

/** Builds the pages of these sources, fills a ledger by them, and starts their console API. @returns its address */
async function openConsole(fixture: BenchFixture, sources: string): Promise<string> {
  fixture.say(`building ${sources === PROJECT ? 'this console' : `that of ${BEFORE}`}`);
  const ledger = path.join(fixture.folder('ledger'), 'ledger.sqlite');
  const script = `
    const { ensurePages } = await import('./electron/packaging/build/pages.ts');
    await ensurePages({ pages: 'tenant', log: () => undefined });
    const { fillLedger } = await import('./test/bench/console/filled.ts');
    fillLedger(${JSON.stringify(ledger)}, ${EXPLANATIONS}, () => undefined, ${WAITING});
  `;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: sources, stdio: 'inherit' });
  const parts = new TestFixture();
  fixture.after(() => parts.clear());
  const api = parts.start(path.join(sources, 'electron/console-api/main.ts'), {
    cwd: sources,
    env: { CAUSEWAY_LEDGER: ledger, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  return (await api.listening()).url;
}

/** One load in a context of its own, in which nothing is cached. */
async function measured(
  browser: Browser,
  url: string,
  line: (typeof LINES)[keyof typeof LINES],
): Promise<{ rowsAt: number; bytes: number }> {
  const context = await browser.newContext({ locale: 'ko-KR', viewport: { width: 1440, height: 900 } });
  const login = await context.request.post(new URL('/api/v1/auth/login', url).href, {
    headers: { origin: new URL(url).origin },
    data: { username: 'reviewer', password: 'causeway-demo' },
  });
  if (!login.ok()) throw new Error(`reviewer cannot log in: ${login.status()}`);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  let bytes = 0;
  let lastAt = Date.now();
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    lastAt = Date.now();
  });
  await network.send('Network.enable');
  if (line !== null) await network.send('Network.emulateNetworkConditions', line);
  await page.goto(new URL('/review', url).href);
  const rowsAt = await page.evaluate<number>('globalThis.firstRows');
  while (Date.now() - lastAt < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 100));
  await context.close();
  return { rowsAt, bytes };
}
