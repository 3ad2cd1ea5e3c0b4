/** The console's report about its work, and the part of it that deserves a notification. Pure. */
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';

/** Items for a notification: their number, and the latest. */
interface Notified {
  count: number;
  newest: { id: string; name: string } | null;
}

/** The subject of a notification. */
export interface Arrival {
  kind: 'waiting' | 'asked';
  id: string;
  name: string;
  count: number;
}

/**
 * The item that has just arrived, or for which a colleague has just requested an opinion; or null. A login does not
 * announce waiting items, and no item is announced twice.
 */
export function arrivalOf(before: ConsoleReport | null, now: ConsoleReport): Arrival | null {
  if (before === null) return null;
  const asked = newOf(before.asked ?? null, now.asked ?? null);
  if (asked !== null) return { kind: 'asked', ...asked };
  const waiting = newOf(waitingOf(before), waitingOf(now));
  return waiting === null ? null : { kind: 'waiting', ...waiting };
}

function waitingOf({ waiting, newest }: ConsoleReport): Notified | null {
  return waiting === null ? null : { count: waiting, newest };
}

function newOf(before: Notified | null, now: Notified | null): Omit<Arrival, 'kind'> | null {
  if (before === null || now === null || now.newest === null) return null;
  if (now.count <= before.count || now.newest.id === before.newest?.id) return null;
  return { ...now.newest, count: now.count };
}
