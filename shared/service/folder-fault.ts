/** Whether a folder takes files, as far as that is known without writing one. */
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { codeOf } from './error-code.ts';

/** Why this process can put no file into a folder, in words that finish "the folder …"; null: nothing is known against it. */
export function folderFault(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'is no folder';
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statfsSync(folder).bavail === 0 ? 'has no room left' : null;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? 'is not there' : `cannot be written by this user (${code})`;
  }
}
