/**
 * The folders of settings, logs and data on Windows. %ProgramData% lets every user make files and folders and gives
 * them to their maker, so nothing is written before that inheritance is off, and existing content is trusted only where
 * only the system and its administrators could have written it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  ADMINISTRATORS,
  EVERYBODY,
  OF_THE_SYSTEM,
  readRights,
  type Rights,
  strangerIn,
  SYSTEM,
  USERS,
} from '../../../shared/service/windows-rights.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import { codeOf } from '../../../shared/service/error-code.ts';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import { mustRun } from '../../../shared/service/install/install.ts';
import type { WindowsPlaces } from '../install/places.ts';

const { win32 } = path;

/** The file system as far as it is needed here; tests put their own in its place. */
export interface WindowsFiles {
  /** Makes a folder. @returns false where there is something of that name */
  make(folder: string): boolean;
  /** Makes a new file. @throws where there is something of that name */
  write(file: string, text: string): void;
  kindOf(place: string): 'nothing' | 'link' | 'there';
  names(folder: string): string[];
  rights(place: string): Rights;
  icacls(...args: string[]): Promise<void>;
}

/** Access for a service's own account: it changes data and its own log, and reads its own settings. */
export interface Prepared {
  part: string;
  places: WindowsPlaces;
  /** SIDs of all services that share the data. */
  sharing: readonly string[];
}

/**
 * Creates the folders first, each with inheritance removed before anything is in it, then the settings.
 *
 * @param settings the text of new settings; not called where settings exist
 * @returns whether the settings existed
 * @throws ServiceError; nothing was written into a place that others can change then
 */
export async function prepareFolders(
  { part, places, sharing }: Prepared,
  settings: () => Promise<string>,
  files: WindowsFiles,
): Promise<boolean> {
  const own = serviceSid(part);
  const home = win32.dirname(places.settings);
  await makeHome(home, files);
  const logs = win32.dirname(places.log);
  makeBelow(win32.dirname(logs), [], files);
  makeBelow(logs, [own], files);
  makeBelow(places.data, sharing, files);
  await files.icacls(logs, '/grant:r', `*${own}:(OI)(CI)M`, '/Q');
  await files.icacls(places.data, '/grant:r', `*${own}:(OI)(CI)M`, '/Q');
  const wereThere = files.kindOf(places.settings) !== 'nothing';
  if (wereThere) refuseStranger(places.settings, [], files);
  else files.write(places.settings, await settings());
  await files.icacls(places.settings, '/grant:r', `*${own}:R`, '/Q');
  return wereThere;
}

async function makeHome(home: string, files: WindowsFiles): Promise<void> {
  if (files.make(home)) {
    const all = (sid: string): string => `*${sid}:(OI)(CI)F`;
    // Other users may list the folder itself, without inheritance: the desktop program checks its owner.
    await files.icacls(home, '/inheritance:r', '/grant:r', all(SYSTEM), all(ADMINISTRATORS), `*${USERS}:RX`, '/Q');
    const [planted] = files.names(home);
    if (planted !== undefined)
      throw new ServiceError(`${win32.join(home, planted)} was put there while ${home} was made. ${WHAT_TO_DO}`);
  }
  refuseStranger(home, [], files);
}

/** Inherits from the home folder, which is checked already. */
function makeBelow(folder: string, accounts: readonly string[], files: WindowsFiles): void {
  files.make(folder);
  refuseStranger(folder, accounts, files);
}

const WHAT_TO_DO =
  'Find out who made it (dir /q, icacls), move the folder away with all that is in it, and run this command again; ' +
  'bring back only what you know, as an administrator.';

function refuseStranger(place: string, accounts: readonly string[], files: WindowsFiles): void {
  if (files.kindOf(place) === 'link') throw new ServiceError(`${place} is a link to somewhere else. ${WHAT_TO_DO}`);
  let rights: Rights;
  try {
    rights = files.rights(place);
  } catch (error) {
    throw new ServiceError(error instanceof Error ? `Not installed: ${error.message}` : String(error));
  }
  const stranger = strangerIn(rights, [...OF_THE_SYSTEM, ...accounts]);
  if (stranger !== null)
    throw new ServiceError(`${place} is not the administrators' alone: ${stranger}. ${WHAT_TO_DO}`);
}

/**
 * Refuses links below a folder: an administrator's command writes there, and a service may make links in it. Windows
 * has no way to become that service, so a link is searched for first; one that appears in that very moment is followed.
 *
 * @throws ServiceError
 */
export function refuseLinks(place: string, home: string, files: Pick<WindowsFiles, 'kindOf'>): void {
  for (let at = place; at.startsWith(home) && at !== home; at = win32.dirname(at))
    if (files.kindOf(at) === 'link')
      throw new ServiceError(`${at} is a link to somewhere else: remove it. ${WHAT_TO_DO}`);
}

export const serviceName = (part: string): string => `causeway-${part}`;

/** The SID of the virtual account of a service (`NT SERVICE\\…`), which the service's name alone decides. */
export function serviceSid(part: string): string {
  return sidOfService(serviceName(part));
}

export function sidOfService(name: string): string {
  const hash = createHash('sha1').update(Buffer.from(name.toUpperCase(), 'utf16le')).digest();
  return ['S-1-5-80', ...[0, 4, 8, 12, 16].map((at) => hash.readUInt32LE(at))].join('-');
}

/** The real ones. */
export function windowsFiles(context: ServiceContext): WindowsFiles {
  return {
    make: (folder) => {
      try {
        mkdirSync(folder);
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw new ServiceError(`The folder ${folder} cannot be made (${codeOf(error)}): run this as an administrator.`);
      }
    },
    write: (file, text) => writeFileSync(file, text, { flag: 'wx' }),
    kindOf: (place) => {
      const stat = lstatSync(place, { throwIfNoEntry: false });
      // A junction counts as a symbolic link.
      return stat === undefined ? 'nothing' : stat.isSymbolicLink() ? 'link' : 'there';
    },
    names: (folder) => readdirSync(folder),
    rights: (place) => readRights([place], context.env)[0] ?? EVERYBODY,
    icacls: (...args) => mustRun('icacls.exe', args, context),
  };
}
