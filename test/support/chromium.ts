/** Chromium for tests. */
import { chromium, type Browser, type BrowserContext, type LaunchOptions } from 'playwright';

/** Chromium without a window of its own: a page takes half the processor time that it takes in the whole browser. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** A browser of the caller's own, which the caller closes. */
export function launchChromium(options: Pick<LaunchOptions, 'handleSIGINT' | 'handleSIGTERM'> = {}): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath: CHROMIUM,
    args: ['--no-sandbox'],
  });
}

/**
 * What a test file uses of the browser of its process: contexts, which share nothing with those of other files. One that
 * is opened in a test closes with it, one that is opened in a hook of the file stays until `close`.
 */
export interface SharedBrowser {
  newContext: Browser['newContext'];
  /** Closes the contexts that this caller opened outside of tests. */
  close(): Promise<void>;
}

/** The browser of this process, once one has started. Playwright ends it together with the process. */
let running: Promise<Browser | null> = Promise.resolve(null);

/** Contexts of the test that runs now, or null between tests. */
let ofTest: BrowserContext[] | null = null;

/** A context that is opened from now on closes with the test. */
export function beginTest(): void {
  ofTest = [];
}

/** Closes the windows of the test: an idle one asks for news, and takes 6 % of a processor. */
export async function endTest(): Promise<void> {
  const contexts = ofTest ?? [];
  ofTest = null;
  await Promise.all(contexts.map((context) => context.close()));
}

/**
 * A page of tests draws no picture of something that turns or fades: a busy machine draws hundreds while a page loads,
 * in a quarter of the processor time of the load. What an animation shows late (`sending`) is still shown late.
 */
function standStill(): void {
  const still = new CSSStyleSheet();
  still.replaceSync(
    '*, ::before, ::after { transition: none !important } .mantine-Loader-root::after { animation: none !important }',
  );
  document.adoptedStyleSheets.push(still);
}

/** The browser that the test files of a process share: a new one would load its code again for each file. */
export async function openBrowser(): Promise<SharedBrowser> {
  const started = running.then((browser) => (browser?.isConnected() === true ? browser : launchChromium()));
  // A browser that did not start fails this caller, and the next one starts another.
  running = started.catch(() => null);
  const browser = await started;
  const contexts: BrowserContext[] = [];
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      await context.addInitScript(standStill);
      (ofTest ?? contexts).push(context);
      return context;
    },
    close: async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
    },
  };
}
