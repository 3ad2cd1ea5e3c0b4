/**
 * Reports the state of the work to the desktop program, for its tray and notifications. A browser has no such program.
 */
import type { ConsoleProgram, ConsoleReport } from '../../shared/wire/console/program.ts';

declare global {
  interface Window {
    causewayProgram?: ConsoleProgram;
  }
}

/** Whether the page runs in the program's window. */
export const isInProgram = (): boolean => window.causewayProgram !== undefined;

/** Sends the report; without a program it does nothing. */
export function reportToProgram(report: ConsoleReport): void {
  // An older program that refuses the report has a tray with fewer details, which needs no message.
  window.causewayProgram?.report(report).catch(() => undefined);
}
