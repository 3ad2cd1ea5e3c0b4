/** Chromium for tests, with the fastest way to open a window. */
import { chromium, type Browser, type LaunchOptions } from 'playwright';

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

export function launchChromium(options: Pick<LaunchOptions, 'handleSIGINT' | 'handleSIGTERM'> = {}): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath: CHROMIUM,
    args: ['--no-sandbox', `--disable-features=${[...PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`],
  });
}
