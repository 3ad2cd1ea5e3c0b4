/** Links into the program: `causeway://review/<id>` and `causeway://explanations/<id>`. Pure. */

export const LINK_SCHEME = 'causeway';

/** The target of a link. Its author can choose no more than this. */
export interface Route {
  screen: 'review' | 'explanations';
  id: string;
}

const SCREENS = ['review', 'explanations'] as const;
/** Also a page that shows only one review item. */
const CASES = [...SCREENS, 'case'] as const;
/** The ids of explanations are opaque (D56), but consist of these characters. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The route of a link; null for another scheme, another screen, an invalid id, or any addition. */
export function readLink(text: string): Route | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, hostname, pathname, username, password, port, search, hash } = url;
  const screen = SCREENS.find((one) => one === hostname);
  if (protocol !== `${LINK_SCHEME}:` || screen === undefined) return null;
  if ([username, password, port, search, hash].some((part) => part !== '')) return null;
  const id = pathname.slice(1);
  return ID.test(id) ? { screen, id } : null;
}

/**
 * The case that a page of the console opens in a window of its own: exactly the address of one item of this console.
 * Null for any other address.
 */
export function caseAddress(text: string, console: URL | null): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const [, screen, id, ...rest] = url.pathname.split('/');
  const isCase = CASES.some((one) => one === screen) && id !== undefined && ID.test(id) && rest.length === 0;
  const isPlain = [url.username, url.password, url.search, url.hash].every((part) => part === '');
  return isCase && isPlain && url.origin === console?.origin ? url : null;
}

/** The link among the arguments of a start, as the system passes it; null for none. */
export function linkAmong(args: readonly string[]): string | null {
  return args.find((one) => one.startsWith(`${LINK_SCHEME}:`)) ?? null;
}

/** The console's address of a route. */
export function pathOf({ screen, id }: Route): string {
  return `/${screen}/${encodeURIComponent(id)}`;
}
