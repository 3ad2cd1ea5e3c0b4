/**
 * The restrictions on every page in this program: Electron's security checklist in one place. They apply before the
 * first page is opened.
 */
import { app, shell, type Session, type WebPreferences } from 'electron';
import { caseAddress } from './links.ts';
import type { Log } from '../diagnostics/log.ts';
import { externalAddress, mayNavigate } from '../security/origins.ts';
import { refuseSwitches } from '../security/switches.ts';

/** The preferences of every page. The spell checker would fetch dictionaries from outside. */
export const PAGE_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  devTools: false,
  spellcheck: false,
  // Compiled code is kept from the first load on, not from the third.
  v8CacheOptions: 'bypassHeatCheck',
} as const satisfies WebPreferences;

/** Call before the program is ready. */
export function refuseUndoing(): void {
  refuseSwitches(process.argv.slice(1), {
    platform: process.platform,
    isTest: CAUSEWAY_TEST_BUILD,
    isRoot: process.getuid?.() === 0,
  });
}

/** Denies every permission and every device, requested or checked. */
export function denyPermissions(session: Session, log: Log): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    log.warn('permission denied', { permission });
    answer(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}

/**
 * Keeps every page of the program within the console's own origin. `console` gives its present address; `left` is
 * called when the page has left it after all, so that the console is shown again. `openCase` shows one case in a window
 * that the program creates: no page can create one.
 */
export function confinePages(
  console: () => URL | null,
  left: (reason: string) => void,
  openCase: (address: URL) => void,
  log: Log,
): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-frame-navigate', (event) => {
      if (mayNavigate(event.url, console())) return;
      event.preventDefault();
      log.warn('navigation refused', { url: event.url });
    });
    contents.on('will-redirect', (event) => {
      if (mayNavigate(event.url, console())) return;
      event.preventDefault();
      log.warn('redirect refused', { url: event.url });
      if (event.isMainFrame) left('redirect to another address');
    });
    // The only address that Chromium navigates to without asking.
    contents.on('did-navigate', (_navigated, url) => {
      if (url !== 'about:blank') return;
      log.warn('navigation undone', { url });
      left('the page went blank');
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      const address = externalAddress(url);
      const caseOf = caseAddress(url, console());
      if (caseOf !== null) openCase(caseOf);
      else if (address === null) log.warn('window refused', { url });
      else void openOutside(address, log);
      return { action: 'deny' };
    });
  });
  // No certificate of this machine's user is offered automatically.
  app.on('select-client-certificate', (event, _contents, _url, _certificates, choose) => {
    event.preventDefault();
    choose();
  });
}

async function openOutside(address: string, log: Log): Promise<void> {
  try {
    await shell.openExternal(address);
    log.info('link opened outside', { url: address });
  } catch (error) {
    log.warn('link could not be opened outside', { url: address, reason: String(error) });
  }
}
