/** Backups of the store as the doctor sees them: whether any are watched, and how old the newest is. */
import { warn, ok, wrong, type Finding } from '../../shared/service/findings.ts';
import { lastBackupAt } from '../service/backups.ts';

const HOUR_MS = 3_600_000;
/** A backup that is older than this was missed at least once. */
const BACKUP_HOURS = 36;

/** @param isServer whether the store is on a server: the embedded one is for demo and tests */
export function checkBackups(folder: string | undefined, isServer: boolean, now: Date): Finding[] {
  if (folder === undefined) {
    const todo = "name the folder in which the store's backups lie in CAUSEWAY_BACKUP_FOLDER: guide/backup.md";
    return isServer ? [warn('backups', 'none are watched: one that fails every night would not be seen', todo)] : [];
  }
  const last = lastBackupAt(folder);
  if (last === null)
    return [wrong('backups', `there is none in ${folder}, or it cannot be read`, 'make one: guide/backup.md')];
  const hours = Math.max(0, (now.getTime() - last.getTime()) / HOUR_MS);
  const said = `the newest in ${folder} is ${Math.floor(hours)} hours old`;
  return [hours > BACKUP_HOURS ? wrong('backups', said, 'see why none was made since') : ok('backups', said)];
}
