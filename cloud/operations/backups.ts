/** The folder of the store's backups. The age of the newest file shows whether backups are still made, by any tool. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The time of the newest file in the folder and below it; null: there is none, or the folder cannot be read. */
export function lastBackupAt(folder: string): Date | null {
  try {
    const times = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)))
      .filter(({ size }) => size > 0)
      .map(({ mtimeMs }) => mtimeMs);
    return times.length === 0 ? null : new Date(times.reduce((newest, time) => Math.max(newest, time)));
  } catch {
    return null;
  }
}
