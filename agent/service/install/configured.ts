/** A command's configuration: the settings file, and the user of the service that it belongs to. */
import { existsSync } from 'node:fs';
import { readTrusted, trustedByRoot, UntrustedPlaceError } from '../../../shared/service/trusted-place.ts';
import { parseSettingsFile } from './environment-file.ts';
import { codeOf } from '../../../shared/service/error-code.ts';
import { ServiceError } from './errors.ts';
import { accountIn, type Account } from './account.ts';
import { PARTS, type PartName } from './parts.ts';
import { settingsFile } from './places.ts';

export interface Configured {
  /** The named settings file, or that of the installed service; null: without one, this shell's variables count. */
  file: string | null;
  env: NodeJS.ProcessEnv;
  /** The account of an installed service, where root is the caller; null: the command runs as the caller. */
  account: Account | null;
}

/** @throws ServiceError, SettingsFileError, UntrustedPlaceError */
export function configured(part: PartName, named: string | undefined, env: NodeJS.ProcessEnv): Configured {
  const file = named ?? installedSettings(part);
  if (file === null) return { file, env, account: null };
  return { file, env: parseSettingsFile(readSettings(file, env), file), account: accountOf(part, file) };
}

/** The settings file of the installed service, or null. */
export function installedSettings(part: PartName): string | null {
  const file = settingsFile(part);
  return existsSync(file) ? file : null;
}

function readSettings(file: string, env: NodeJS.ProcessEnv): string {
  try {
    return readTrusted(file, trustedByRoot(env));
  } catch (error) {
    if (error instanceof UntrustedPlaceError) throw error;
    throw new ServiceError(
      `The settings file ${file} cannot be read (${codeOf(error)}): check the path, and run this as root.`,
    );
  }
}

/** Only root can become another user. @throws ServiceError */
function accountOf(part: PartName, file: string): Account | null {
  if (file !== settingsFile(part) || process.getuid?.() !== 0) return null;
  const { user } = PARTS[part];
  const account = accountIn('/etc/passwd', user);
  if (account === null)
    throw new ServiceError(`The user ${user} of ${part} does not exist: run "causeway-agent service install ${part}".`);
  return account;
}
