/** The paths of the services and their Node in the packed program, and the environment of each. No Electron. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceCommand } from './local-service.ts';

/**
 * Variables of the program's environment that services get, besides the `CAUSEWAY_` ones that are not the program's
 * own.
 */
const PASSED_ON = new Set([
  'HOME',
  'LANG',
  'LC_ALL',
  'PATH',
  'TMPDIR',
  'TZ',
  // For the provider of single sign-on.
  'HTTPS_PROXY',
  'HTTPS_PROXY_FILE',
  'NO_PROXY',
  'APPDATA',
  'LOCALAPPDATA',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
]);

export interface PackedPlaces {
  /** The packed program's folder of resources. */
  resources: string;
  /** The program's own data folder; the ledger lies there unless another file is configured. */
  data: string;
}

/** The settings of a local console, besides its paths. */
export interface LocalVariables {
  /** The program's own environment. */
  env: Record<string, string | undefined>;
  /** The choice in the program's settings, which overrides the environment. */
  chosen: Record<string, string>;
  /** The secret required in every request to the console API, so that no other user of this machine is admitted. */
  windowSecret: string;
}

/**
 * The services of a local console, the console API first: the Intake and the provision API only if their addresses are
 * configured.
 */
export function serviceCommands(places: PackedPlaces, { env, chosen, windowSecret }: LocalVariables): ServiceCommand[] {
  const { resources, data } = places;
  const services = join(resources, 'services');
  const passed = {
    ...variablesPassedOn(env),
    ...chosen,
    // Compiled code is cached between starts, so that a service starts faster.
    NODE_COMPILE_CACHE: join(data, 'compile-cache'),
  };
  const variables: Record<string, string> = { CAUSEWAY_LEDGER: join(data, 'ledger.db'), ...passed };
  const node = process.platform === 'win32' ? join(resources, 'node', 'node.exe') : join(resources, 'node', 'node');
  const common = {
    node,
    endWithParent: ['--import', pathToFileURL(join(services, 'end-with-parent.js')).href],
  } as const;
  const commands: ServiceCommand[] = [
    {
      node,
      name: 'console',
      // With the code that was compiled while it was packed (D163).
      entry: join(services, 'console-api', 'main.cjs'),
      endWithParent: ['--require', join(services, 'console-api', 'end-with-parent.cjs')],
      env: {
        ...variables,
        CAUSEWAY_CONSOLE_PAGES: join(resources, 'renderer'),
        CAUSEWAY_CONSOLE_WINDOW_SECRET: windowSecret,
      },
      listen: 'CAUSEWAY_CONSOLE_LISTEN',
      ready: 'listening',
      runsElsewhere: async () => false,
    },
  ];
  if (variables['CAUSEWAY_INTAKE_UPSTREAM'] !== undefined) {
    commands.push({
      ...common,
      name: 'intake',
      entry: join(services, 'intake.js'),
      env: variables,
      listen: null,
      ready: 'ready',
      // The Intake itself detects another one on the same ledger, and reports it by its exit code.
      runsElsewhere: async () => false,
    });
  }
  const listen = variables['CAUSEWAY_PROVISION_LISTEN'];
  if (listen !== undefined) {
    commands.push({
      ...common,
      name: 'provision',
      entry: join(services, 'provision.js'),
      env: variables,
      listen: null,
      ready: 'listening',
      runsElsewhere: () => isHealthy(listen),
    });
  }
  return commands;
}

/** Variables that configure the program itself. */
const PROGRAMS_OWN = [
  'CAUSEWAY_CONSOLE_URL',
  'CAUSEWAY_CONSOLE_CA',
  'CAUSEWAY_CONSOLE_DATA',
  'CAUSEWAY_CONSOLE_MANAGED',
];

function variablesPassedOn(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      if (value === undefined || value === '' || PROGRAMS_OWN.includes(name)) return false;
      return name.startsWith('CAUSEWAY_') || PASSED_ON.has(name.toUpperCase());
    }),
  );
}

const ANSWER_MS = 2_000;

/** Whether a provision API already answers at our address. Port 0 is never taken. */
async function isHealthy(listen: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`http://${listen}/health`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return ok;
  } catch {
    return false;
  }
}
