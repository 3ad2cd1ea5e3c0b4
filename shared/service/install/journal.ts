/** Whether the journal of systemd outlives a restart of the machine: the log of every service stands there. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { warn, ok, type Finding } from '../findings.ts';

/** @param root another folder for tests; nothing is said where no systemd runs */
export function checkJournalKept(root = '/'): Finding[] {
  const isThere = (place: string): boolean => existsSync(path.join(root, place));
  if (!isThere('run/systemd/system')) return [];
  if (isThere('var/log/journal')) return [ok('journal', 'the log of the services outlives a restart')];
  const todo = 'mkdir -p /var/log/journal && systemctl restart systemd-journald';
  return [warn('journal', 'it lies in memory: a restart of the machine takes the log of the services with it', todo)];
}
