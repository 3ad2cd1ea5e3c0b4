/** A command's configuration: the settings file, and the user of the service that it belongs to. */
import { existsSync } from 'node:fs';
import { readTrusted, trustedByRoot, UntrustedPlaceError } from '../trusted-place.ts';
import { parseSettingsFile } from './environment-file.ts';
import { codeOf } from '../error-code.ts';
import { ServiceError } from './errors.ts';
import { accountIn, type Account } from './account.ts';
import { commandFor, type ServicePart } from './part.ts';

export interface Configured {
  /** The named settings file, or that of the installed service; null: without one, this shell's variables count. */
  file: string | null;
  env: NodeJS.ProcessEnv;
  /** The account of an installed service, where root is the caller; null: the command runs as the caller. */
  account: Account | null;
  /** Whom the files are judged for: `account`, and with another file the user of the installed service, where root asks. */
  user: Account | null;
}

/**
 * @param installed the settings file of the part's service, where there is one
 * @throws ServiceError, SettingsFileError, UntrustedPlaceError
 */
export function configured(
  part: ServicePart,
  installed: string,
  named: string | undefined,
  env: NodeJS.ProcessEnv,
): Configured {
  const file = named ?? (existsSync(installed) ? installed : null);
  if (file === null) return { file, env, account: null, user: null };
  const isRoot = process.getuid?.() === 0;
  const account = file === installed && isRoot ? accountOf(part) : null;
  const user = account ?? (isRoot ? accountIn('/etc/passwd', part.user) : null);
  return { file, env: parseSettingsFile(readSettings(file, env), file), account, user };
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
function accountOf(part: ServicePart): Account {
  const account = accountIn('/etc/passwd', part.user);
  if (account === null)
    throw new ServiceError(
      `The user ${part.user} of ${part.name} does not exist: run "${commandFor(part, 'service install')}".`,
    );
  return account;
}
