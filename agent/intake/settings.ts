/** The settings of the Intake (D42), and the files that its variables name. */
import { certificatesOf } from '../../shared/service/tls/pem.ts';
import { codeOf } from '../../shared/service/error-code.ts';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isLoopbackHost } from '../../shared/service/http/origins.ts';
import { METRICS_LISTEN } from '../../shared/service/http/metrics-address.ts';
import { PROGRESS_VARIABLE } from '../../shared/service/long-work/supervise.ts';
import {
  ConfigurationError,
  readVariables,
  variable,
  type ListenAddress,
  type Values,
} from '../../shared/service/variables.ts';
import { MAX_WAIT_SECONDS } from '../../shared/wire/bundle-endpoint.ts';
import type { FromFiles } from './receive/identity.ts';
import type { Identity } from './receive/pull.ts';
import { readVerifyKeys, type Verification } from './receive/statement.ts';

export const INTAKE_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger; it is made where there is none', variable.text),
  CAUSEWAY_INTAKE_UPSTREAM: variable.required(
    'address of the relay, or of the cloud itself; http:// only for an address of this machine',
    upstreamAddress,
  ),
  CAUSEWAY_INTAKE_CERT: variable.optional(
    'file of the client certificate to show to the upstream (PEM)',
    variable.text,
  ),
  CAUSEWAY_INTAKE_KEY: variable.optional('file of its private key (PEM)', variable.text),
  CAUSEWAY_INTAKE_CA: variable.optional(
    'file of the CA that issued the upstream’s certificate (PEM); without it the system’s',
    variable.text,
  ),
  CAUSEWAY_INTAKE_POLL_SECONDS: variable.defaulted('seconds between two polls', 60, variable.wholeNumber(1, 86_400)),
  CAUSEWAY_INTAKE_WAIT_SECONDS: variable.defaulted(
    'seconds that a pull may wait at the cloud for news, from 1 to 45; 0: it never waits, and polls alone',
    25,
    variable.wholeNumber(0, MAX_WAIT_SECONDS),
  ),
  CAUSEWAY_INTAKE_TELL_APPLIED: variable.defaulted(
    '1 tells the vendor with each pull how far it has applied, and how many entries are rejected or held, in numbers and codes; 0 tells nothing',
    '1',
    variable.oneOf('0', '1'),
  ),
  CAUSEWAY_INTAKE_LIMIT: variable.optional(
    'most entries of one bundle, from 1 to 500; without it 100, and 500 while a backlog is received',
    variable.wholeNumber(1, 500),
  ),
  CAUSEWAY_INTAKE_VERIFY_KEY: variable.optional(
    'file of the vendor’s Ed25519 public key (PEM), or of two while the next one takes over; with it, nothing is taken without a statement that the vendor has signed',
    variable.text,
  ),
  CAUSEWAY_INTAKE_STATEMENT_SECONDS: variable.defaulted(
    'seconds that the time of the vendor’s statement may be away from this host’s clock',
    300,
    variable.wholeNumber(10, 86_400),
  ),
  CAUSEWAY_INTAKE_TENANT: variable.optional(
    'this tenant’s number, as the vendor names it; nothing of another tenant is taken, not as the first bundle either',
    variable.wholeNumber(1, Number.MAX_SAFE_INTEGER),
  ),
  CAUSEWAY_DECISION_JOURNAL: variable.optional(
    'folder of the decision journal, for "status" and "restore"; a restore makes its changes again on top of the backup',
    variable.text,
  ),
  CAUSEWAY_INTAKE_METRICS_LISTEN: METRICS_LISTEN,
  CAUSEWAY_BACKUP_FOLDER: variable.optional('folder of the backups, whose age "metrics" reports', variable.text),
  ...PROGRESS_VARIABLE,
  CAUSEWAY_DEMO: variable.defaulted(
    '1 seeds an empty ledger with the demo’s accounts, policy and channels',
    '0',
    variable.oneOf('0', '1'),
  ),
};

export interface Settings {
  ledger: string;
  upstream: URL;
  identity: FromFiles<Identity>;
  pollMs: number;
  /** 0: pulls do not wait (D223). */
  waitSeconds: number;
  /** Whether the vendor is told how far has been applied (D230). */
  tellApplied: boolean;
  /** Null: chosen by the waiting backlog. */
  limit: number | null;
  verifyKey: FromFiles<readonly KeyObject[]> | null;
  statementMs: number;
  /** Null: the ledger takes the tenant of the first bundle. */
  tenantId: number | null;
  /** Null: no listener. */
  metricsListen: ListenAddress | null;
  demo: boolean;
}

/** An obstacle to the start beyond a variable's form; the message says what to do, in one sentence. */
export class StartError extends Error {
  override name = 'StartError';
}

/** @throws ConfigurationError, StartError */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const values = readVariables(INTAKE_VARIABLES, env);
  const wrong = combinations(values);
  if (wrong.length > 0) throw new ConfigurationError(wrong);
  const files = [values.CAUSEWAY_INTAKE_CERT, values.CAUSEWAY_INTAKE_KEY, values.CAUSEWAY_INTAKE_CA];
  // An unusable file fails the start; it may change afterwards.
  readIdentity(values);
  return {
    ledger: values.CAUSEWAY_LEDGER,
    upstream: values.CAUSEWAY_INTAKE_UPSTREAM,
    identity: { files: files.filter((file) => file !== undefined), read: () => readIdentity(values) },
    pollMs: values.CAUSEWAY_INTAKE_POLL_SECONDS * 1_000,
    waitSeconds: values.CAUSEWAY_INTAKE_WAIT_SECONDS,
    tellApplied: values.CAUSEWAY_INTAKE_TELL_APPLIED === '1',
    limit: values.CAUSEWAY_INTAKE_LIMIT ?? null,
    verifyKey: verifyKeys(values.CAUSEWAY_INTAKE_VERIFY_KEY),
    statementMs: values.CAUSEWAY_INTAKE_STATEMENT_SECONDS * 1_000,
    tenantId: values.CAUSEWAY_INTAKE_TENANT ?? null,
    metricsListen: values.CAUSEWAY_INTAKE_METRICS_LISTEN ?? null,
    demo: values.CAUSEWAY_DEMO === '1',
  };
}

/** How answers are verified with the vendor's key, from its file at each call; null without one. */
export function verificationOf({ verifyKey, statementMs }: Settings): Verification | null {
  return verifyKey === null ? null : { keys: () => verifyKey.read(), toleranceMs: statementMs };
}

type IntakeValues = Values<typeof INTAKE_VARIABLES>;

function combinations(values: IntakeValues): string[] {
  const { CAUSEWAY_INTAKE_CERT: cert, CAUSEWAY_INTAKE_KEY: key, CAUSEWAY_INTAKE_CA: ca } = values;
  if ((cert === undefined) !== (key === undefined)) {
    return [
      `CAUSEWAY_INTAKE_${cert === undefined ? 'CERT' : 'KEY'} is missing: a client certificate and its key are given together or not at all.`,
    ];
  }
  const given = [
    cert === undefined ? [] : ['CAUSEWAY_INTAKE_CERT'],
    ca === undefined ? [] : ['CAUSEWAY_INTAKE_CA'],
  ].flat();
  if (values.CAUSEWAY_INTAKE_UPSTREAM.protocol === 'http:' && given.length > 0) {
    return [
      `CAUSEWAY_INTAKE_UPSTREAM begins with http://, where ${given.join(' and ')} would not be used: give an https:// address, or leave them out.`,
    ];
  }
  return [];
}

function readIdentity(values: IntakeValues): Identity {
  const cert = readFrom('CAUSEWAY_INTAKE_CERT', values.CAUSEWAY_INTAKE_CERT, readCertificates);
  const key = readFrom('CAUSEWAY_INTAKE_KEY', values.CAUSEWAY_INTAKE_KEY, readKey);
  const ca = readFrom('CAUSEWAY_INTAKE_CA', values.CAUSEWAY_INTAKE_CA, readCertificates);
  if (cert !== undefined && key !== undefined && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new StartError(
      `The certificate in CAUSEWAY_INTAKE_CERT (${values.CAUSEWAY_INTAKE_CERT}) and the key in CAUSEWAY_INTAKE_KEY ` +
        `(${values.CAUSEWAY_INTAKE_KEY}) do not fit each other: give the key that the certificate was issued for.`,
    );
  }
  return {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** @throws StartError for an unusable file */
function verifyKeys(file: string | undefined): FromFiles<readonly KeyObject[]> | null {
  if (file === undefined) return null;
  const read = (): readonly KeyObject[] => readVerifyKeyFile(file);
  read();
  return { files: [file], read };
}

/** @throws StartError */
export const readVerifyKeyFile = (file: string): readonly KeyObject[] =>
  readFrom('CAUSEWAY_INTAKE_VERIFY_KEY', file, readVerifyKeys) ?? [];

/** The text of the client certificate's file. @throws StartError */
export const readCertificateFile = (file: string): string =>
  readFrom('CAUSEWAY_INTAKE_CERT', file, readCertificates) ?? '';

/** The text of a PEM file, each of whose certificates is readable. */
function readCertificates(pem: string): string {
  if (certificatesOf(pem).length === 0) throw new Error('holds no certificate in PEM form');
  return pem;
}

function readKey(pem: string): string {
  try {
    createPrivateKey(pem);
  } catch {
    throw new Error('holds no private key in PEM form without a passphrase');
  }
  return pem;
}

/**
 * Reads the file that a variable names; `read` throws an Error with a message that finishes the sentence "The file …".
 */
function readFrom<T>(name: string, file: string | undefined, read: (text: string) => T): T | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `The file in ${name} (${file}) cannot be read (${codeOf(error)}): check the path and its permissions.`,
    );
  }
  try {
    return read(text);
  } catch (error) {
    throw new StartError(`The file in ${name} (${file}) ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Without TLS neither side proves its identity, so plain HTTP is for a relay on this machine alone. */
function upstreamAddress(text: string): URL {
  const url = variable.webAddress(text);
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error(
      `must begin with https:// unless it is on this machine (127.0.0.1, [::1], localhost), not "${text}"`,
    );
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error(`must be only scheme, host and port, for example https://host:4143, not "${text}"`);
  }
  return url;
}
