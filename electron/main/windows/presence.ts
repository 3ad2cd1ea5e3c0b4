/** The console's report to the program about its work, and the part of it that is worth a notification. Pure. */
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';

/** Items that a notification can tell of: how many there are, and the last of them. */
interface Told {
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
 * The item that has just come, or about which a colleague has just asked for an opinion; or null. A person who logs in
 * is not told of what waits already, and neither is anybody told again of what was told.
 */
export function arrivalOf(before: ConsoleReport | null, now: ConsoleReport): Arrival | null {
  if (before === null) return null;
  const asked = newOf(before.asked ?? null, now.asked ?? null);
  if (asked !== null) return { kind: 'asked', ...asked };
  const waiting = newOf(waitingOf(before), waitingOf(now));
  return waiting === null ? null : { kind: 'waiting', ...waiting };
}

function waitingOf({ waiting, newest }: ConsoleReport): Told | null {
  return waiting === null ? null : { count: waiting, newest };
}

function newOf(before: Told | null, now: Told | null): Omit<Arrival, 'kind'> | null {
  if (before === null || now === null || now.newest === null) return null;
  if (now.count <= before.count || now.newest.id === before.newest?.id) return null;
  return { ...now.newest, count: now.count };
}
