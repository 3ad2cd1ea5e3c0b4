/** Backups of the store as the doctor sees them: whether any are watched, and how old the newest is. */
import { warn, ok, wrong, type Finding } from '../../shared/service/findings.ts';
import { lastBackupAt } from '../operations/backups.ts';

const HOUR_MS = 3_600_000;
/** A backup that is older than this was missed at least once. */
const BACKUP_HOURS = 36;

/** @param isServer whether the store is on a server: the embedded one is for demo and tests */
export function checkBackups(folder: string | undefined, isServer: boolean, now: Date): Finding[] {
  if (folder === undefined) {
    const todo = "set CAUSEWAY_BACKUP_FOLDER to the folder of the store's backups: guide/backup.md";
    return isServer
      ? [warn('backups', 'no folder is watched: a backup that fails every night would go unnoticed', todo)]
      : [];
  }
  const last = lastBackupAt(folder);
  if (last === null)
    return [wrong('backups', `there is none in ${folder}, or it cannot be read`, 'make one: guide/backup.md')];
  const hours = Math.max(0, (now.getTime() - last.getTime()) / HOUR_MS);
  const said = `the newest in ${folder} is ${Math.floor(hours)} hours old`;
  return [hours > BACKUP_HOURS ? wrong('backups', said, 'find out why no backup was made since') : ok('backups', said)];
}
