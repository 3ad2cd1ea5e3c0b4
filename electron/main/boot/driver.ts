/** The start of a test build that a test drives by Chromium's remote debugging. */

/**
 * Resolves once the driver has attached, at once where there is none. A page that comes up beside the attachment may
 * wait for ever for a debugger, or the driver for the page. Call it before the program first waits, so that the driver's
 * call is not missed.
 */
export function driverAttached(): Promise<void> {
  if (!CAUSEWAY_TEST_BUILD || process.env['CAUSEWAY_CONSOLE_DRIVEN'] === undefined) return Promise.resolve();
  // A program that this one starts in its place is driven by nobody.
  delete process.env['CAUSEWAY_CONSOLE_DRIVEN'];
  // The name by which Playwright tells a program that it is attached.
  return new Promise((resolve) => {
    Object.assign(globalThis, { __playwright_run: () => resolve() });
  });
}
