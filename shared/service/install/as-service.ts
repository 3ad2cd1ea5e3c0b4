/**
 * Root works in the folders of a service as the service's user, and never by path as root: a compromised account owns
 * those folders, and a link in them would lead root to any file of the system.
 */
import { closeSync, constants, fchownSync, mkdirSync, openSync } from 'node:fs';
import { stateFolder } from './unit.ts';
import { codeOf } from '../error-code.ts';
import { ServiceError } from './errors.ts';
import type { Account } from './account.ts';

let worksAs: Account | null = null;

/**
 * Gives root up for the rest of this process. Files that only root may read must be read before.
 *
 * @throws ServiceError; nothing was done under either account then
 */
export function workAs(account: Account): void {
  makeStateFolder(account);
  process.setgroups?.([account.gid]);
  process.setgid?.(account.gid);
  process.setuid?.(account.uid);
  if (process.getuid?.() !== account.uid || process.geteuid?.() !== account.uid || process.getegid?.() !== account.gid)
    throw new ServiceError(`This process cannot become the user ${account.name}.`);
  worksAs = account;
}

/**
 * Options to start a program. After `workAs` in a session of its own: a compromised account could take the program over
 * and type into root's terminal. Without root's variables, which that account could read.
 */
export function startOptions(env: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; detached: boolean } {
  return worksAs === null ? { env, detached: false } : { env: publicOf(env), detached: true };
}

/** The variables of root that a program of another account gets, besides the settings of its part. */
const PUBLIC = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|HTTPS_PROXY(?:_FILE)?|NO_PROXY|CAUSEWAY_[A-Z0-9_]+)$/;

const publicOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PUBLIC.test(name)));

/** The folder as systemd makes it at the first start, for commands before that. Only root writes in its parent. */
function makeStateFolder({ name, uid, gid }: Account): void {
  const folder = stateFolder(name);
  try {
    mkdirSync(folder, { mode: 0o700 });
    const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      fchownSync(handle, uid, gid);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw new ServiceError(`The folder ${folder} cannot be made (${codeOf(error)}).`);
  }
}
