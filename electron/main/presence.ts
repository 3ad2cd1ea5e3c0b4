/** What the console tells the program about its work, and what of it is worth a notification. Pure. */
import type { ConsoleReport } from '../../shared/wire/program.ts';

/**
 * The item that has just come, or null. Whoever logs in is not told of what waits already, and neither is
 * anybody told again of what was told.
 */
export function arrivalOf(before: ConsoleReport | null, now: ConsoleReport): { id: string; name: string } | null {
  if (before === null || before.waiting === null || now.waiting === null || now.newest === null) return null;
  if (now.waiting <= before.waiting || now.newest.id === before.newest?.id) return null;
  return now.newest;
}
