import type { ShellState } from '../main/channels.ts';

/** `window.causeway` on the program's own status page, and nowhere else. */
export interface CausewayShell {
  state(): Promise<ShellState>;
  onState(heard: (state: ShellState) => void): void;
  /** Tries again at once. */
  retry(): Promise<void>;
}
