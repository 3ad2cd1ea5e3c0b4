/** The user's choice with what overrides it: the administrator's settings, and for the console the environment. */
import type { Log } from '../diagnostics/log.ts';
import { inForce, type ManagedSettings } from './managed-settings.ts';
import { keepSettings, storedSettings } from './settings-file.ts';
import { lacksTenant, settingsProblems, type ProgramSettings, type SaveAnswer } from './settings.ts';

export class SettingsStore {
  readonly #managed: ManagedSettings;
  readonly #isNamed: boolean;
  readonly #log: Log;
  #chosen: ProgramSettings;

  /** @param isNamed whether the environment names the console */
  constructor(managed: ManagedSettings, isNamed: boolean, log: Log) {
    this.#managed = managed;
    this.#isNamed = isNamed;
    this.#log = log;
    this.#chosen = storedSettings(log);
  }

  /** The user's own. */
  get chosen(): ProgramSettings {
    return this.#chosen;
  }

  get inForce(): ProgramSettings {
    return inForce(this.#chosen, this.#managed);
  }

  /** The settings that the user cannot change. */
  get fixed(): Record<keyof ProgramSettings, boolean> {
    const { console, updates, contentProtection, keepRunning, lockMinutes } = this.#managed;
    return {
      console: console !== undefined || this.#isNamed,
      updates: updates !== undefined,
      contentProtection: contentProtection !== undefined,
      keepRunning: keepRunning !== undefined,
      lockMinutes: lockMinutes !== undefined,
    };
  }

  /** Keeps a choice. What overrides it is not the user's choice, and is not kept as one. */
  keep(asked: ProgramSettings): SaveAnswer {
    const before = this.#chosen;
    const { fixed } = this;
    const problems = settingsProblems(asked);
    if (!fixed.console && lacksTenant(asked, before)) problems.push('tenant');
    if (problems.length > 0) return { kind: 'wrong', problems };
    const settings: ProgramSettings = {
      console: fixed.console ? before.console : asked.console,
      updates: fixed.updates ? before.updates : asked.updates,
      contentProtection: fixed.contentProtection ? before.contentProtection : asked.contentProtection,
      keepRunning: fixed.keepRunning ? before.keepRunning : asked.keepRunning,
      lockMinutes: fixed.lockMinutes ? before.lockMinutes : asked.lockMinutes,
    };
    try {
      keepSettings(settings);
    } catch (error) {
      this.#log.error('settings not kept', { reason: String(error) });
      return { kind: 'not-written', reason: error instanceof Error ? error.message : String(error) };
    }
    this.#log.info('settings kept', { mode: settings.console?.mode ?? null, updates: settings.updates !== null });
    this.#chosen = settings;
    return { kind: 'saved' };
  }
}
