/** Paths of the installed files on each system. */
import path from 'node:path';
import { settingsOnLinux } from '../../../shared/service/install/part.ts';
import { PARTS, type PartName } from './parts.ts';

const { win32 } = path;

/** Paths on Windows. */
export interface WindowsPlaces {
  settings: string;
  log: string;
  /** Folder of the part's data; shared by parts that share a user on Linux. */
  data: string;
}

export function windowsPlaces(part: PartName, env: NodeJS.ProcessEnv): WindowsPlaces {
  const home = win32.join(env['ProgramData'] ?? 'C:\\ProgramData', 'Causeway');
  return {
    settings: win32.join(home, `${part}.env`),
    // A folder each: one service cannot put a link in the place of another's log.
    log: win32.join(home, 'logs', part, `${part}.log`),
    data: win32.join(home, PARTS[part].user === 'causeway-relay' ? 'relay' : 'data'),
  };
}

/** The settings file of a part on this system. */
export const settingsFile = (part: PartName): string =>
  process.platform === 'win32' ? windowsPlaces(part, process.env).settings : settingsOnLinux(PARTS[part]);
