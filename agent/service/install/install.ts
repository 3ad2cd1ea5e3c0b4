/** Installs and removes a service: settings file, user, unit. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTrusted, trustedByRoot, trustedPlace, type Trusted } from '../../../shared/service/trusted-place.ts';
import type { AgentContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseSettingsFile, settingsTemplate, variablesInHelp } from './environment-file.ts';
import { PARTS, programOf, type PartName, type Program, type ServicePart } from './parts.ts';
import { settingsFile } from './places.ts';
import { runCommand } from './run-command.ts';
import { isInState, serviceUnit, timerName, timerUnit, unitName, userLine } from './unit.ts';

export interface InstallOptions {
  /** The root folder of everything that is written; `/` is this system. */
  root: string;
  /** Whether systemd is called. */
  call: boolean;
  start: boolean;
}

const unitFile = (part: PartName): string => `/etc/systemd/system/${unitName(part)}`;
const timerFile = (part: PartName): string => `/etc/systemd/system/${timerName(part)}`;
/** The units of a part that are enabled, started and stopped. */
const started = (part: PartName): string => (PARTS[part].schedule === null ? unitName(part) : timerName(part));
const userFile = (user: string): string => `/etc/sysusers.d/${user}.conf`;

/** @throws ServiceError, SettingsFileError, UntrustedPlaceError */
export async function installService(part: PartName, options: InstallOptions, context: AgentContext): Promise<void> {
  const about = PARTS[part];
  const program = programOf(part, context.own);
  for (const file of [program.node, program.entry])
    if (!existsSync(file)) throw new ServiceError(`There is no ${file}: this package does not hold that part.`);
  const trusted = trustedByRoot(context.env);
  const below = (file: string): string => path.join(options.root, file);
  const settings = settingsFile(part);
  if (existsSync(below(settings))) context.print(`Settings: ${below(settings)}, left as they are.`);
  else {
    const template = settingsTemplate(about.about, variablesInHelp(await helpOf(program, context)), about.settings);
    write(below(settings), template, 0o600, trusted);
    context.print(`Settings: ${below(settings)}, to be filled in.`);
  }
  const values = parseSettingsFile(readTrusted(below(settings), trusted), below(settings));
  write(below(userFile(about.user)), userLine(about.user), 0o644, trusted);
  write(
    below(unitFile(part)),
    serviceUnit(part, about, { program, settings, writable: foldersOutside(about, values) }),
    0o644,
    trusted,
  );
  if (about.schedule !== null) write(below(timerFile(part)), timerUnit(about, about.schedule), 0o644, trusted);
  context.print(`Unit: ${below(unitFile(part))}, running as ${about.user}.`);
  if (!options.call) return;
  if (options.start) refuseUnnamedTenant(part, values, options.root, settings);
  await mustRun('systemd-sysusers', [userFile(about.user)], context);
  await mustRun('systemctl', ['daemon-reload'], context);
  await mustRun('systemctl', ['enable', started(part)], context);
  if (!options.start) {
    context.print(`Next: complete the settings, then "causeway-agent service install ${part} --start".`);
    return;
  }
  context.print(`Starting ${started(part)} ...`);
  try {
    await mustRun('systemctl', ['restart', started(part)], context);
    // A scheduled part shows its faults now instead of at night.
    if (about.schedule !== null) await mustRun('systemctl', ['start', unitName(part)], context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      `${part} does not start. Its log: causeway-agent service logs ${part}. The cause: causeway-agent doctor ${part}.`,
      { cause: error },
    );
  }
  context.print(`Started: "causeway-agent service status ${part}" prints its state.`);
}

/** @throws ServiceError */
export async function uninstallService(
  part: PartName,
  { root, call }: Omit<InstallOptions, 'start'>,
  context: AgentContext,
): Promise<void> {
  const unit = path.join(root, unitFile(part));
  if (!existsSync(unit)) throw new ServiceError(`There is no service ${part}: ${unit} does not exist.`);
  if (call) await mustRun('systemctl', ['disable', '--now', started(part)], context);
  rmSync(unit);
  rmSync(path.join(root, timerFile(part)), { force: true });
  if (call) await mustRun('systemctl', ['daemon-reload'], context);
  context.print(
    `Removed ${unit}. Settings (${settingsFile(part)}), user and data (/var/lib/${PARTS[part].user}) stay: remove them yourself when they are no longer needed.`,
  );
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

/**
 * Requires the tenant of a new ledger before the first bundle can set it (D144). For an existing ledger the Intake and
 * the doctor report whether it is bound: root does not open files of the service's user.
 *
 * @throws ServiceError
 */
export function refuseUnnamedTenant(
  part: PartName,
  values: Readonly<Record<string, string>>,
  root: string,
  settings: string,
): void {
  const ledger = values['CAUSEWAY_LEDGER'] ?? '';
  if (part !== 'intake' || (values['CAUSEWAY_INTAKE_TENANT'] ?? '') !== '') return;
  if (ledger !== '' && existsSync(path.join(root, ledger))) return;
  throw new ServiceError(
    `Nothing says yet whose ledger this will be: set CAUSEWAY_INTAKE_TENANT in ${settings} to the number that the vendor names by telephone.`,
  );
}

/** The part's own account of its variables; an answer also proves that it runs on this machine. */
export async function helpOf({ node, entry, args }: Program, { env }: AgentContext): Promise<string> {
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
export async function mustRun(command: string, args: readonly string[], { env }: AgentContext): Promise<void> {
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
