/** The packed desktop program: its start, key to paint, scrolling, and the first load of a browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensurePackaged } from '../../../electron/packaging/package.ts';
import { pagesOf } from '../../../electron/packaging/build/pages.ts';
import { hasDisplay, startDisplay } from '../../support/display.ts';
import { firstScriptBytes } from '../../support/initial-scripts.ts';
import { alternate, median, quantile, ratioRow, valueRow, type Bench, type BenchFixture } from '../bench.ts';
import { fillLedger } from '../console/filled.ts';
import { makeBareWindow } from './bare-window.ts';
import { CONTROL, IN_PAGE, startProgram, type Page, type Started } from './devtools.ts';

export const EXPLANATIONS = 100_000;
const STARTS = 7;
const DECISIONS = 40;

export const desktop: Bench = {
  name: 'desktop',
  about: `the packed program over ${EXPLANATIONS.toLocaleString('en')} explanations, beside a bare window on the same runtime`,
  run: async (fixture) => {
    await ensureDisplay(fixture);
    const { executable } = await ensurePackaged({ log: fixture.say, test: true });
    const ledger = path.join(fixture.folder('desktop'), 'ledger.sqlite');
    fillLedger(ledger, EXPLANATIONS, fixture.say);
    const starts = await coldStarts(fixture, executable, ledger);
    const program = await openQueue(executable, ledger, fixture.folder('console'));
    fixture.after(() => program.part.stop());
    const decided = await decisions(program.page);
    const frames = await scrolling(program.page);
    return [
      ratioRow('cold start to a usable queue', 'ms', median(starts.queue), median(starts.bare), { atMost: 2 }),
      valueRow('cold start to a usable queue, median', 'ms', median(starts.queue), { atMost: 2_500 }),
      valueRow('cold start to the login screen, median', 'ms', median(starts.login), { atMost: 2_500 }),
      valueRow('next item after a decision, key to paint, p95', 'ms', quantile(decided, 0.95), { atMost: 100 }),
      valueRow('scrolling the board, longest frame', 'ms', Math.max(...frames), { atMost: 50 }),
      valueRow('first JavaScript, compressed', 'KB', firstScriptBytes(pagesOf('tenant')) / 1_000, { atMost: 250 }),
    ];
  },
};

export async function ensureDisplay(fixture: BenchFixture): Promise<void> {
  if (hasDisplay()) return;
  const display = await startDisplay();
  process.env['DISPLAY'] = display.name;
  fixture.after(async () => {
    delete process.env['DISPLAY'];
    await display.end();
  });
}

interface Starts {
  bare: number[];
  login: number[];
  queue: number[];
}

/** Alternating, so that a noisy machine affects both. Between two starts the ledger is unchanged. */
async function coldStarts(fixture: BenchFixture, executable: string, ledger: string): Promise<Starts> {
  // Beside the build, so that its files can be linked.
  const folder = mkdtempSync(path.join(path.dirname(path.dirname(executable)), 'bench-'));
  fixture.after(() => rmSync(folder, { recursive: true }));
  const bare = makeBareWindow(executable, folder);
  const starts: Starts = { bare: [], login: [], queue: [] };
  const keep = { bare: fixture.folder('bare-data'), ours: fixture.folder('data') };
  const startBare = async (): Promise<void> => {
    const { part, at, page } = await startProgram(bare, { BENCH_DATA: keep.bare });
    starts.bare.push(
      (await page.valueIn<number>(
        'data:',
        `(async () => {${IN_PAGE} await seen(() => document.querySelector('td')); return painted(); })()`,
      )) - at,
    );
    await part.stop();
  };
  const startOurs = async (): Promise<void> => {
    const { part, at, login, queue } = await openQueue(executable, ledger, keep.ours);
    starts.login.push(login - at);
    starts.queue.push(queue - at);
    await part.stop();
  };
  await alternate({ bare: { run: startBare }, ours: { run: startOurs } }, { rounds: STARTS, warmUp: 1 });
  // The first of each does not count.
  const counted = (times: number[]): number[] => times.slice(1);
  return { bare: counted(starts.bare), login: counted(starts.login), queue: counted(starts.queue) };
}

/** Starts the program and logs in at a script's speed; paint times in ms of the system's clock. */
export async function openQueue(
  executable: string,
  ledger: string,
  data: string,
  more: Record<string, string> = {},
): Promise<Started & { login: number; queue: number }> {
  const started = await startProgram(executable, {
    CAUSEWAY_LEDGER: ledger,
    CAUSEWAY_CONSOLE_DATA: data,
    CAUSEWAY_DEMO: '1',
    ...more,
  });
  const login = await started.page.valueIn<number>(
    'http:',
    `(async () => {${IN_PAGE}
    const name = await seen(() => document.querySelector('input[name=username]'));
    const at = await painted();
    write(name, 'reviewer');
    write(document.querySelector('input[name=password]'), 'causeway-demo');
    name.form.requestSubmit();
    return at;
  })()`,
  );
  const queue = await started.page.value<number>(`(async () => {${IN_PAGE}
    if (location.pathname === '/') await seen(() => document.querySelector('nav a[href="/review"]')).then((link) => link.click());
    await seen(() => document.querySelector('article h2'));
    return painted();
  })()`);
  return { ...started, login, queue };
}

/** From the key that sends a decision to the paint of the next item, in ms. */
async function decisions(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let count = -3; count < DECISIONS; count += 1) {
    const measured = page.value<number>(`(async () => {${IN_PAGE}
      const before = location.pathname;
      const pressed = await new Promise((resolve) => addEventListener('keydown', (event) => {
        if (event.code === 'Enter' && event.ctrlKey) resolve(performance.timeOrigin + event.timeStamp);
      }, { capture: true }));
      const title = document.querySelector('article h2').textContent;
      await seen(() => location.pathname !== before && document.querySelector('article h2')?.textContent !== title && document.querySelector('article h2'));
      return (await painted()) - pressed;
    })()`);
    await page.value(`(async () => {${IN_PAGE} await seen(() => document.querySelector('[data-keys=awake]')); })()`);
    await page.press('KeyA', 'a');
    await page.value(
      `(async () => {${IN_PAGE} await seen(() => document.querySelector('article form')); await painted(); })()`,
    );
    await page.press('Enter', 'Enter', CONTROL);
    const took = await measured;
    if (count >= 0) times.push(took);
  }
  return times;
}

/** Frame times while the board is scrolled, first row by row and then through the whole list, in ms. */
async function scrolling(page: Page): Promise<number[]> {
  return page.value<number[]>(`(async () => {${IN_PAGE}
    document.querySelector('nav a[href="/explanations"]').click();
    await seen(() => location.pathname === '/explanations' && document.querySelector('tbody a'));
    const scroller = await seen(() => [...document.querySelectorAll('div')].find((one) => one.scrollHeight > 1_000_000 && getComputedStyle(one).overflowY !== 'visible'));
    await painted();
    const frames = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const scroll = async (steps, by) => {
      let last = await frame();
      for (let step = 0; step < steps; step += 1) {
        scroller.scrollTop += by;
        const now = await frame();
        frames.push(now - last);
        last = now;
      }
    };
    await scroll(300, 99);
    await scroll(300, Math.floor(scroller.scrollHeight / 310));
    await scroll(100, -330);
    return frames;
  })()`);
}
