/**
 * Single sign-on as console, page and desktop program see it (D21). Login is the only surface without a session
 * (console API 5), so it covers both steps; between them the user is at the provider.
 */
import type { Role } from '../policy/roles.ts';

/** Where the provider returns the browser: a page of the console, or of the program's own listener. */
export const RETURN_PATH = '/sso/callback';

/** The name of the `meta` element that tells the page, before any login, that a provider is configured. */
export const OFFER_NAME = 'causeway-sign-in';

/** The name of the `meta` element that is present while no account exists: the first one can be registered. */
export const SET_UP_NAME = 'causeway-set-up';

/** The name of the `meta` element by which the server of a demo, and no other, tells that it is one (D231). */
export const DEMO_NAME = 'demo-offer';

/** The content of that element, as JSON. */
export interface DemoOffer {
  /** Accounts to log in as, with one press. */
  accounts: readonly DemoAccount[];
  /** The steps to try; absent where this server runs alone. */
  tour?: DemoTour;
}

export interface DemoAccount {
  username: string;
  password: string;
  /** Absent in a console with one role. */
  role?: Role;
}

/** Addresses of the rest of a demo. */
export interface DemoAround {
  operatorConsole: string;
  /** The page that shows a channel's card. */
  channelPage: string;
  /** The trading day that was replayed when the demo began, because the market was closed. */
  replayedDate?: string;
}

export interface DemoTour extends DemoAround {
  /** Of this demo: another one begins its steps anew. */
  id: string;
}

/** The content of the element of single sign-on, as JSON. */
export interface SignInOffer {
  /** The provider's display name. */
  label: string;
  /** Whether passwords are accepted as well. */
  passwords: boolean;
  /** The port at which the desktop program listens for the browser; 0 for any. */
  programPort: number;
}

/** Why a user who came from the provider is refused; in `errors` under `reason`. */
export const SIGN_IN_REFUSALS = [
  /** The sign-in was not begun here, was begun too long ago, or was already used. */
  'EXPIRED',
  /** The provider refuses. */
  'REFUSED',
  /** The provider's answer is not valid. */
  'INVALID',
  /** The provider names no role of this console. */
  'NO_ROLE',
  /** The provider leaves out the claim that names the roles, because the person is in too many groups. */
  'GROUPS_LEFT_OUT',
  /** The provider names several roles, and none contains another. */
  'SEVERAL_ROLES',
  /** The account was deactivated here. */
  'DEACTIVATED',
  /** The last active Tenant Admin would lose the role (D18). */
  'LAST_ADMIN',
  /** Passwords are not accepted here. */
  'PASSWORDS_OFF',
  /** The account is not as the audit log tells (D199). */
  'ALTERED',
  /** The provider does not answer. */
  'PROVIDER_DOWN',
] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

/** The outcome of a sign-in at the provider, as the program tells the page. */
export type SignInReturn =
  /** The browser returned: the query of its address. */
  | { kind: 'returned'; query: string }
  /** The user did not return: it took too long, or another sign-in was begun. */
  | { kind: 'abandoned' }
  /** The address must not be opened, or there is no browser. */
  | { kind: 'not-opened' };
