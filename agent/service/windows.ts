/**
 * The parts as Windows services, each run by `windows/host.c`. Calls the system's own `sc.exe` and `icacls.exe`;
 * what they are called with is built by pure functions.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { AgentContext } from './agent.ts';
import { ServiceError } from './errors.ts';
import { parseSettingsFile, settingsTemplate, variablesInHelp } from './environment-file.ts';
import { helpOf, mustRun } from './install.ts';
import { PARTS, programOf, type PartName, type Program } from './parts.ts';
import { windowsPlaces, type WindowsPlaces } from './places.ts';
import { runCommand, showCommand } from './run-command.ts';
import { MEANINGS } from './systemd.ts';

const { win32 } = path;
const serviceName = (part: PartName): string => `causeway-${part}`;
/** A virtual account of the service's own, which Windows makes with it and which has no password. */
const accountName = (part: PartName): string => `NT SERVICE\\${serviceName(part)}`;

/** What the service manager starts: host, settings, log, and the part's own command line. */
export function serviceCommand(part: PartName, { node, entry, args }: Program, places: WindowsPlaces): string {
  const folder = win32.dirname(entry);
  // Ends the part when its standard input closes, which is how the host asks for the end.
  const preload = pathToFileURL(win32.join(folder, 'end-with-parent.js'), { windows: true }).href;
  const words = [
    hostOf(entry),
    serviceName(part),
    places.settings,
    places.log,
    node,
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

/** The calls of `sc.exe` and `icacls.exe` that put a service in place, in their order. */
export function installCalls(
  part: PartName,
  program: Program,
  places: WindowsPlaces,
  isThere: boolean,
): { command: string; args: string[] }[] {
  const name = serviceName(part);
  const binPath = serviceCommand(part, program, places);
  const about = PARTS[part].about;
  const sc = (...args: string[]) => ({ command: 'sc.exe', args });
  const grant = (place: string, rights: string) => ({
    command: 'icacls.exe',
    args: [place, '/grant', `${accountName(part)}:${rights}`, '/Q'],
  });
  return [
    isThere
      ? sc('config', name, 'binPath=', binPath, 'start=', 'auto')
      : sc('create', name, 'binPath=', binPath, 'start=', 'auto', 'obj=', accountName(part), 'DisplayName=', about),
    sc('description', name, about),
    // When the host itself dies; what the part does, the host answers for.
    sc('failure', name, 'reset=', '300', 'actions=', 'restart/2000'),
    // The one privilege that walking through folders takes.
    sc('privs', name, 'SeChangeNotifyPrivilege'),
    // Secrets may stand in the settings: nothing is inherited, and only administrators and the service read them.
    {
      command: 'icacls.exe',
      args: [
        places.settings,
        '/inheritance:r',
        '/grant',
        '*S-1-5-18:F',
        '*S-1-5-32-544:F',
        `${accountName(part)}:R`,
        '/Q',
      ],
    },
    grant(win32.dirname(places.log), '(OI)(CI)M'),
    grant(places.data, '(OI)(CI)M'),
  ];
}

/** @throws ServiceError, SettingsFileError */
export async function installOnWindows(part: PartName, start: boolean, context: AgentContext): Promise<void> {
  const about = PARTS[part];
  const program = programOf(part, context.own);
  for (const file of [program.node, program.entry, ...(about.schedule === null ? [hostOf(program.entry)] : [])])
    if (!existsSync(file))
      throw new ServiceError(`There is no ${file}: install from a package for Windows that holds that part.`);
  const places = windowsPlaces(part, context.env);
  for (const folder of [win32.dirname(places.log), places.data]) mkdirSync(folder, { recursive: true });
  if (existsSync(places.settings)) {
    parseSettingsFile(readFileSync(places.settings, 'utf8'), places.settings);
    context.print(`Settings: ${places.settings}, left as they are.`);
  } else {
    const template = settingsTemplate(
      about.about,
      variablesInHelp(await helpOf(program, context)),
      onWindows({ ...about.settings, ...frontOf(program) }, places),
    );
    writeFileSync(places.settings, template);
    context.print(`Settings: ${places.settings}, to be filled in.`);
  }
  if (about.schedule !== null) {
    const launcher = win32.join(win32.dirname(program.entry), '..', 'bin', 'causeway-agent.cmd');
    const { command, args } = scheduleCall(part, launcher);
    await mustRun(command, args, context);
    context.print(`Task: ${serviceName(part)}, every night at 03:30 by the clock of this machine.`);
    return;
  }
  const isThere = (await stateOf(part, context)) !== null;
  for (const { command, args } of installCalls(part, program, places, isThere)) await mustRun(command, args, context);
  context.print(`Service: ${serviceName(part)}, running as ${accountName(part)}.`);
  if (!start) {
    context.print(`Next: complete the settings, then "sc.exe start ${serviceName(part)}".`);
    return;
  }
  await stopped(part, context);
  await mustRun('sc.exe', ['start', serviceName(part)], context);
  context.print(`Started: "causeway-agent service status ${part}" tells how it stands.`);
}

/** @throws ServiceError */
export async function uninstallOnWindows(part: PartName, context: AgentContext): Promise<void> {
  if (PARTS[part].schedule !== null)
    await mustRun('schtasks.exe', ['/Delete', '/F', '/TN', serviceName(part)], context);
  else {
    if ((await stateOf(part, context)) === null) throw new ServiceError(`There is no service ${part}.`);
    await stopped(part, context);
    await mustRun('sc.exe', ['delete', serviceName(part)], context);
  }
  const { settings, data } = windowsPlaces(part, context.env);
  context.print(`Removed ${serviceName(part)}. Settings (${settings}) and data (${data}) stay.`);
}

/** Prints a table. @returns 0 when it runs, else 1 @throws ServiceError */
export async function statusOnWindows(part: PartName, context: AgentContext): Promise<number> {
  if (PARTS[part].schedule !== null)
    return showCommand('schtasks.exe', ['/Query', '/V', '/FO', 'LIST', '/TN', serviceName(part)], context.env);
  const state = await stateOf(part, context);
  if (state === null) {
    context.print(`${part} is not installed: "causeway-agent service install ${part}" does it.`);
    return 1;
  }
  const runs = state.state === 'RUNNING';
  const rows: [string, string][] = [['state', state.state.toLowerCase()]];
  if (!runs) rows.push(['ended with', `${state.exitCode}${MEANINGS[state.exitCode] ?? ''}`]);
  for (const [name, value] of rows) context.print(`${name.padEnd(24)}${value}`);
  if (!runs)
    context.print(`What it said: causeway-agent service logs ${part}. What is wrong: causeway-agent doctor ${part}.`);
  return runs ? 0 : 1;
}

const SHOWN_LINES = 200;
const FOLLOW_MS = 500;

/** Prints the end of the log, and goes on where that is asked for. @returns the exit code @throws ServiceError */
export async function logsOnWindows(part: PartName, follow: boolean, context: AgentContext): Promise<number> {
  const { log } = windowsPlaces(part, context.env);
  if (PARTS[part].schedule !== null)
    throw new ServiceError(`Task Scheduler keeps no output: "causeway-agent run ${part}" shows what it says.`);
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
  /** As Windows says it: RUNNING, STOPPED, START_PENDING and the like. */
  state: string;
  /** What the part ended with where that is told, else Windows' own code. */
  exitCode: string;
}

/** What `sc.exe query` prints; null when it says that there is no such service. */
export function readState(code: number, text: string): WindowsState | null {
  const of = (name: string): string => new RegExp(`${name} +: (\\d+)(?: +(\\w+))?`).exec(text)?.[0] ?? '';
  const state = /\w+$/.exec(of('STATE'))?.[0];
  if (code !== 0 || state === undefined) return null;
  const value = (name: string): string => /: (\d+)/.exec(of(name))?.[1] ?? '';
  const own = value('SERVICE_EXIT_CODE');
  return { state, exitCode: own === '0' ? value('WIN32_EXIT_CODE') : own };
}

async function stateOf(part: PartName, { env }: AgentContext): Promise<WindowsState | null> {
  const { code, stdout } = await runCommand('sc.exe', ['query', serviceName(part)], env);
  return readState(code, stdout);
}

/** Longer than the host gives a part. */
const STOPPED_MS = 30_000;

/** Asks for the end where it runs, and waits for it. @throws ServiceError */
async function stopped(part: PartName, context: AgentContext): Promise<void> {
  if ((await stateOf(part, context))?.state === 'STOPPED') return;
  await mustRun('sc.exe', ['stop', serviceName(part)], context);
  for (const until = performance.now() + STOPPED_MS; performance.now() < until; await sleep(FOLLOW_MS))
    if ((await stateOf(part, context))?.state === 'STOPPED') return;
  throw new ServiceError(`${serviceName(part)} does not stop: see "causeway-agent service logs ${part}".`);
}

/** What Task Scheduler is told of a part that runs at times, by the clock of this machine. */
export function scheduleCall(part: PartName, launcher: string): { command: string; args: string[] } {
  const run = `"${launcher}" run ${part}`;
  return {
    command: 'schtasks.exe',
    args: ['/Create', '/F', '/TN', serviceName(part), '/SC', 'DAILY', '/ST', '03:30', '/RU', 'SYSTEM', '/TR', run],
  };
}

const frontOf = ({ front }: Program): Record<string, string> =>
  front === null ? {} : { CAUSEWAY_CONSOLE_FRONT: front };

/** The folders of Linux in what a settings file begins with are those of Windows here, written with `/`. */
function onWindows(settings: Readonly<Record<string, string>>, { data }: WindowsPlaces): Record<string, string> {
  const entries = Object.entries(settings).map(([name, value]) => [
    name,
    value.replace(/^\/var\/lib\/causeway(?:-relay)?|^\/etc\/causeway/, data).replaceAll('\\', '/'),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
