/**
 * Whether the console that answers is of a version that fits this program. Asked before the window goes there, and
 * looked at again whenever a page is loaded: a console may have been replaced under a page that stayed open.
 */
import type { Session } from 'electron';
import {
  differenceOf,
  OWN_VERSIONS,
  readVersions,
  VERSION_HEADER,
  type Versions,
} from '../../../shared/wire/version.ts';
import type { Problem } from './connection.ts';

/** Null: it fits, or it does not tell. */
export function misfitOf(told: string | null, own: Versions = OWN_VERSIONS): Problem | null {
  const theirs = readVersions(told);
  const difference = theirs === null ? null : differenceOf(own, theirs, 'program');
  if (difference?.isIncompatible !== true) return null;
  return {
    kind: 'other-version',
    reason: `${difference.own} / ${difference.theirs}`,
    older: difference.older === 'OWN' ? 'program' : 'console',
  };
}

/** @param loaded what the header of a page of the console said */
export function watchPageVersions(
  session: Session,
  isConsole: (url: string) => boolean,
  loaded: (told: string | null) => void,
): void {
  const pages = { urls: ['http://*/*', 'https://*/*'], types: ['mainFrame' as const] };
  session.webRequest.onHeadersReceived(pages, ({ url, responseHeaders = {} }, go) => {
    if (isConsole(url)) loaded(headerOf(responseHeaders));
    go({});
  });
}

function headerOf(headers: Record<string, string[]>): string | null {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === VERSION_HEADER);
  return name === undefined ? null : (headers[name]?.[0] ?? null);
}
