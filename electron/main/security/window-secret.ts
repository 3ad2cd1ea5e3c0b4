/** The secret by which the console API of this launch knows this program's window, and who gets to see it: nobody else. */
import { randomBytes } from 'node:crypto';
import type { Session } from 'electron';
import { WINDOW_SECRET_HEADER } from '../../../shared/wire/console/program.ts';
import { parseAddress } from './origins.ts';

export function makeWindowSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Has every request to the console carry the secret: pages, files, the API and the event stream alike. No page
 * sees it. `console` gives the console's address at that moment.
 */
export function carryWindowSecret(session: Session, secret: string, console: () => URL | null): void {
  session.webRequest.onBeforeSendHeaders(({ url, requestHeaders }, go) => {
    const isConsole = parseAddress(url)?.origin === console()?.origin;
    go({ requestHeaders: isConsole ? { ...requestHeaders, [WINDOW_SECRET_HEADER]: secret } : requestHeaders });
  });
}
