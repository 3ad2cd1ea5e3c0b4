/**
 * The messages between the tenant console and the desktop program around it: the report for tray and
 * notifications, which the page makes and the program checks before it believes it, and the header by which a
 * console API of the program's own knows the program's window.
 */
import type { SyncState } from './console.ts';
import type { SignInReturn } from '../sign-in.ts';

/** The header of a request from the program's window to the console API that the program runs. */
export const WINDOW_SECRET_HEADER = 'x-causeway-window';

/** The choices for the colours; `auto`: as the system has it. */
export const COLOUR_SCHEMES = ['light', 'dark', 'auto'] as const;
export type ColourScheme = (typeof COLOUR_SCHEMES)[number];

/** `window.causewayProgram` on the console's page in the program; in a browser there is none. */
export interface ConsoleProgram {
  report(report: ConsoleReport): Promise<void>;
  /** Which colours the console has; an older program takes it from the system. */
  appear?(scheme: ColourScheme): Promise<void>;
  /** Signing in in the system's browser (D21). */
  signIn: {
    /** Waits for the browser at a port, 0 for a free one: where it comes back to. Null where the port is taken. */
    listen(port: number): Promise<string | null>;
    /** Opens the provider there, and gives what came back. */
    open(address: string): Promise<SignInReturn>;
  };
}

/** Told whenever it changes. Nulls: nobody is logged in, or the role has no part in it. */
export interface ConsoleReport {
  /** The language that the person reads the console in. */
  language: 'ko' | 'en';
  sync: SyncState | null;
  /** Explanations that wait for review. */
  waiting: number | null;
  /** The one that came last, for whoever may decide it. */
  newest: { id: string; name: string } | null;
  /** How old it all is, by durations, so that no clock has to agree; null where nobody is logged in. */
  queue?: QueueAge | null;
  /** The opinions that colleagues ask of this person; null where that is not known, or not for them. */
  asked?: { count: number; newest: { id: string; name: string } | null } | null;
}

export interface QueueAge {
  /** Since the API's last good answer; 0 while it tells of every change. */
  answeredMs: number;
  /** How long the oldest item waits; null where none does, or that is not known. */
  oldestMs: number | null;
}
