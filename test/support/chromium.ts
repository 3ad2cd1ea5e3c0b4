/** Chromium for tests, as quick to open a window as it gets. */
import { chromium, type Browser } from 'playwright';

/**
 * What the address bar of every new window loads beforehand: two pages of Chromium's own, which take three times the
 * processor time of the window itself. No test looks at the address bar.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Chromium takes the last list of features alone, so this one repeats Playwright's. */
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

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', `--disable-features=${[...PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`],
  });
}
