/**
 * Single sign-on as console, page and desktop program see it (D21). The login is the only surface without a session
 * (console API 5), so it takes both steps of it; between them the person is with the provider.
 */

/** Where the provider sends the browser back to: a page of the console, or of the program's own listener. */
export const RETURN_PATH = '/sso/callback';

/** The name of the `meta` element by which the page knows, before anybody is logged in, that there is a provider. */
export const OFFER_NAME = 'causeway-sign-in';

/**
 * The name of the `meta` element that stands in the page while there is no account: the first one can be registered.
 */
export const SET_UP_NAME = 'causeway-set-up';

/** The content of that element, as JSON. */
export interface SignInOffer {
  /** The name that people know the provider by. */
  label: string;
  /** Whether passwords are taken as well. */
  passwords: boolean;
  /** The port at which the desktop program waits for the browser; 0 for any. */
  programPort: number;
}

/** Why somebody who came from the provider is not let in; stands in `errors` under `reason`. */
export const SIGN_IN_REFUSALS = [
  /** The sign-in was not begun here, or too long ago, or it was used already. */
  'EXPIRED',
  /** The provider says no. */
  'REFUSED',
  /** The provider's answer does not hold. */
  'INVALID',
  /** The provider gives no role of this console. */
  'NO_ROLE',
  /** It gives more than one, and none contains another. */
  'SEVERAL_ROLES',
  /** The account was deactivated here. */
  'DEACTIVATED',
  /** The last active Tenant Admin would become something else (D18). */
  'LAST_ADMIN',
  /** Passwords are not taken here. */
  'PASSWORDS_OFF',
  /** The provider does not answer. */
  'PROVIDER_DOWN',
] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

/** The outcome of a person's way to the provider, as the program tells the page. */
export type SignInReturn =
  /** The return of the browser: the query of its address. */
  | { kind: 'returned'; query: string }
  /** The person did not come back: it took too long, or another sign-in was begun. */
  | { kind: 'abandoned' }
  /** The address is none that may be opened, or there is no browser. */
  | { kind: 'not-opened' };
