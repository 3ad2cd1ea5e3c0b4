/** The settings of the relay (D42). */
import {
  ConfigurationError,
  readVariables,
  variable,
  type ListenAddress,
  type Values,
} from '../../shared/service/variables.ts';
import { isLoopbackHost } from '../../shared/service/http/origins.ts';
import { MAX_BODY_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import type { ControlAccess } from './control-access.ts';
import type { CredentialFiles, NamedFile } from './pair-files.ts';
import type { Proxy } from './proxy.ts';
import type { Bounds } from './upstream.ts';

const DAY_MS = 86_400_000;

export const RELAY_VARIABLES = {
  CAUSEWAY_RELAY_LISTEN: variable.defaulted(
    'where the Intake asks; without inward TLS an address of this machine',
    { host: '127.0.0.1', port: 4200 },
    variable.listenAddress,
  ),
  CAUSEWAY_RELAY_UPSTREAM: variable.required('address of the cloud, https://host:port', upstreamAddress),
  CAUSEWAY_RELAY_CERT: variable.required('file of the client certificate to show to the cloud (PEM)', variable.text),
  CAUSEWAY_RELAY_KEY: variable.required('file of its private key (PEM)', variable.text),
  CAUSEWAY_RELAY_CA: variable.required(
    'file of the authority that issued the cloud’s certificate (PEM)',
    variable.text,
  ),
  CAUSEWAY_RELAY_INWARD_CERT: variable.optional('file of the certificate to show to the Intake (PEM)', variable.text),
  CAUSEWAY_RELAY_INWARD_KEY: variable.optional('file of its private key (PEM)', variable.text),
  CAUSEWAY_RELAY_INWARD_CLIENT_CA: variable.optional(
    'file of the authority that issued the Intake’s certificate (PEM)',
    variable.text,
  ),
  CAUSEWAY_RELAY_CONTROL_CLIENTS: variable.optional(
    'with inward TLS: who may replace the certificate, as SHA-256 fingerprints of client certificates with commas between',
    fingerprints,
  ),
  CAUSEWAY_RELAY_CONTROL_TOKEN_FILE: variable.optional(
    'without inward TLS: file of the token that may replace the certificate, readable for its owner alone',
    variable.text,
  ),
  CAUSEWAY_RELAY_CONNECT_MS: variable.defaulted(
    'longest time to connect to the cloud, in ms; a restarted cloud takes its tenants one after the other',
    25_000,
    variable.wholeNumber(1, DAY_MS),
  ),
  CAUSEWAY_RELAY_HEADERS_MS: variable.defaulted(
    'longest time until the cloud begins to answer, in ms',
    30_000,
    variable.wholeNumber(1, DAY_MS),
  ),
  CAUSEWAY_RELAY_BODY_MS: variable.defaulted(
    'longest time from there to the last byte, in ms',
    120_000,
    variable.wholeNumber(1, DAY_MS),
  ),
  CAUSEWAY_RELAY_BODY_BYTES: variable.defaulted(
    'largest body that is forwarded, in bytes',
    MAX_BODY_BYTES,
    variable.wholeNumber(1, 4 * 1024 * 1024 * 1024),
  ),
  HTTPS_PROXY: variable.secret(
    variable.optional(
      'proxy between the relay and the cloud; never used for an address of this machine',
      variable.webAddress,
    ),
  ),
  NO_PROXY: variable.optional(
    'what is reached without the proxy, as in curl: hosts, domains with all their hosts, addresses, networks or *, with commas between',
    variable.text,
  ),
};

export interface Settings {
  listen: ListenAddress;
  upstream: URL;
  outward: CredentialFiles;
  /** Null: plain HTTP, for this machine alone. */
  inward: CredentialFiles | null;
  control: ControlAccess;
  bounds: Bounds;
  proxy: Proxy | null;
}

type RelayValues = Values<typeof RELAY_VARIABLES>;

/** @throws ConfigurationError */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const values = readVariables(RELAY_VARIABLES, env);
  const inward = inwardFiles(values);
  return {
    listen: values.CAUSEWAY_RELAY_LISTEN,
    upstream: values.CAUSEWAY_RELAY_UPSTREAM,
    outward: {
      cert: { variable: 'CAUSEWAY_RELAY_CERT', path: values.CAUSEWAY_RELAY_CERT },
      key: { variable: 'CAUSEWAY_RELAY_KEY', path: values.CAUSEWAY_RELAY_KEY },
      ca: { variable: 'CAUSEWAY_RELAY_CA', path: values.CAUSEWAY_RELAY_CA },
    },
    inward,
    control: controlAccess(values, inward !== null),
    bounds: {
      connectMs: values.CAUSEWAY_RELAY_CONNECT_MS,
      headersMs: values.CAUSEWAY_RELAY_HEADERS_MS,
      bodyMs: values.CAUSEWAY_RELAY_BODY_MS,
      bytes: values.CAUSEWAY_RELAY_BODY_BYTES,
    },
    proxy: proxyFor(values),
  };
}

/** All three or none; without them only this machine may connect. */
function inwardFiles(values: RelayValues): CredentialFiles | null {
  const file = (name: keyof RelayValues & `CAUSEWAY_RELAY_INWARD_${string}`): NamedFile | null => {
    const path = values[name];
    return path === undefined ? null : { variable: name, path };
  };
  const cert = file('CAUSEWAY_RELAY_INWARD_CERT');
  const key = file('CAUSEWAY_RELAY_INWARD_KEY');
  const ca = file('CAUSEWAY_RELAY_INWARD_CLIENT_CA');
  if (cert !== null && key !== null && ca !== null) return { cert, key, ca, named: true };
  if (cert !== null || key !== null || ca !== null) {
    throw new ConfigurationError([
      'CAUSEWAY_RELAY_INWARD_CERT, CAUSEWAY_RELAY_INWARD_KEY and CAUSEWAY_RELAY_INWARD_CLIENT_CA are given together or not at all: inward TLS is always mutual.',
    ]);
  }
  const { host, port } = values.CAUSEWAY_RELAY_LISTEN;
  if (!isLoopbackHost(host)) {
    throw new ConfigurationError([
      `CAUSEWAY_RELAY_LISTEN is ${host}:${port}, which other machines can reach, but without mutual TLS the relay cannot identify its callers: ` +
        'listen on 127.0.0.1, or set CAUSEWAY_RELAY_INWARD_CERT, CAUSEWAY_RELAY_INWARD_KEY and CAUSEWAY_RELAY_INWARD_CLIENT_CA.',
    ]);
  }
  return null;
}

/**
 * A caller is known by certificate or by token, depending on whether callers show certificates; a variable for the
 * other way is a mistake.
 */
function controlAccess(values: RelayValues, tls: boolean): ControlAccess {
  const { CAUSEWAY_RELAY_CONTROL_CLIENTS: clients, CAUSEWAY_RELAY_CONTROL_TOKEN_FILE: tokenFile } = values;
  if (tls && tokenFile !== undefined) {
    throw new ConfigurationError([
      'CAUSEWAY_RELAY_CONTROL_TOKEN_FILE is for a relay without inward TLS: with it, name the certificates in CAUSEWAY_RELAY_CONTROL_CLIENTS.',
    ]);
  }
  if (!tls && clients !== undefined) {
    throw new ConfigurationError([
      'CAUSEWAY_RELAY_CONTROL_CLIENTS is for a relay with inward TLS: without it, use CAUSEWAY_RELAY_CONTROL_TOKEN_FILE.',
    ]);
  }
  if (clients !== undefined) return { kind: 'certificates', fingerprints: clients };
  if (tokenFile !== undefined)
    return { kind: 'token', file: { variable: 'CAUSEWAY_RELAY_CONTROL_TOKEN_FILE', path: tokenFile } };
  return { kind: 'none' };
}

function fingerprints(text: string): ReadonlySet<string> {
  const each = text.split(',').map((one) => one.trim().replaceAll(':', '').toLowerCase());
  const wrong = each.find((one) => !/^[0-9a-f]{64}$/.test(one));
  if (wrong !== undefined)
    throw new Error(`must be SHA-256 fingerprints of 64 hexadecimal digits with commas between, not "${wrong}"`);
  return new Set(each);
}

function proxyFor(values: RelayValues): Proxy | null {
  if (values.HTTPS_PROXY === undefined || isLoopbackHost(values.CAUSEWAY_RELAY_UPSTREAM.hostname)) return null;
  return { address: values.HTTPS_PROXY, except: values.NO_PROXY ?? '' };
}

function upstreamAddress(text: string): URL {
  const url = variable.webAddress(text);
  if (url.protocol !== 'https:')
    throw new Error(`must begin with https://, because the cloud knows the tenant by its certificate; not "${text}"`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error('must be only scheme, host and port, for example https://host:4143');
  }
  return url;
}
