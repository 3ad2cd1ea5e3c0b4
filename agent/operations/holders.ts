/** The parts that hold a certificate of the vendor: its files, and the connection to the cloud with it. */
import { ConfigurationError, readVariables, type ListenAddress } from '../../shared/service/variables.ts';
import { INTAKE_VARIABLES } from '../intake/settings.ts';
import type { CredentialFiles } from '../relay/pair-files.ts';
import { readSettings as readRelaySettings, RELAY_VARIABLES } from '../relay/settings.ts';
import type { Proxy } from '../relay/proxy.ts';
import type { Bounds } from '../relay/upstream.ts';

export interface Holder {
  name: HolderName;
  files: CredentialFiles;
  upstream: URL;
  bounds: Bounds;
  proxy: Proxy | null;
  /**
   * The address of a part that, while it runs, writes a new pair to its files by itself; null: this command does it.
   */
  finishes: ListenAddress | null;
}

export const HOLDERS = ['relay', 'intake'] as const;
export type HolderName = (typeof HOLDERS)[number];

/** The relay's default limits. */
const BOUNDS: Bounds = {
  connectMs: RELAY_VARIABLES.CAUSEWAY_RELAY_CONNECT_MS.fallback,
  headersMs: RELAY_VARIABLES.CAUSEWAY_RELAY_HEADERS_MS.fallback,
  bodyMs: RELAY_VARIABLES.CAUSEWAY_RELAY_BODY_MS.fallback,
  bytes: RELAY_VARIABLES.CAUSEWAY_RELAY_BODY_BYTES.fallback,
};

/** @throws ConfigurationError */
export function holderOf(name: HolderName, env: Readonly<Record<string, string | undefined>>): Holder {
  switch (name) {
    case 'relay': {
      const { outward: files, upstream, bounds, proxy, listen } = readRelaySettings(env);
      return { name, files, upstream, bounds, proxy, finishes: listen };
    }
    case 'intake':
      return intakeHolder(env);
    default:
      return name satisfies never;
  }
}

/** The Intake of the single-module option, which asks the cloud itself (sync protocol 1). */
function intakeHolder(env: Readonly<Record<string, string | undefined>>): Holder {
  const { CAUSEWAY_INTAKE_UPSTREAM, CAUSEWAY_INTAKE_CERT, CAUSEWAY_INTAKE_KEY, CAUSEWAY_INTAKE_CA } = INTAKE_VARIABLES;
  const named = { CAUSEWAY_INTAKE_CERT, CAUSEWAY_INTAKE_KEY, CAUSEWAY_INTAKE_CA };
  const values = readVariables({ CAUSEWAY_INTAKE_UPSTREAM, ...named }, env);
  const upstream = values.CAUSEWAY_INTAKE_UPSTREAM;
  if (upstream.protocol === 'http:')
    throw new ConfigurationError([
      'CAUSEWAY_INTAKE_UPSTREAM begins with http://, where no certificate is shown: it is the relay that needs one from the vendor.',
    ]);
  const missing: string[] = [];
  const file = (variable: keyof typeof named): { variable: string; path: string } => {
    const path = values[variable];
    if (path === undefined)
      missing.push(`${variable} is missing: say where the file is to lie (${named[variable].help}).`);
    return { variable, path: path ?? '' };
  };
  const files = {
    cert: file('CAUSEWAY_INTAKE_CERT'),
    key: file('CAUSEWAY_INTAKE_KEY'),
    ca: file('CAUSEWAY_INTAKE_CA'),
  };
  if (missing.length > 0) throw new ConfigurationError(missing);
  return { name: 'intake', files, upstream, bounds: BOUNDS, proxy: null, finishes: null };
}
