/**
 * What the program is told by its environment (D42): which console it shows. Pure, so that the
 * launcher can refuse a wrong variable before anything is built.
 */
import {
  ConfigurationError,
  helpText,
  readVariables,
  variable,
  type Variables,
} from '../../shared/service/variables.ts';
import { isLoopback } from './origins.ts';

/** Where the window's content comes from: another process's console API, or one that this program starts. */
export type ConsoleSource =
  | { mode: 'connected'; address: URL }
  /** `ledger` is undefined when the default place under the program's own data applies. */
  | { mode: 'local'; ledger: string | undefined };

export interface ProgramConfiguration {
  source: ConsoleSource;
  /** Folder for the program's own data; undefined: the user's place for such data. */
  data: string | undefined;
}

const VARIABLES = {
  CAUSEWAY_CONSOLE_URL: variable.optional(
    'address of a console API to connect to: https, or http on this very machine',
    consoleAddress,
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
  const address = values.CAUSEWAY_CONSOLE_URL;
  const ledger = values.CAUSEWAY_LEDGER;
  if (address !== undefined && ledger !== undefined) {
    throw new ConfigurationError([
      'CAUSEWAY_CONSOLE_URL and CAUSEWAY_LEDGER exclude each other: connect to a console API by its address, or name the ledger to start one here.',
    ]);
  }
  const source: ConsoleSource = address === undefined ? { mode: 'local', ledger } : { mode: 'connected', address };
  return { source, data: values.CAUSEWAY_CONSOLE_DATA };
}

/** The text of `--help`. */
export function programHelp(usage: string): string {
  return helpText(
    usage,
    'Opens the tenant console in a window. Without CAUSEWAY_CONSOLE_URL it starts a console API of its own on the ledger.',
    VARIABLES,
  );
}

/** The console's own address: an origin and nothing more. Plain http would let the network read sessions, so it stays on this machine. */
function consoleAddress(text: string): URL {
  const url = variable.webAddress(text);
  if (url.username !== '' || url.password !== '') throw new Error('must not contain a user name or password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new Error(`must be an address without a path, for example ${url.origin}, not "${text}"`);
  }
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new Error(`must begin with https:// for another machine than this one, not "${text}"`);
  return url;
}
