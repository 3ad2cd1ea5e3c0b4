import type { ShellState } from '../main/channels.ts';
import type { ConsoleReport } from '../../shared/wire/program.ts';

/** `window.causeway` on the program's own status page, and nowhere else. */
export interface CausewayShell {
  state(): Promise<ShellState>;
  onState(heard: (state: ShellState) => void): void;
  /** Tries again at once. */
  retry(): Promise<void>;
}

/** `window.causewayProgram` on the console's page in the program; in a browser there is none. */
export interface CausewayProgram {
  report(report: ConsoleReport): Promise<void>;
}
