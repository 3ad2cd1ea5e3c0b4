/** The folder in which backups of the store lie: whatever makes them, the age of the newest file says whether it still does. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** When the newest file of the folder, or of a folder in it, was written; null: there is none, or it cannot be looked at. */
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
