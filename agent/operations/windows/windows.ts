/**
 * The parts as Windows services, each run by `windows/host.c`. Calls the system's own `sc.exe` and `schtasks.exe`; pure
 * functions build their arguments.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemProgram } from '../../../shared/service/windows-rights.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import {
  parseSettingsFile,
  settingsTemplate,
  variablesInHelp,
} from '../../../shared/service/install/environment-file.ts';
import { helpOf, mustRun } from '../../../shared/service/install/install.ts';
import { PART_NAMES, PARTS, programOf, type PartName } from '../install/parts.ts';
import type { Program } from '../../../shared/service/install/part.ts';
import { refuseUnnamedTenant } from '../install/unnamed-tenant.ts';
import { windowsPlaces, type WindowsPlaces } from '../install/places.ts';
import { runCommand } from '../../../shared/service/install/run-command.ts';
import { MEANINGS } from '../../../shared/service/install/systemd.ts';
import { prepareFolders, serviceName, serviceSid, windowsFiles } from './windows-folders.ts';

const { win32 } = path;
/** A virtual account of the service's own, which Windows makes with it and which has no password. */
const accountName = (part: PartName): string => `NT SERVICE\\${serviceName(part)}`;

/** The command that the service manager starts: host, settings, log, and the part's own command line. */
export function serviceCommand(part: PartName, { node, entry, args }: Program, places: WindowsPlaces): string {
  const folder = win32.dirname(entry);
  // Ends the part when its standard input closes, which is how the host asks for the end.
  const preload = pathToFileURL(win32.join(folder, 'end-with-parent.js'), { windows: true }).href;
  const words = [
    hostOf(entry),
    ...(PARTS[part].schedule === null ? [] : ['--once']),
    serviceName(part),
    places.settings,
    places.log,
    node,
    ...PARTS[part].flags,
    '--import',
    preload,
    entry,
    ...args,
  ];
  return words.map(quoted).join(' ');
}

const hostOf = (entry: string): string => win32.join(win32.dirname(entry), 'causeway-host.exe');
/** No path or argument of ours has a quote in it; a backslash before the closing one would take it away. */
const quoted = (word: string): string => `"${word.replace(/\\+$/, '$&$&')}"`;

/** The calls that put a service in place, in their order; its folders are prepared before. */
export function installCalls(
  part: PartName,
  program: Program,
  places: WindowsPlaces,
  isThere: boolean,
): { command: string; args: string[] }[] {
  const name = serviceName(part);
  const binPath = serviceCommand(part, program, places);
  const { about, schedule } = PARTS[part];
  const sc = (...args: string[]) => ({ command: 'sc.exe', args });
  const start = schedule === null ? 'auto' : 'demand';
  return [
    isThere
      ? sc('config', name, 'binPath=', binPath, 'start=', start)
      : sc('create', name, 'binPath=', binPath, 'start=', start, 'obj=', accountName(part), 'DisplayName=', about),
    sc('description', name, about),
    // The one privilege that walking through folders takes.
    sc('privs', name, 'SeChangeNotifyPrivilege'),
    schedule === null
      ? // Restarts the host itself when it dies; the host restarts the part.
        sc('failure', name, 'reset=', '300', 'actions=', 'restart/2000')
      : sc('sdset', name, STARTED_BY_SCHEDULE),
  ];
}

/** The rights to the service of a schedule: Windows' own list, and LOCAL SERVICE may start and query it. */
const STARTED_BY_SCHEDULE =
  'D:(A;;CCLCSWRPWPDTLOCRRC;;;SY)(A;;CCDCLCSWRPWPDTLOCRSDRCWDWO;;;BA)(A;;CCLCSWLOCRRC;;;IU)(A;;CCLCSWLOCRRC;;;SU)(A;;LCRP;;;LS)';

/** @throws ServiceError, SettingsFileError */
export async function installOnWindows(part: PartName, start: boolean, context: ServiceContext): Promise<void> {
  const about = PARTS[part];
  const program = programOf(part, context.own);
  for (const file of [program.node, program.entry, hostOf(program.entry)])
    if (!existsSync(file))
      throw new ServiceError(`There is no ${file}: install from a package for Windows that holds that part.`);
  const places = windowsPlaces(part, context.env);
  const sharing = PART_NAMES.filter((other) => PARTS[other].user === about.user).map(serviceSid);
  const template = async (): Promise<string> =>
    settingsTemplate(
      about.about,
      variablesInHelp(await helpOf(program, context)),
      onWindows({ ...about.settings, ...pagesVariable(program) }, places),
    );
  const wereThere = await prepareFolders({ part, places, sharing }, template, windowsFiles(context));
  const values = parseSettingsFile(readFileSync(places.settings, 'utf8'), places.settings);
  context.print(`Settings: ${places.settings}, ${wereThere ? 'left as they are' : 'to be filled in'}.`);
  const isThere = (await stateOf(part, context)) !== null;
  for (const { command, args } of installCalls(part, program, places, isThere)) await mustRun(command, args, context);
  context.print(`Service: ${serviceName(part)}, running as ${accountName(part)}.`);
  if (start) refuseUnnamedTenant(part, values, '', places.settings);
  if (about.schedule !== null) {
    const { command, args } = scheduleCall(part, context.env);
    await mustRun(command, args, context);
    context.print(`Task: ${serviceName(part)} starts it every night at 03:30 by the clock of this machine.`);
    return;
  }
  if (!start) {
    context.print(`Next: complete the settings, then "sc.exe start ${serviceName(part)}".`);
    return;
  }
  await stopped(part, context);
  await mustRun('sc.exe', ['start', serviceName(part)], context);
  context.print(`Started: "causeway-agent service status ${part}" shows its state.`);
}

/** @throws ServiceError */
export async function uninstallOnWindows(part: PartName, context: ServiceContext): Promise<void> {
  if ((await stateOf(part, context)) === null) throw new ServiceError(`There is no service ${part}.`);
  if (PARTS[part].schedule !== null)
    await mustRun('schtasks.exe', ['/Delete', '/F', '/TN', serviceName(part)], context);
  await stopped(part, context);
  await mustRun('sc.exe', ['delete', serviceName(part)], context);
  const { settings, data } = windowsPlaces(part, context.env);
  context.print(`Removed ${serviceName(part)}. Settings (${settings}) and data (${data}) stay.`);
}

/** Windows' exit code for a service that was never started. */
const NEVER_STARTED = '1077';

/** Prints a table. @returns 0 when it runs, or is well between two times; else 1 @throws ServiceError */
export async function statusOnWindows(part: PartName, context: ServiceContext): Promise<number> {
  const state = await stateOf(part, context);
  if (state === null) {
    context.print(`${part} is not installed: "causeway-agent service install ${part}" does it.`);
    return 1;
  }
  // A scheduled service has ended when all is well, or has not run yet.
  const isAtRest = PARTS[part].schedule !== null && ['0', NEVER_STARTED].includes(state.exitCode);
  const runs = state.state === 'RUNNING' || isAtRest;
  const rows: [string, string][] = [['state', state.state.toLowerCase()]];
  if (state.state !== 'RUNNING') rows.push(['ended with', `${state.exitCode}${MEANINGS[state.exitCode] ?? ''}`]);
  for (const [name, value] of rows) context.print(`${name.padEnd(24)}${value}`);
  if (!runs) context.print(`Its log: causeway-agent service logs ${part}. The cause: causeway-agent doctor ${part}.`);
  return runs ? 0 : 1;
}

const SHOWN_LINES = 200;
const FOLLOW_MS = 500;

/** Prints the end of the log, and follows it on request. @returns the exit code @throws ServiceError */
export async function logsOnWindows(part: PartName, follow: boolean, context: ServiceContext): Promise<number> {
  const { log } = windowsPlaces(part, context.env);
  if (!existsSync(log)) throw new ServiceError(`There is no ${log}: the service ${part} has not run yet.`);
  const text = readFileSync(log, 'utf8').trimEnd();
  for (const line of text.split('\n').slice(-SHOWN_LINES)) context.print(line);
  let shown = statSync(log).size;
  while (follow) {
    await sleep(FOLLOW_MS);
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    // Shorter than before: the log was full and another one was begun.
    if (size < shown) shown = 0;
    if (size === shown) continue;
    context.print(readFrom(log, shown, size).trimEnd());
    shown = size;
  }
  return 0;
}

function readFrom(file: string, from: number, to: number): string {
  const handle = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(to - from);
    return piece.toString('utf8', 0, readSync(handle, piece, 0, piece.length, from));
  } finally {
    closeSync(handle);
  }
}

export interface WindowsState {
  /** Windows' own words: RUNNING, STOPPED, START_PENDING and the like. */
  state: string;
  /** The part's own exit code if known, otherwise Windows' own code. */
  exitCode: string;
}

/** Parses the output of `sc.exe query`; null for an unknown service. */
export function readState(code: number, text: string): WindowsState | null {
  const of = (name: string): string => new RegExp(`${name} +: (\\d+)(?: +(\\w+))?`).exec(text)?.[0] ?? '';
  const state = /\w+$/.exec(of('STATE'))?.[0];
  if (code !== 0 || state === undefined) return null;
  const value = (name: string): string => /: (\d+)/.exec(of(name))?.[1] ?? '';
  const own = value('SERVICE_EXIT_CODE');
  return { state, exitCode: own === '0' ? value('WIN32_EXIT_CODE') : own };
}

async function stateOf(part: PartName, { env }: ServiceContext): Promise<WindowsState | null> {
  const { code, stdout } = await runCommand('sc.exe', ['query', serviceName(part)], env);
  return readState(code, stdout);
}

/** Longer than the host gives a part. */
const STOPPED_MS = 30_000;

/** Asks a running service to stop, and waits for the end. @throws ServiceError */
async function stopped(part: PartName, context: ServiceContext): Promise<void> {
  if ((await stateOf(part, context))?.state === 'STOPPED') return;
  await mustRun('sc.exe', ['stop', serviceName(part)], context);
  for (const until = performance.now() + STOPPED_MS; performance.now() < until; await sleep(FOLLOW_MS))
    if ((await stateOf(part, context))?.state === 'STOPPED') return;
  throw new ServiceError(`${serviceName(part)} does not stop: see "causeway-agent service logs ${part}".`);
}

/**
 * The task definition for Task Scheduler of a scheduled part, by the clock of this machine. The task only starts the
 * service, as LOCAL SERVICE, and reads no file of ours. The part runs with the account of its service.
 */
export function scheduleCall(part: PartName, env: NodeJS.ProcessEnv): { command: string; args: string[] } {
  const run = `${systemProgram('sc.exe', env)} start ${serviceName(part)}`;
  return {
    command: 'schtasks.exe',
    args: ['/Create', '/F', '/TN', serviceName(part), '/SC', 'DAILY', '/ST', '03:30', '/RU', LOCAL_SERVICE, '/TR', run],
  };
}

const LOCAL_SERVICE = 'S-1-5-19';

const pagesVariable = ({ pages }: Program): Record<string, string> =>
  pages === null ? {} : { [pages.variable]: pages.folder };

/** Maps the Linux folders in a settings template to those of Windows, written with `/`. */
function onWindows(settings: Readonly<Record<string, string>>, { data }: WindowsPlaces): Record<string, string> {
  const entries = Object.entries(settings).map(([name, value]) => [
    name,
    value.replace(/^\/var\/lib\/causeway(?:-relay)?|^\/etc\/causeway/, data).replaceAll('\\', '/'),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
