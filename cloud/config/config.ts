/** The cloud's variables (D42). Each command reads only those that it uses. */
import { join, resolve } from 'node:path';
import { CHECKPOINT_VARIABLES, type CheckpointPlace } from '../../shared/service/checkpoints/schedule.ts';
import { proxyAddresses } from '../../shared/service/http/source-address.ts';
import { pairFiles, TLS_VARIABLES, type PairFiles } from '../../shared/service/tls/server-tls.ts';
import { ConfigurationError, variable, type Values } from '../../shared/service/variables.ts';
import { keyLock, type KeyLock } from '../pki/key-lock.ts';
import { pkiFolder } from '../pki/files.ts';
import { LOG_LEVELS } from './log-level.ts';
import { readDatabaseAddress } from '../store/database-address.ts';

const { defaulted, listenAddress, oneOf, optional, required, secret, text, webAddress, wholeNumber } = variable;

const folder = (value: string): string => resolve(value);

function postgresUrl(value: string): string {
  readDatabaseAddress(value);
  return value;
}

function oneHost(value: string): string {
  const { hosts, writesNeeded } = readDatabaseAddress(value);
  if (hosts.length > 1 || writesNeeded)
    throw new Error('must name one host, a standby: another instance may name another');
  return value;
}

/** Scheme and host in the form of the Host and Origin headers. */
function httpsOrigin(value: string): URL {
  const url = webAddress(value);
  if (url.protocol !== 'https:' || `${url.origin}/` !== url.href)
    throw new Error(`must be https://host or https://host:port and nothing more, not "${value}"`);
  return url;
}

const SHORTEST_TOKEN = 32;

/** A token for a header: visible ASCII without spaces, and too long to guess. */
function token(value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error('must be visible ASCII characters without a space');
  if (value.length < SHORTEST_TOKEN)
    throw new Error(`must have at least ${SHORTEST_TOKEN} characters: make one with "openssl rand -hex 32"`);
  return value;
}

/** The places of the store and the certificates. */
export const STORE_VARIABLES = {
  CAUSEWAY_HOME: defaulted('folder of all local data', folder('.causeway'), folder),
  CAUSEWAY_DATABASE_URL: secret(
    optional(
      'PostgreSQL 15 or later, postgres://…, of several hosts (host:5432,standby:5432) the one that takes writes; unset: an embedded store under CAUSEWAY_HOME (demo and tests)',
      postgresUrl,
    ),
  ),
  CAUSEWAY_DATABASE_CONNECTIONS: defaulted(
    'most connections of a process to PostgreSQL for pulls, and as many again for everything else; one more hears notifications',
    10,
    wholeNumber(1, 500),
  ),
};

const READ_VARIABLES = {
  CAUSEWAY_DATABASE_READ_URL: secret(
    optional(
      'PostgreSQL address of a standby of the same primary, which gives the bundles of pulls; unset: the primary gives them',
      oneHost,
    ),
  ),
};

/** The address of the read replica; undefined without one. @throws ConfigurationError */
export function replicaAddress(config: Values<typeof READ_VARIABLES & typeof STORE_VARIABLES>): string | undefined {
  const url = config.CAUSEWAY_DATABASE_READ_URL;
  if (url !== undefined && config.CAUSEWAY_DATABASE_URL === undefined)
    throw new ConfigurationError(['CAUSEWAY_DATABASE_READ_URL needs CAUSEWAY_DATABASE_URL, which names the primary.']);
  return url;
}

/** The address and token of the engine's door. */
export const DOOR_VARIABLES = {
  CAUSEWAY_ENGINE_LISTEN: defaulted("address of the engine's door", { host: '127.0.0.1', port: 4160 }, listenAddress),
  CAUSEWAY_ENGINE_TOKEN: secret(
    required(`bearer token of the engine's door, of at least ${SHORTEST_TOKEN} characters`, token),
  ),
  CAUSEWAY_ENGINE_CERT: TLS_VARIABLES.cert,
  CAUSEWAY_ENGINE_KEY: TLS_VARIABLES.key,
  CAUSEWAY_ENGINE_BEHIND_PROXY: TLS_VARIABLES.behindProxy,
};

/** Variables that the commands about the authority read in addition. */
export const AUTHORITY_VARIABLES = {
  ...STORE_VARIABLES,
  CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: optional(
    "file whose first line locks the authority's key, and opens it; unset: the key lies open",
    text,
  ),
};

export const CERTIFICATE_VARIABLES = {
  ...AUTHORITY_VARIABLES,
  CAUSEWAY_DEMO: defaulted("1: tenants' keys are made here, and lie open", '0', oneOf('0', '1')),
};

/** The lock of the signing key. */
const SIGNING_LOCK = {
  CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE: optional(
    'file whose first line locks the signing key, and opens it; unset: the key lies open',
    text,
  ),
};
const SIGNING_KEY = {
  CAUSEWAY_SYNC_SIGNING_KEY: optional(
    'file with the Ed25519 private key (PEM) that signs every answer; unset: the one that init has made under CAUSEWAY_HOME',
    text,
  ),
  ...SIGNING_LOCK,
};

export const SIGNING_VARIABLES = { ...STORE_VARIABLES, ...SIGNING_LOCK };

export const INIT_VARIABLES = {
  ...AUTHORITY_VARIABLES,
  ...SIGNING_KEY,
  CAUSEWAY_DEMO: defaulted(
    "1: the operator account is operator / causeway-demo, and the tenant's key is made here and lies open",
    '0',
    oneOf('0', '1'),
  ),
};

/** @throws CertificateFileError */
export const authorityLock = (config: { CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: string | undefined }): KeyLock =>
  keyLock('CAUSEWAY_AUTHORITY_PASSPHRASE_FILE', config.CAUSEWAY_AUTHORITY_PASSPHRASE_FILE);
/** @throws CertificateFileError */
export const signingLock = (config: { CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE: string | undefined }): KeyLock =>
  keyLock('CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE', config.CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE);

function queueNames(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  if (!names.every((name) => /^[\w-]{1,80}(?:\.fifo)?$/.test(name)) || new Set(names).size < names.length)
    throw new Error('must be names of queues, each once, with commas between them');
  return names;
}

/** The access to the workflow control plane and the queues (D26). */
export const ADAPTER_VARIABLES = {
  CAUSEWAY_WORKFLOW_SOURCE: optional(
    'where workflow executions are seen: none, database or aws; unset: database with the embedded store, else none',
    oneOf('none', 'database', 'aws'),
  ),
  CAUSEWAY_QUEUE_SOURCE: optional(
    'where queues are seen: none, database or aws; unset: database with the embedded store, else none',
    oneOf('none', 'database', 'aws'),
  ),
  CAUSEWAY_AWS_REGION: optional("region of Step Functions and SQS; credentials come the way of the vendor's SDK", text),
  CAUSEWAY_AWS_ENDPOINT: optional("address of both instead of the region's own", webAddress),
  CAUSEWAY_AWS_QUEUES: optional('names of the main queues, with commas between them', queueNames),
};

export const SERVE_VARIABLES = {
  ...STORE_VARIABLES,
  ...READ_VARIABLES,
  CAUSEWAY_DEMO: defaulted(
    '1: the cloud plays the pipeline itself, with invented data, and its login page offers the account of a demo',
    '0',
    oneOf('0', '1'),
  ),
  CAUSEWAY_DEMO_WEEKS: defaulted('of a demo: weeks of the pipeline that lie behind', 0, wholeNumber(0, 12)),
  CAUSEWAY_SYNC_LISTEN: defaulted('address of the bundle endpoint', { host: '127.0.0.1', port: 4143 }, listenAddress),
  CAUSEWAY_OPERATOR_LISTEN: defaulted(
    'address of the operator API and console',
    { host: '127.0.0.1', port: 4100 },
    listenAddress,
  ),
  CAUSEWAY_OPERATOR_ORIGIN: optional(
    'https address at which a proxy with TLS offers the operator console, for browsers on other machines',
    httpsOrigin,
  ),
  CAUSEWAY_OPERATOR_CERT: TLS_VARIABLES.cert,
  CAUSEWAY_OPERATOR_KEY: TLS_VARIABLES.key,
  CAUSEWAY_OPERATOR_BEHIND_PROXY: TLS_VARIABLES.behindProxy,
  CAUSEWAY_OPERATOR_PAGES: defaulted(
    'folder of the built pages of the operator console',
    join(import.meta.dirname, '..', 'console', 'dist'),
    folder,
  ),
  CAUSEWAY_OPERATOR_IDLE_SECONDS: defaulted(
    "an operator's session ends after so long without a request",
    1_800,
    wholeNumber(1, 86_400),
  ),
  CAUSEWAY_OPERATOR_SESSION_SECONDS: defaulted(
    "an operator's session ends after so long even when it is in use",
    43_200,
    wholeNumber(1, 604_800),
  ),
  CAUSEWAY_OPERATOR_TRUSTED_PROXY: optional(
    'addresses or networks of proxies whose X-Forwarded-For says from where an operator works, with commas between them',
    proxyAddresses,
  ),
  ...DOOR_VARIABLES,
  CAUSEWAY_CLOUD_METRICS_LISTEN: defaulted(
    'address of health, readiness and metrics; open to every machine that reaches it; port 0 takes a free one',
    { host: '127.0.0.1', port: 0 },
    listenAddress,
  ),
  CAUSEWAY_BACKUP_FOLDER: optional(
    'folder in which backups of the store are put; metrics and doctor tell the age of the newest file',
    folder,
  ),
  CAUSEWAY_CLOUD_LOG_LEVEL: defaulted(
    `least weighty lines of the log: ${LOG_LEVELS.join(', ')}; debug has one of each pull, the others one of a tenant and hour`,
    'info',
    oneOf(...LOG_LEVELS),
  ),
  CAUSEWAY_SYNC_CERT: required("file with the bundle endpoint's certificate (PEM; made by init)", text),
  CAUSEWAY_SYNC_KEY: required('file with its private key (PEM)', text),
  CAUSEWAY_SYNC_CLIENT_CA: required("file with the authority of the tenants' certificates (PEM)", text),
  CAUSEWAY_SYNC_CALCULATIONS: defaulted('on: bundles carry calculation evidences', 'off', oneOf('on', 'off')),
  ...SIGNING_KEY,
  ...CHECKPOINT_VARIABLES,
  ...ADAPTER_VARIABLES,
};

export type AdapterConfig = Values<typeof ADAPTER_VARIABLES>;
export type StoreConfig = Values<typeof STORE_VARIABLES>;

/** The folder of the embedded store. */
export const storeFolder = (home: string): string => join(home, 'cloud', 'store');

type ServeConfig = Values<typeof SERVE_VARIABLES>;

/** The files of the door's TLS; null for plain HTTP. @throws ConfigurationError */
export function doorFiles(config: Values<typeof DOOR_VARIABLES>): PairFiles | null {
  return pairFiles('CAUSEWAY_ENGINE', {
    listen: config.CAUSEWAY_ENGINE_LISTEN,
    cert: config.CAUSEWAY_ENGINE_CERT,
    key: config.CAUSEWAY_ENGINE_KEY,
    behindProxy: config.CAUSEWAY_ENGINE_BEHIND_PROXY,
  });
}

/**
 * The same for the operator API; behind a proxy the browser's address must be configured (D9). @throws
 * ConfigurationError
 */
export function operatorFiles(config: ServeConfig): PairFiles | null {
  if (config.CAUSEWAY_OPERATOR_BEHIND_PROXY === '1' && config.CAUSEWAY_OPERATOR_ORIGIN === undefined)
    throw new ConfigurationError([
      'CAUSEWAY_OPERATOR_ORIGIN is missing: name the https address at which the proxy offers the operator console.',
    ]);
  return pairFiles('CAUSEWAY_OPERATOR', {
    listen: config.CAUSEWAY_OPERATOR_LISTEN,
    cert: config.CAUSEWAY_OPERATOR_CERT,
    key: config.CAUSEWAY_OPERATOR_KEY,
    behindProxy: config.CAUSEWAY_OPERATOR_BEHIND_PROXY,
  });
}

/** The key that signs checkpoints of the audit log lies beside the other keys by default. */
export const checkpointKeyFile = (config: {
  CAUSEWAY_HOME: string;
  CAUSEWAY_CHECKPOINT_KEY: string | undefined;
}): string => config.CAUSEWAY_CHECKPOINT_KEY ?? join(pkiFolder(config.CAUSEWAY_HOME), 'checkpoint.key');

/** Null without checkpoints. */
export function checkpointPlace(config: Values<typeof SERVE_VARIABLES>): CheckpointPlace | null {
  const folder = config.CAUSEWAY_CHECKPOINT_FOLDER;
  if (folder === undefined) return null;
  return { folder, keyFile: checkpointKeyFile(config), periodMs: config.CAUSEWAY_CHECKPOINT_MINUTES * 60_000 };
}
