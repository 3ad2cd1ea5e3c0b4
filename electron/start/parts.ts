/** The parts of a run on one machine and the variables that each gets (D42). */
import path from 'node:path';
import type { Home } from './home.ts';
import type { PartSpec } from './part.ts';

/** The output of `cloud init`. */
export interface Installation {
  pki: { ca: string; serverCert: string; serverKey: string; clientCa: string; signingKey: string; verifyKey: string };
  tenants: { tenantId: number; name: string; cert: string; key: string }[];
  operator: { username: string };
}

/** The demo's fixed values (D58). The operator's password belongs to the demo. */
export const DEMO = {
  operator: { username: 'operator', password: 'causeway-demo' },
  accounts: [
    { username: 'admin', password: 'causeway-demo', role: 'TENANT_ADMIN' },
    { username: 'reviewer', password: 'causeway-demo', role: 'COMPLIANCE_REVIEWER' },
    { username: 'operator', password: 'causeway-demo', role: 'OPERATOR' },
    { username: 'viewer', password: 'causeway-demo', role: 'READ_ONLY' },
  ],
  channels: [
    { channel: 'MTS', key: 'demo-mts' },
    { channel: 'HTS', key: 'demo-hts' },
    { channel: 'WEB', key: 'demo-web' },
  ],
};

/** So that a visitor sees data arrive; a real tenant pulls every one to five minutes. */
const DEMO_POLL_SECONDS = '2';

type Previous = ReadonlyMap<string, string>;

/** The address of a listener: its earlier one after a restart, else the given one. */
function keep(previous: Previous, listener: string, address: string): string {
  const url = previous.get(listener);
  return url === undefined ? address : new URL(url).host;
}

/** The name of the demo's tenant. */
export const TENANT = '데모증권';

/**
 * The past of a new demo before its parts begin: ready when the ledger is seeded, ended when it has reached the
 * present.
 */
export function pastPart(run: { home: Home; weeks: number }): PartSpec {
  return {
    name: 'past',
    script: 'electron/start/past/main.ts',
    args: ['--tenant', TENANT],
    listeners: [],
    readyMessage: 'ledger seeded',
    restart: false,
    env: () => ({
      CAUSEWAY_LEDGER: run.home.ledger,
      CAUSEWAY_PAST_FILE: run.home.past,
      CAUSEWAY_DEMO_WEEKS: String(run.weeks),
    }),
  };
}

export function cloudPart(run: {
  installation: Installation;
  engineToken: string;
  weeks: number;
  listen: { sync: string; operator: string; engine: string };
}): PartSpec {
  const { pki } = run.installation;
  return {
    name: 'cloud',
    script: 'cloud/main.ts',
    listeners: ['sync', 'operator', 'engine'],
    restart: true,
    env: (previous) => ({
      CAUSEWAY_SYNC_LISTEN: keep(previous, 'sync', run.listen.sync),
      CAUSEWAY_OPERATOR_LISTEN: keep(previous, 'operator', run.listen.operator),
      CAUSEWAY_ENGINE_LISTEN: keep(previous, 'engine', run.listen.engine),
      CAUSEWAY_ENGINE_TOKEN: run.engineToken,
      CAUSEWAY_DEMO_WEEKS: String(run.weeks),
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      CAUSEWAY_SYNC_CALCULATIONS: 'on',
      CAUSEWAY_SYNC_SIGNING_KEY: pki.signingKey,
    }),
  };
}

/** The tenant whose relay, Intake and consoles run here. */
function firstTenant({ tenants: [tenant] }: Installation): Installation['tenants'][number] {
  if (tenant === undefined) throw new Error('the cloud was prepared without a tenant');
  return tenant;
}

export function relayPart(run: { home: Home; installation: Installation; upstream: string; listen: string }): PartSpec {
  const tenant = firstTenant(run.installation);
  return {
    name: 'relay',
    script: 'agent/relay/main.ts',
    listeners: ['relay'],
    restart: true,
    env: (previous) => ({
      CAUSEWAY_RELAY_LISTEN: keep(previous, 'relay', run.listen),
      CAUSEWAY_RELAY_UPSTREAM: run.upstream,
      CAUSEWAY_RELAY_CERT: tenant.cert,
      CAUSEWAY_RELAY_KEY: tenant.key,
      CAUSEWAY_RELAY_CA: run.installation.pki.ca,
      CAUSEWAY_RELAY_CONTROL_TOKEN_FILE: run.home.relayToken,
    }),
  };
}

export function intakePart(run: { home: Home; installation: Installation; upstream: string }): PartSpec {
  return {
    name: 'intake',
    script: 'agent/intake/main.ts',
    listeners: [],
    readyMessage: 'ready',
    restart: true,
    env: () => ({
      CAUSEWAY_LEDGER: run.home.ledger,
      CAUSEWAY_INTAKE_UPSTREAM: run.upstream,
      CAUSEWAY_INTAKE_POLL_SECONDS: DEMO_POLL_SECONDS,
      CAUSEWAY_INTAKE_VERIFY_KEY: run.installation.pki.verifyKey,
      CAUSEWAY_INTAKE_TENANT: String(firstTenant(run.installation).tenantId),
    }),
  };
}

export function provisionPart(run: { home: Home; listen: string }): PartSpec {
  return {
    name: 'provision',
    script: 'agent/provision/main.ts',
    listeners: ['provision'],
    restart: true,
    env: (previous) => ({
      CAUSEWAY_LEDGER: run.home.ledger,
      CAUSEWAY_PROVISION_LISTEN: keep(previous, 'provision', run.listen),
    }),
  };
}

export function consoleApiPart(run: {
  home: Home;
  listen: string;
  relay: string;
  operatorConsole: string;
  channelPage: string;
  /** The trading day with which the past of a new demo ends, if not the present one. */
  replayedDate: string | null;
}): PartSpec {
  return {
    name: 'console-api',
    script: 'electron/console-api/main.ts',
    listeners: ['console'],
    restart: true,
    env: (previous) => ({
      CAUSEWAY_LEDGER: run.home.ledger,
      CAUSEWAY_CONSOLE_RELAY: `http://${run.relay}`,
      CAUSEWAY_CONSOLE_RELAY_TOKEN_FILE: run.home.relayToken,
      CAUSEWAY_CONSOLE_DEMO_OPERATOR: `http://${run.operatorConsole}`,
      CAUSEWAY_CONSOLE_DEMO_CHANNEL: `http://${run.channelPage}`,
      ...(run.replayedDate === null ? {} : { CAUSEWAY_CONSOLE_DEMO_REPLAYED: run.replayedDate }),
      CAUSEWAY_CONSOLE_LISTEN: keep(previous, 'console', run.listen),
    }),
  };
}

export function demoDriverPart(run: { engineUrl: string; engineToken: string; operatorUrl: string }): PartSpec {
  return {
    name: 'demo',
    script: 'cloud/demo/main.ts',
    listeners: [],
    restart: true,
    env: () => ({
      CAUSEWAY_ENGINE_URL: run.engineUrl,
      CAUSEWAY_ENGINE_TOKEN: run.engineToken,
      CAUSEWAY_OPERATOR_URL: run.operatorUrl,
      CAUSEWAY_OPERATOR_USERNAME: DEMO.operator.username,
      CAUSEWAY_OPERATOR_PASSWORD: DEMO.operator.password,
    }),
  };
}

/** The Electron program, connected to the console API beside it. */
export function windowPart(run: { home: Home; consoleUrl: string }): PartSpec {
  return {
    name: 'console',
    script: 'electron/packaging/console.ts',
    listeners: [],
    readyMessage: 'window shown',
    restart: false,
    env: () => ({
      CAUSEWAY_CONSOLE_URL: run.consoleUrl,
      CAUSEWAY_CONSOLE_DATA: path.join(run.home.root, 'console'),
    }),
  };
}
