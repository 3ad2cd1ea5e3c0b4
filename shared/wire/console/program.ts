/**
 * The messages between the tenant console and the desktop program around it: the report for tray and notifications,
 * which the page sends and the program validates, and the header by which the program's own console API recognises the
 * program's window.
 */
import type { SyncState } from './console.ts';
import type { SignInReturn } from '../sign-in.ts';

/** The header of a request from the program's window to the console API that the program runs. */
export const WINDOW_SECRET_HEADER = 'x-causeway-window';

/** The colour settings; `auto` follows the system. */
export const COLOUR_SCHEMES = ['light', 'dark', 'auto'] as const;
export type ColourScheme = (typeof COLOUR_SCHEMES)[number];

/** `window.causewayProgram` on the console's page in the program; absent in a browser. */
export interface ConsoleProgram {
  report(report: ConsoleReport): Promise<void>;
  /** Tells the program the console's colours; an older program follows the system. */
  appear?(scheme: ColourScheme): Promise<void>;
  /** Tells the program the console's language; an older program follows the system. */
  speak?(language: 'ko' | 'en'): Promise<void>;
  /** Offers the page's acts for the program's menus; none without a user. An older program has no such menus. */
  offerMenu?(acts: readonly MenuAct[]): Promise<void>;
  /** Takes the acts that a menu calls, in place of an earlier listener. */
  onAct?(heard: (id: string) => void): void;
  /** Takes the program's call to end the session, in place of an earlier listener. */
  onLock?(heard: () => void): void;
  /** Prints the page as it is now as a PDF of A4 pages, in its print layout; an older program cannot. */
  printPdf?(): Promise<Uint8Array>;
  /** Sign-in through the system's browser (D21). */
  signIn: {
    /**
     * Listens for the browser at a port, 0 for a free one. Returns the address to come back to; null if the port is
     * taken.
     */
    listen(port: number): Promise<string | null>;
    /** Opens the provider in the browser, and returns the outcome. */
    open(address: string): Promise<SignInReturn>;
  };
}

/** The menus that take acts of the page. */
export const MENU_PLACES = ['file', 'review', 'go', 'view', 'help'] as const;
export type MenuPlace = (typeof MENU_PLACES)[number];

/** An act of the page as a menu shows it. */
export interface MenuAct {
  id: string;
  place: MenuPlace;
  /** In the console's language. */
  label: string;
  /** The sign on its key, or two with a space between that follow one another; null for none. */
  keys: string | null;
  isEnabled: boolean;
}

/** Sent at every change. Null values: no user is logged in, or the role has no part in it. */
export interface ConsoleReport {
  /** The user's language in the console. */
  language: 'ko' | 'en';
  sync: SyncState | null;
  /** Explanations waiting for review. */
  waiting: number | null;
  /** The newest one, if the user may decide it. */
  newest: { id: string; name: string } | null;
  /** The age of the counts as durations, so that clocks need not agree; null when no user is logged in. */
  queue?: QueueAge | null;
  /** Second opinions that colleagues have requested from this user; null if unknown or not applicable. */
  asked?: { count: number; newest: { id: string; name: string } | null } | null;
}

export interface QueueAge {
  /** Time in ms since the API's last good answer; 0 while its event stream is open. */
  answeredMs: number;
  /** Waiting time of the oldest item; null if none waits or it is unknown. */
  oldestMs: number | null;
}
