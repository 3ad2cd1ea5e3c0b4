/** The systemd units, as texts. Pure. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { UNIT_VARIABLES, type Program, type ServicePart } from './part.ts';

export const unitName = ({ name }: Pick<ServicePart, 'name'>): string => `causeway-${name}.service`;
export const timerName = ({ name }: Pick<ServicePart, 'name'>): string => `causeway-${name}.timer`;

/** The hardening that every unit shares. */
const CONFINEMENT = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateIPC=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'RemoveIPC=yes',
  // Netlink: who listens at all addresses lists the machine's own, and ends where that is refused.
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged',
  'SystemCallErrorNumber=EPERM',
  'UMask=0077',
  'LimitCORE=0',
];

/**
 * Exit codes after which another start would end the same way: a wrong variable, a ledger too new or damaged.
 * After every other one systemd restarts the part without limit: such obstacles (another part at work on the
 * ledger, a disk that is not there yet) pass by themselves, and no operator should have to restart a part that gave up.
 */
const NOT_AGAIN = '2 71 73';

/**
 * `systemd-notify` speaks for the part (`notify.ts`). A migration, a check or a wait for the ledger may prolong a
 * start, and ending it would restart that work. The event loop may stand still during a large piece of work or a slow
 * disk access, never for minutes.
 */
const NOTICE = ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity', 'WatchdogSec=180'];

/** Variables that control Node, its TLS and the C library: none of them is a setting, from any origin. */
const OBEYED = [
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_USE_ENV_PROXY'],
  ...['SSLKEYLOGFILE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'OPENSSL_CONF', 'OPENSSL_MODULES', 'OPENSSL_ENGINES'],
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'GLIBC_TUNABLES', 'GCONV_PATH'],
];

export interface UnitPlace {
  program: Program;
  /** The settings file. */
  settings: string;
  /** Folders outside of /var/lib that the part must write in. */
  writable: readonly string[];
}

export function serviceUnit(part: ServicePart, place: UnitPlace): string {
  const { name, about, user, bounds, flags, schedule } = part;
  const { node, entry, args, notify, pages } = place.program;
  const isAlways = schedule === null;
  const preload = isAlways ? ['--import', pathToFileURL(notify).href] : [];
  return unit({
    Unit: [
      `Description=${about}`,
      'Wants=network-online.target',
      'After=network-online.target',
      ...(isAlways ? ['StartLimitIntervalSec=0'] : []),
    ],
    Service: [
      ...(isAlways ? NOTICE : ['Type=oneshot']),
      `ExecStart=${[node, ...flags, ...preload, entry, ...args].map(argument).join(' ')}`,
      ...(pages === null ? [] : [`Environment=${quoted(`${pages.variable}=${pages.folder}`)}`]),
      `Environment=NODE_COMPILE_CACHE=/var/cache/causeway-${name}`,
      ...Object.entries(UNIT_VARIABLES).map(([variable, value]) => `Environment=${variable}=${value}`),
      `EnvironmentFile=${escaped(place.settings)}`,
      `UnsetEnvironment=${OBEYED.join(' ')}`,
      ...identity(user, name),
      ...(isAlways ? ['Restart=always', 'RestartSec=5', `RestartPreventExitStatus=${NOT_AGAIN}`] : []),
      'KillSignal=SIGTERM',
      'TimeoutStopSec=20',
      `MemoryMax=${bounds.memory}`,
      `TasksMax=${bounds.tasks}`,
      `LimitNOFILE=${bounds.files}`,
      ...place.writable.map((folder) => `ReadWritePaths=${quoted(folder)}`),
      ...CONFINEMENT,
    ],
    ...(isAlways ? { Install: ['WantedBy=multi-user.target'] } : {}),
  });
}

/** The timer of a scheduled part; a time that was slept through is made up for. */
export function timerUnit({ about }: ServicePart, schedule: string): string {
  return unit({
    Unit: [`Description=${about}, on a schedule`],
    Timer: [`OnCalendar=${schedule}`, 'RandomizedDelaySec=15min', 'Persistent=true'],
    Install: ['WantedBy=timers.target'],
  });
}

/** The state folder, accessible to the service's user alone. */
export const stateFolder = (user: string): string => `/var/lib/${user}`;

/** The line of sysusers.d that makes a part's user. */
export function userLine(user: ServicePart['user']): string {
  return `u ${user} - "Causeway" ${stateFolder(user)} /usr/sbin/nologin\n`;
}

/** Whether the unit may write to a path in any case. */
export function isInState(user: ServicePart['user'], folder: string): boolean {
  const state = stateFolder(user);
  return folder === state || folder.startsWith(`${state}${path.posix.sep}`);
}

function identity(user: ServicePart['user'], name: string): string[] {
  return [
    `User=${user}`,
    `Group=${user}`,
    `StateDirectory=${user}`,
    'StateDirectoryMode=0700',
    `CacheDirectory=causeway-${name}`,
    `SyslogIdentifier=causeway-${name}`,
  ];
}

function unit(sections: Record<string, string[]>): string {
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`)
    .join('\n');
}

/** A word in systemd's syntax: `%` would be replaced, quotes and backslashes would end or change it. */
const quoted = (text: string): string => `"${escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** In a command line `$` would be replaced too. */
const argument = (text: string): string => quoted(text).replaceAll('$', '$$$$');
const escaped = (text: string): string => text.replaceAll('%', '%%');
