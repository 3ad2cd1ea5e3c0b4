/** The secret by which this launch's console API recognises this program's window. No page can read it. */
import { randomBytes } from 'node:crypto';
import type { Session } from 'electron';
import { WINDOW_SECRET_HEADER } from '../../../shared/wire/console/program.ts';
import { parseAddress } from './origins.ts';

export function makeWindowSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Adds the secret to every request to the console: pages, files, the API and the event stream. `console` gives the
 * console's present address.
 */
export function carryWindowSecret(session: Session, secret: string, console: () => URL | null): void {
  session.webRequest.onBeforeSendHeaders(({ url, requestHeaders }, go) => {
    const isConsole = parseAddress(url)?.origin === console()?.origin;
    go({ requestHeaders: isConsole ? { ...requestHeaders, [WINDOW_SECRET_HEADER]: secret } : requestHeaders });
  });
}
