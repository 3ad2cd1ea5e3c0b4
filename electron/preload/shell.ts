import type { Seen, SetupView, ShellState } from '../main/ipc/channels.ts';
import type { ProgramSettings, SaveAnswer } from '../main/settings/settings.ts';

/** `window.causeway`, only on the program's own status page. */
export interface CausewayShell {
  state(): Promise<ShellState>;
  onState(heard: (state: ShellState) => void): void;
  /** The console's last known state; null: none since the program started. */
  seen(): Promise<Seen | null>;
  /** Retries at once. */
  retry(): Promise<void>;
}

/** `window.causewaySetup`, only on the program's own setup page. */
export interface CausewaySetup {
  read(): Promise<SetupView>;
  save(settings: ProgramSettings): Promise<SaveAnswer>;
}
