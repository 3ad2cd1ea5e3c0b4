/**
 * The program's configuration: its environment (D42), and for the choice of the console also its settings. The launcher
 * reads it too, so that a wrong variable is refused before anything is built.
 */
import { readFileSync } from 'node:fs';
import {
  ConfigurationError,
  helpText,
  readVariables,
  variable,
  type Variables,
} from '../../../shared/service/variables.ts';
import { consoleAddress } from '../security/addresses.ts';
import { readAuthorities } from '../security/authority.ts';
import { variablesOf, type ConnectedChoice, type LocalChoice } from './settings.ts';

/** The console of the window: another process's console API, or one that this program starts. */
export type ConsoleSource =
  /** `authority` is PEM of the issuer of the server's certificate; null for http on this machine. */
  | { mode: 'connected'; address: URL; authority: string | null }
  /** `chosen` are variables for the services that override the environment. */
  | { mode: 'local'; chosen: Record<string, string> };

export interface ProgramConfiguration {
  /** Null: the environment names none, so the settings decide. */
  source: ConsoleSource | null;
  /** Folder for the program's own data; undefined: the platform's default. */
  data: string | undefined;
}

const VARIABLES = {
  CAUSEWAY_CONSOLE_URL: variable.optional(
    'address of a console API to connect to: https, or http on this very machine',
    consoleAddress,
  ),
  CAUSEWAY_CONSOLE_CA: variable.optional(
    'authority that issued its certificate, PEM file; needed for https, and no other is believed',
    readAuthorityFile,
  ),
  CAUSEWAY_LEDGER: variable.optional('ledger file for a console API that the program starts itself', variable.text),
  CAUSEWAY_CONSOLE_DATA: variable.optional(
    "folder for the program's own data, and for the ledger when none is named",
    variable.text,
  ),
} satisfies Variables;

/** Reads the environment. Throws `ConfigurationError` with one sentence per mistake. */
export function readConfiguration(env: Record<string, string | undefined>): ProgramConfiguration {
  const values = readVariables(VARIABLES, env);
  const data = values.CAUSEWAY_CONSOLE_DATA;
  const address = values.CAUSEWAY_CONSOLE_URL;
  const authority = values.CAUSEWAY_CONSOLE_CA ?? null;
  if (address !== undefined && values.CAUSEWAY_LEDGER !== undefined) {
    throw new ConfigurationError([
      'CAUSEWAY_CONSOLE_URL and CAUSEWAY_LEDGER exclude each other: connect to a console API by its address, or name the ledger to start one here.',
    ]);
  }
  if ((address?.protocol === 'https:') !== (authority !== null)) {
    throw new ConfigurationError([
      'CAUSEWAY_CONSOLE_CA goes with a CAUSEWAY_CONSOLE_URL that begins with https://, and such an address needs it.',
    ]);
  }
  if (address !== undefined) return { source: { mode: 'connected', address, authority }, data };
  return { source: values.CAUSEWAY_LEDGER === undefined ? null : { mode: 'local', chosen: {} }, data };
}

/** The console that the user chose in the program's settings. */
export function sourceOf(choice: LocalChoice | ConnectedChoice): ConsoleSource {
  if (choice.mode === 'local') return { mode: 'local', chosen: variablesOf(choice) };
  const { address, authority } = choice;
  return { mode: 'connected', address: consoleAddress(address), authority: authority === '' ? null : authority };
}

/** The text of `--help`. */
export function programHelp(usage: string): string {
  return helpText(
    usage,
    'Opens the tenant console in a window. Without CAUSEWAY_CONSOLE_URL and CAUSEWAY_LEDGER it shows what was chosen in its settings, and asks at the first start.',
    VARIABLES,
  );
}

function readAuthorityFile(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`names ${file}, which cannot be read: check the path and its permissions`);
  }
  readAuthorities(pem);
  return pem;
}
