/** The file of the program's settings, in its own data folder. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../diagnostics/log.ts';
import { NOTHING_CHOSEN, readSettings, type ProgramSettings } from './settings.ts';

const file = (): string => join(app.getPath('userData'), 'settings.json');

/** The user's choice; nothing without a valid file: then the user chooses again. */
export function storedSettings(log: Log): ProgramSettings {
  let text: string;
  try {
    text = readFileSync(file(), 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      log.error('settings cannot be read and must be chosen again', { reason: String(error) });
    return NOTHING_CHOSEN;
  }
  const settings = readSettings(text);
  if (settings === null) log.error('settings do not fit this version and must be chosen again', { file: file() });
  return settings ?? NOTHING_CHOSEN;
}

/** @throws when the file cannot be written; then the earlier one is still there */
export function keepSettings(settings: ProgramSettings): void {
  writeFileSync(`${file()}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file()}.new`, file());
}
