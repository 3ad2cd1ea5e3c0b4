/**
 * Whether the answering console has a version compatible with this program. Checked before the window goes there and
 * again at every page load: the console may be replaced under an open page.
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

/** Null: compatible, or no version reported. */
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

/** @param loaded receives the version header of each loaded page of the console */
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
