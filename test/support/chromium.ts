/** Chromium for tests, with the fastest way to open a window. */
import { chromium, type Browser, type BrowserContext, type LaunchOptions } from 'playwright';

/**
 * Pages that the address bar of every new window preloads: two of Chromium's own, which take three times the processor
 * time of the window itself. No test uses the address bar.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Chromium uses only the last list of features, so this one repeats Playwright's. */
const PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export const CHROMIUM = '/usr/bin/chromium';

/** A browser of the caller's own, which the caller closes. */
export function launchChromium(options: Pick<LaunchOptions, 'handleSIGINT' | 'handleSIGTERM'> = {}): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath: CHROMIUM,
    args: ['--no-sandbox', `--disable-features=${[...PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`],
  });
}

/** What a test file uses of the browser of its process: contexts, which share nothing with those of other files. */
export interface SharedBrowser {
  newContext: Browser['newContext'];
  /** Closes the contexts of this caller. */
  close(): Promise<void>;
}

/** The browser of this process, once one has started. Playwright ends it together with the process. */
let running: Promise<Browser | null> = Promise.resolve(null);

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
      contexts.push(context);
      return context;
    },
    close: async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
    },
  };
}
