/**
 * Origins: the console's own, the program's own pages, and everything
 * else. Every check compares parsed addresses, never parts of a text. Pure.
 */

/** Scheme and addresses of the program's own pages: status, settings, manual. */
export const SHELL_SCHEME = 'causeway-shell';
export const SHELL_PAGES = ['status', 'setup', 'manual'] as const;
export type ShellPage = (typeof SHELL_PAGES)[number];

export function shellAddress(page: ShellPage): string {
  return `${SHELL_SCHEME}://${page}/`;
}

/** The parsed address; null for an invalid one. */
export function parseAddress(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** The program's own page at an address, or null. */
export function shellPageOf(text: string): ShellPage | null {
  const url = parseAddress(text);
  if (url?.protocol !== `${SHELL_SCHEME}:`) return null;
  return SHELL_PAGES.find((page) => page === url.host) ?? null;
}

/**
 * Whether a page may navigate the window, or a frame in it, to an address: only within the console's own origin. Only
 * the program itself loads its own pages.
 */
export function mayNavigate(text: string, console: URL | null): boolean {
  const url = parseAddress(text);
  if (url === null || console === null) return false;
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === console.origin;
}

/** The address to pass to the system's browser, or null: only https, without credentials, as parsed. */
export function externalAddress(text: string): string | null {
  const url = parseAddress(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  return url.href;
}
