/** Telling the desktop program how the work stands, for its tray and its notifications. A browser has no such program. */
import type { ConsoleProgram, ConsoleReport } from '../../shared/wire/console/program.ts';

declare global {
  interface Window {
    causewayProgram?: ConsoleProgram;
  }
}

/** Whether the page stands in the program's window. */
export const isInProgram = (): boolean => window.causewayProgram !== undefined;

/** Tells the program; where there is none, nobody. */
export function reportToProgram(report: ConsoleReport): void {
  // An older program that refuses the report has a tray that says less: nothing that a person must hear of.
  window.causewayProgram?.report(report).catch(() => undefined);
}
