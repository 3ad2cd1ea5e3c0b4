/** Links into the program: `causeway://review/<id>` and `causeway://explanations/<id>`. Pure. */

export const LINK_SCHEME = 'causeway';

/** Where a link leads. Its author can choose no more than this. */
export interface Route {
  screen: 'review' | 'explanations';
  id: string;
}

const SCREENS = ['review', 'explanations'] as const;
/** Besides, a page that shows one item of the review alone. */
const CASES = [...SCREENS, 'case'] as const;
/** The ids of explanations are opaque (D56), but made of these signs. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The route of a link, or null: another scheme, another screen, an odd id, or anything besides. */
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
 * The case that a page of the console wants in a window of its own: the address of one item of this console, and
 * nothing besides. Null for any other address.
 */
export function caseAddress(text: string, console: URL | null): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const [, screen, id, ...rest] = url.pathname.split('/');
  const isCase = CASES.some((one) => one === screen) && id !== undefined && ID.test(id) && rest.length === 0;
  const isPlain = [url.username, url.password, url.search, url.hash].every((part) => part === '');
  return isCase && isPlain && url.origin === console?.origin ? url : null;
}

/** The link among the arguments of a start, as the system hands it over; null for none. */
export function linkAmong(args: readonly string[]): string | null {
  return args.find((one) => one.startsWith(`${LINK_SCHEME}:`)) ?? null;
}

/** The console's address of a route. */
export function pathOf({ screen, id }: Route): string {
  return `/${screen}/${encodeURIComponent(id)}`;
}
