/** The command line of the cloud: serves without arguments, otherwise runs the named command. */
import { isArgumentError } from '../../shared/service/argument-error.ts';
import { inspect } from 'node:util';
import { refuseRootInFolderOfAnother, UntrustedPlaceError } from '../../shared/service/trusted-place.ts';
import { ConfigurationError, readVariables } from '../../shared/service/variables.ts';
import { STORE_VARIABLES, storeFolder } from '../config/config.ts';
import { pkiFolder } from '../pki/files.ts';
import { authority } from './authority.ts';
import { certificate } from './certificate.ts';
import { UsageError, type Command } from './command.ts';
import { IssuedElsewhereError } from './issue.ts';
import { doctor } from './doctor.ts';
import { DoorError, load } from './load.ts';
import { init } from './init.ts';
import { openapi } from './openapi.ts';
import { operator } from './operator.ts';
import { audit } from './audit.ts';
import { serve } from './serve.ts';
import { signingKey } from './signing-key.ts';
import { tenant } from './tenant.ts';
import { RoutePolicyError } from '../operator/server.ts';
import { CertificateRequestError } from '../pki/certificates.ts';
import { CertificateFileError } from '../pki/key-lock.ts';
import { RegistryError } from '../pki/registry.ts';
import { SuccessionError } from '../pki/key-rotation.ts';
import { RetentionError } from '../publication/retention.ts';
import { ListenError } from '../operations/server.ts';
import { StoreInUseError } from '../store/single-writer-lock.ts';
import { MigrationFailedError, StoreTooNewError } from '../store/migrations/migrate.ts';
import { named, StoreUnavailableError, TransientStoreError } from '../store/errors.ts';

const COMMANDS: Record<string, Command> = {
  init,
  load,
  tenant,
  certificate,
  authority,
  'signing-key': signingKey,
  operator,
  audit,
  doctor,
  openapi,
};

/** An expected obstacle, no bug: its message is complete. */
const EXPECTED = [
  CertificateFileError,
  CertificateRequestError,
  DoorError,
  IssuedElsewhereError,
  ListenError,
  MigrationFailedError,
  RegistryError,
  RetentionError,
  RoutePolicyError,
  StoreInUseError,
  StoreTooNewError,
  StoreUnavailableError,
  SuccessionError,
  TransientStoreError,
  UntrustedPlaceError,
];

/** The origin of a command line and its outputs. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  print(line: string): void;
  printError(line: string): void;
}

/**
 * Runs one command line.
 * @returns the exit code: 0, 2 for a command line or variable that does not fit, 1 for anything else
 */
export async function runCommandLine(argv: string[], { env, print, printError }: Surroundings): Promise<number> {
  const [first, ...rest] = argv;
  if (first === '--help' || first === '-h') {
    print(overview());
    return 0;
  }
  const command = first === undefined ? serve : COMMANDS[first];
  try {
    if (command === undefined) throw new UsageError(`Unknown command "${first}"; see "causeway-cloud --help".`);
    if (rest.includes('--help') || rest.includes('-h')) {
      print(command.help());
      return 0;
    }
    refuseAnothersHome(env);
    return await named(command.run({ args: rest, env, print }));
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof UsageError || isArgumentError(error)) {
      printError(error.message);
      return 2;
    }
    const isExpected = EXPECTED.some((kind) => error instanceof kind) && error instanceof Error;
    printError(isExpected ? error.message : (unusablePlace(error) ?? inspect(error)));
    return 1;
  }
}

/** A sentence for a file or folder that this user cannot use; null for any other error. */
function unusablePlace(error: unknown): string | null {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return null;
  if (!['EACCES', 'ENOTDIR', 'EPERM', 'EROFS'].includes(String(error.code))) return null;
  return (
    `${String(error.path)} cannot be used (${String(error.code)}). Set CAUSEWAY_HOME to a folder that this user may ` +
    'write, or run the command as the user of the service.'
  );
}

/**
 * Keys, accounts and the store are created and changed by path: root does that only where no other user can have placed
 * a link.
 */
function refuseAnothersHome(env: Surroundings['env']): void {
  const { CAUSEWAY_HOME: home } = readVariables({ CAUSEWAY_HOME: STORE_VARIABLES.CAUSEWAY_HOME }, env);
  for (const folder of [home, pkiFolder(home), storeFolder(home)]) refuseRootInFolderOfAnother(folder);
}

function overview(): string {
  const commands = Object.values(COMMANDS).flatMap((command) => [
    ...command.usage.map((usage) => `  ${usage}`),
    `      ${command.about}`,
  ]);
  return [serve.help(), 'Commands:', ...commands, '', 'Each takes --help.'].join('\n');
}
