/** Installs and removes a service: settings file, user, unit. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTrusted, trustedByRoot, trustedPlace, type Trusted } from '../trusted-place.ts';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseSettingsFile, settingsTemplate, variablesInHelp } from './environment-file.ts';
import { commandFor, settingsOnLinux, type Program, type ServicePart } from './part.ts';
import { runCommand } from './run-command.ts';
import { isInState, serviceUnit, timerName, timerUnit, unitName, userLine } from './unit.ts';

export interface InstallOptions {
  /** The root folder of everything that is written; `/` is this system. */
  root: string;
  /** Whether systemd is called. */
  call: boolean;
  start: boolean;
  /** Looks at the settings before a start. @throws ServiceError where they do not say enough */
  refuse?(values: Readonly<Record<string, string>>, root: string): void;
}

const UNITS = '/etc/systemd/system';
const unitFile = (part: ServicePart): string => `${UNITS}/${unitName(part)}`;
const timerFile = (part: ServicePart): string => `${UNITS}/${timerName(part)}`;
/** The units of a part that are enabled, started and stopped. */
const started = (part: ServicePart): string => (part.schedule === null ? unitName(part) : timerName(part));
const userFile = (user: string): string => `/etc/sysusers.d/${user}.conf`;

/** @throws ServiceError, SettingsFileError, UntrustedPlaceError */
export async function installService(
  part: ServicePart,
  program: Program,
  options: InstallOptions,
  context: ServiceContext,
): Promise<void> {
  for (const file of [program.node, program.entry])
    if (!existsSync(file)) throw new ServiceError(`There is no ${file}: this package does not hold that part.`);
  const trusted = trustedByRoot(context.env);
  const below = (file: string): string => path.join(options.root, file);
  const settings = settingsOnLinux(part);
  if (existsSync(below(settings))) context.print(`Settings: ${below(settings)}, left as they are.`);
  else {
    const template = settingsTemplate(part.about, variablesInHelp(await helpOf(program, context)), part.settings);
    write(below(settings), template, 0o600, trusted);
    context.print(`Settings: ${below(settings)}, to be filled in.`);
  }
  const values = parseSettingsFile(readTrusted(below(settings), trusted), below(settings));
  write(below(userFile(part.user)), userLine(part.user), 0o644, trusted);
  write(
    below(unitFile(part)),
    serviceUnit(part, { program, settings, writable: foldersOutside(part, values) }),
    0o644,
    trusted,
  );
  if (part.schedule !== null) write(below(timerFile(part)), timerUnit(part, part.schedule), 0o644, trusted);
  context.print(`Unit: ${below(unitFile(part))}, running as ${part.user}.`);
  if (!options.call) return;
  if (options.start) {
    refuseMissing(part, foldersOutside(part, values), options.root);
    options.refuse?.(values, options.root);
  }
  await mustRun('systemd-sysusers', [userFile(part.user)], context);
  await mustRun('systemctl', ['daemon-reload'], context);
  await mustRun('systemctl', ['enable', started(part)], context);
  if (!options.start) {
    context.print(`Next: complete the settings, then "${commandFor(part, 'service install')} --start".`);
    return;
  }
  context.print(`Starting ${started(part)} ...`);
  try {
    await mustRun('systemctl', ['restart', started(part)], context);
    // A scheduled part shows its faults now instead of at night.
    if (part.schedule !== null) await mustRun('systemctl', ['start', unitName(part)], context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      `${part.name} does not start. Its log: ${commandFor(part, 'service logs')}. The cause: ${commandFor(part, 'doctor')}.`,
      { cause: error },
    );
  }
  context.print(`Started: "${commandFor(part, 'service status')}" prints its state.`);
}

/** @throws ServiceError */
export async function uninstallService(
  part: ServicePart,
  { root, call }: Pick<InstallOptions, 'root' | 'call'>,
  context: ServiceContext,
): Promise<void> {
  const unit = path.join(root, unitFile(part));
  if (!existsSync(unit)) throw new ServiceError(`There is no service ${part.name}: ${unit} does not exist.`);
  if (call) await mustRun('systemctl', ['disable', '--now', started(part)], context);
  rmSync(unit);
  rmSync(path.join(root, timerFile(part)), { force: true });
  rmSync(path.join(root, `/var/cache/causeway-${part.name}`), { recursive: true, force: true });
  removeUserLine(part, root);
  if (call) await mustRun('systemctl', ['daemon-reload'], context);
  context.print(
    `Removed ${unit}. Settings (${settingsOnLinux(part)}), user and data (/var/lib/${part.user}) stay: remove them yourself when they are no longer needed.`,
  );
}

/** Refuses missing folders: systemd would end the unit with status 226 and no message. @throws ServiceError */
function refuseMissing({ user }: ServicePart, folders: readonly string[], root: string): void {
  const missing = folders.find((folder) => !existsSync(path.join(root, folder)));
  if (missing !== undefined)
    throw new ServiceError(
      `The settings name the folder ${missing}, which is not there: mount it, or make it by "install -d -o ${user} -g ${user} -m 0700 ${missing}".`,
    );
}

/** Removes the line of the user too, where no other unit runs as that user: the user itself stays with its data. */
function removeUserLine({ user }: ServicePart, root: string): void {
  const units = path.join(root, UNITS);
  const isUsed = readdirSync(units).some(
    (name) =>
      /^causeway-.*\.service$/.test(name) && readFileSync(path.join(units, name), 'utf8').includes(`\nUser=${user}\n`),
  );
  if (!isUsed) rmSync(path.join(root, userFile(user)), { force: true });
}

/** Refuses a system without support for units. @throws ServiceError */
export function refuseElsewhere(platform: NodeJS.Platform): void {
  if (platform !== 'linux')
    throw new ServiceError(
      `Services are installed on Linux with systemd and on Windows: on ${platform} run the part by its own command.`,
    );
  if (process.getuid?.() !== 0)
    throw new ServiceError('Only root may install services: use sudo, or --root DIR to write the files elsewhere.');
}

/** A unit sees no home folder and no temporary one: a program there would never start. @throws ServiceError */
export function refuseHidden({ node, entry }: Program): void {
  for (const file of [node, entry]) {
    const kind = /^\/(?:home|root|run\/user)\//.test(file)
      ? 'home'
      : /^\/(?:var\/)?tmp\//.test(file)
        ? 'temporary'
        : null;
    if (kind !== null)
      throw new ServiceError(
        `${file} lies in a ${kind} folder, which a service does not see: put Causeway under /opt and run it from there.`,
      );
  }
}

/** Checks that only root can change installed files. @throws UntrustedPlaceError */
export function refuseChangeable({ node, entry }: Program, env: NodeJS.ProcessEnv): void {
  const trusted = trustedByRoot(env);
  if (trusted !== null) for (const file of [node, entry]) trustedPlace(file, trusted);
}

/** The part's own account of its variables; an answer also proves that it runs on this machine. */
export async function helpOf({ node, entry, args }: Program, { env }: ServiceContext): Promise<string> {
  const { code, stdout, stderr } = await runCommand(node, [entry, ...args, '--help'], env);
  if (code !== 0) throw new ServiceError(`${entry} does not run on this machine (exit code ${code}): ${stderr.trim()}`);
  return stdout;
}

function foldersOutside({ user, writes, writesIn }: ServicePart, values: Readonly<Record<string, string>>): string[] {
  const folders = [...writes, ...writesIn].flatMap((name) => {
    const place = values[name];
    if (place === undefined || place === '') return [];
    if (!path.posix.isAbsolute(place))
      throw new ServiceError(`${name} is ${place}: a service has no working folder, so give the whole path.`);
    const whole = path.posix.normalize(place);
    return [writesIn.includes(name) ? whole : path.posix.dirname(whole)];
  });
  return [...new Set(folders)].filter((folder) => !isInState(user, folder));
}

/** @throws UntrustedPlaceError where another user could have placed a link */
function write(file: string, text: string, mode: number, trusted: Trusted | null): void {
  const place = trusted === null ? file : trustedPlace(file, trusted);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text, { mode });
}

/** @throws ServiceError with the command's output */
export async function mustRun(command: string, args: readonly string[], { env }: ServiceContext): Promise<void> {
  let ran;
  try {
    ran = await runCommand(command, args, env);
  } catch (error) {
    throw new ServiceError(
      `${command} cannot be run (${error instanceof Error ? error.message : String(error)}): is it installed?`,
    );
  }
  if (ran.code !== 0)
    throw new ServiceError(
      `${command} ${args.join(' ')} failed (exit code ${ran.code}): ${(ran.stderr || ran.stdout).trim()}`,
    );
}
