/**
 * What the tenant console tells the desktop program around it, for tray and notifications. Types alone: the
 * page makes it, the program checks it before it believes it.
 */
import type { SyncState } from './console.ts';

/** Told whenever it changes. Nulls: nobody is logged in, or the role has no part in it. */
export interface ConsoleReport {
  /** The language that the person reads the console in. */
  language: 'ko' | 'en';
  sync: SyncState | null;
  /** Explanations that wait for review. */
  waiting: number | null;
  /** The one that came last, for whoever may decide it. */
  newest: { id: string; name: string } | null;
}
