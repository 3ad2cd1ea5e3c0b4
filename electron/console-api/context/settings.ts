/** The variables of the console API (D42). */
import path from 'node:path';
import { CHECKPOINT_VARIABLES, type CheckpointPlace } from '../../../shared/service/checkpoints/schedule.ts';
import { proxyAddresses } from '../../../shared/service/http/source-address.ts';
import { PROGRESS_VARIABLE } from '../../../shared/service/long-work/supervise.ts';
import { METRICS_LISTEN } from '../../../shared/service/http/metrics-address.ts';
import { ConfigurationError, variable, type Values } from '../../../shared/service/variables.ts';
import { FollowedTls, pairFiles, readNamedTls } from '../../../shared/service/tls/server-tls.ts';
import { certificatesInFile } from './certificate-file.ts';
import type { RelayAccess } from './relay-client.ts';
import { SSO_VARIABLES } from './sso-settings.ts';

const CAUSEWAY_LEDGER = variable.required('the file of the ledger, made when it does not exist', variable.text);

/** Variables that commands on the ledger read. */
export const LEDGER_VARIABLES = {
  CAUSEWAY_LEDGER,
  CAUSEWAY_CHECKPOINT_KEY: CHECKPOINT_VARIABLES.CAUSEWAY_CHECKPOINT_KEY,
};

/** The same with the folder of the checkpoints, which a dossier is proved by. */
export const DOSSIER_VARIABLES = {
  ...LEDGER_VARIABLES,
  CAUSEWAY_CHECKPOINT_FOLDER: CHECKPOINT_VARIABLES.CAUSEWAY_CHECKPOINT_FOLDER,
};

export const VARIABLES = {
  CAUSEWAY_LEDGER,
  CAUSEWAY_CONSOLE_LISTEN: variable.defaulted(
    'where the API and the pages are served',
    { host: '127.0.0.1', port: 4300 },
    variable.listenAddress,
  ),
  ...PROGRESS_VARIABLE,
  CAUSEWAY_DEMO: variable.defaulted(
    '1 seeds an empty ledger with accounts, a policy and channels, and offers the accounts on the login page',
    '0',
    variable.oneOf('0', '1'),
  ),
  CAUSEWAY_CONSOLE_DEMO_OPERATOR: variable.optional(
    'of a demo: address of the operator console, for the steps to try',
    variable.webAddress,
  ),
  CAUSEWAY_CONSOLE_DEMO_CHANNEL: variable.optional(
    'of a demo: address of the page of a channel, for the steps to try',
    variable.webAddress,
  ),
  CAUSEWAY_CONSOLE_DEMO_REPLAYED: variable.optional(
    'of a demo: the trading day that it replayed when it began, for example 2026-11-27',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_IDLE_SECONDS: variable.defaulted(
    'a session ends after so long without a request',
    1_800,
    variable.wholeNumber(1, 86_400),
  ),
  CAUSEWAY_CONSOLE_SESSION_SECONDS: variable.defaulted(
    'a session ends after so long even when it is in use',
    43_200,
    variable.wholeNumber(1, 604_800),
  ),
  CAUSEWAY_CONSOLE_PAGES: variable.defaulted(
    'folder of the built pages',
    path.resolve(import.meta.dirname, '../../../renderer/dist'),
    variable.text,
  ),
  CAUSEWAY_CONSOLE_CERT: variable.optional(
    'certificate for desktops on other hosts, PEM file; they reach the console by the names in it',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_KEY: variable.optional('its key, PEM file', variable.text),
  CAUSEWAY_CONSOLE_FIRM: variable.optional('name of the firm; a password may not contain it', variable.text),
  CAUSEWAY_CONSOLE_WINDOW_SECRET: variable.optional(
    'set by the desktop program: only its own window is served',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_RELAY: variable.optional('inward address of the relay, for Cloud Sync', variable.webAddress),
  CAUSEWAY_CONSOLE_RELAY_TOKEN_FILE: variable.optional('file of the token that the relay asks for', variable.text),
  CAUSEWAY_CONSOLE_RELAY_CERT: variable.optional('client certificate for the relay, PEM file', variable.text),
  CAUSEWAY_CONSOLE_RELAY_KEY: variable.optional('its key, PEM file', variable.text),
  CAUSEWAY_CONSOLE_RELAY_CA: variable.optional('authority of the relay’s certificate, PEM file', variable.text),
  CAUSEWAY_CONSOLE_TRUSTED_PROXY: variable.optional(
    'addresses or networks of proxies whose X-Forwarded-For says from where a person works, with commas between them',
    proxyAddresses,
  ),
  CAUSEWAY_CONSOLE_METRICS_LISTEN: METRICS_LISTEN,
  CAUSEWAY_DECISION_JOURNAL: variable.optional(
    'folder on another disk in which every change of a person is synced before its answer; not set: none',
    variable.text,
  ),
  CAUSEWAY_DECISION_JOURNAL_MODE: variable.defaulted(
    'when that folder cannot be written: require refuses changes except stops, warn goes on and reports it',
    'require',
    variable.oneOf('require', 'warn'),
  ),
  ...CHECKPOINT_VARIABLES,
  CAUSEWAY_CHECKPOINT_NAME: variable.optional(
    'name of the place of the checkpoints on the screen; unset: the last part of the folder',
    variable.text,
  ),
  ...SSO_VARIABLES,
};

/** The key that signs checkpoints and dossiers; beside the ledger unless another file is configured. */
export const checkpointKeyFile = (values: Values<typeof LEDGER_VARIABLES>): string =>
  values.CAUSEWAY_CHECKPOINT_KEY ?? defaultKeyFile(values.CAUSEWAY_LEDGER);

export const defaultKeyFile = (ledger: string): string => path.join(path.dirname(ledger), 'checkpoint.key');

/** The folder for checkpoints and its display name: no path of the host leaves it (D7). */
export interface NamedPlace extends CheckpointPlace {
  name: string;
}

/** Null where none are written. */
export function checkpointPlace(values: Values<typeof VARIABLES>): NamedPlace | null {
  const folder = values.CAUSEWAY_CHECKPOINT_FOLDER;
  if (folder === undefined) return null;
  return {
    folder,
    name: values.CAUSEWAY_CHECKPOINT_NAME ?? path.basename(path.resolve(folder)),
    keyFile: checkpointKeyFile(values),
    periodMs: values.CAUSEWAY_CHECKPOINT_MINUTES * 60_000,
  };
}

/**
 * TLS for other hosts; null for a console that listens on this machine only.
 *
 * @throws ConfigurationError, ServerTlsError
 */
export function serverTls(values: Values<typeof VARIABLES>): FollowedTls | null {
  const { CAUSEWAY_CONSOLE_CERT: cert, CAUSEWAY_CONSOLE_KEY: key, CAUSEWAY_CONSOLE_LISTEN: listen } = values;
  const files = pairFiles('CAUSEWAY_CONSOLE', { listen, cert, key });
  return files === null ? null : new FollowedTls(files, readNamedTls);
}

/**
 * Access to the relay; null if not configured.
 *
 * @throws ConfigurationError
 */
export function relayAccess(values: Values<typeof VARIABLES>): RelayAccess | null {
  const url = values.CAUSEWAY_CONSOLE_RELAY;
  if (url === undefined) return null;
  const files = {
    cert: values.CAUSEWAY_CONSOLE_RELAY_CERT,
    key: values.CAUSEWAY_CONSOLE_RELAY_KEY,
    ca: values.CAUSEWAY_CONSOLE_RELAY_CA,
  };
  const { cert, key, ca } = files;
  const tls = cert !== undefined && key !== undefined && ca !== undefined ? { cert, key, ca } : null;
  const isPartly = tls === null && Object.values(files).some((file) => file !== undefined);
  if (isPartly || (url.protocol === 'https:') !== (tls !== null)) {
    throw new ConfigurationError([
      'CAUSEWAY_CONSOLE_RELAY: an https address needs CAUSEWAY_CONSOLE_RELAY_CERT, CAUSEWAY_CONSOLE_RELAY_KEY and ' +
        'CAUSEWAY_CONSOLE_RELAY_CA, all three; an http address takes none of them.',
    ]);
  }
  if (tls !== null) {
    const refused = [
      ...refusedFile('CAUSEWAY_CONSOLE_RELAY_CERT', tls.cert),
      ...refusedFile('CAUSEWAY_CONSOLE_RELAY_CA', tls.ca),
    ];
    if (refused.length > 0) throw new ConfigurationError(refused);
  }
  return { url, tokenFile: values.CAUSEWAY_CONSOLE_RELAY_TOKEN_FILE ?? null, tls };
}

/** A call reads the files anew; a file that is not whole is told at the start, not at the first call. */
function refusedFile(name: string, file: string): string[] {
  try {
    certificatesInFile(name, file);
    return [];
  } catch (error) {
    return [`${error instanceof Error ? error.message : String(error)}.`];
  }
}
