/** Whether the journal of systemd outlives a restart of the machine: the log of every service stands there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { warn, ok, type Finding } from '../findings.ts';

const SETTINGS = 'etc/systemd/journald.conf';

/** @param root another folder for tests; nothing is said where no systemd runs */
export function checkJournalStorage(root = '/'): Finding[] {
  const isThere = (place: string): boolean => existsSync(path.join(root, place));
  if (!isThere('run/systemd/system')) return [];
  const storage = storageSetting(root);
  // The folder of an earlier setting stays on the disk, so the setting goes before it.
  if (storage === 'volatile' || storage === 'none')
    return [
      warn(
        'journal',
        `Storage=${storage} in /${SETTINGS} or its folder: a restart of the machine takes the log of the services with it`,
        'set Storage=persistent there, then systemctl restart systemd-journald',
      ),
    ];
  if (storage === 'persistent' || isThere('var/log/journal'))
    return [ok('journal', 'the log of the services outlives a restart')];
  const todo = 'mkdir -p /var/log/journal && systemctl restart systemd-journald';
  return [warn('journal', 'it lies in memory: a restart of the machine takes the log of the services with it', todo)];
}

/** What the administrator has set; the last file counts (journald.conf). */
function storageSetting(root: string): string {
  const folder = path.join(root, `${SETTINGS}.d`);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.conf')) : [];
  let found = 'auto';
  for (const file of [path.join(root, SETTINGS), ...files.toSorted().map((name) => path.join(folder, name))]) {
    if (!existsSync(file)) continue;
    for (const [, value = ''] of readFileSync(file, 'utf8').matchAll(/^\s*Storage\s*=\s*(\w+)\s*$/gm)) found = value;
  }
  return found;
}
