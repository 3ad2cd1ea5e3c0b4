/**
 * The command line of `causeway-agent`. Exit codes: 0 done, without a finding; 1 not done, or with a finding; 2 a wrong
 * command line.
 */
import { isArgumentError } from '../../shared/service/argument-error.ts';
import { dirname, win32 } from 'node:path';
import { parseArgs } from 'node:util';
import { PINNED_RELEASE } from '../../shared/service/release.ts';
import { refuseRootInFolderOfAnother, UntrustedPlaceError } from '../../shared/service/trusted-place.ts';
import { ConfigurationError } from '../../shared/service/variables.ts';
import { workAs } from '../../shared/service/install/as-service.ts';
import { installCertificate, readIssued, requestCertificate } from './certificate.ts';
import { configured, type Configured } from '../../shared/service/install/configured.ts';
import { writeDiagnostics } from './diagnostics.ts';
import { runDoctor, type PartChecks } from './checks/doctor.ts';
import { SettingsFileError } from '../../shared/service/install/environment-file.ts';
import { ServiceError } from '../../shared/service/install/errors.ts';
import { holderOf, HOLDERS, type Holder } from './holders.ts';
import {
  installService,
  refuseChangeable,
  refuseElsewhere,
  refuseHidden,
  uninstallService,
} from '../../shared/service/install/install.ts';
import { PART_NAMES, PARTS, programOf, type PartName } from './install/parts.ts';
import { settingsFile, windowsPlaces } from './install/places.ts';
import { refuseUnnamedTenant } from './install/unnamed-tenant.ts';
import { showCommand } from '../../shared/service/install/run-command.ts';
import { serviceLogs, serviceStatus } from '../../shared/service/install/systemd.ts';
import { ownUsers, VERIFY_PACKAGE, verifyPackage } from '../../shared/service/verify-package.ts';
import { installOnWindows, logsOnWindows, statusOnWindows, uninstallOnWindows } from './windows/windows.ts';
import { refuseLinks, windowsFiles } from './windows/windows-folders.ts';
import type { ServiceContext } from '../../shared/service/install/context.ts';

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The parts of a package, each with its doctor. */
export type Package = Readonly<Partial<Record<PartName, PartChecks>>>;

interface Command {
  usage: string;
  about: string;
  options: readonly Option[];
  /** Whether arguments for the part itself may follow `--`. */
  takesPartArguments?: true;
  /** @returns the exit code */
  run(part: PartName, values: Values, context: ServiceContext, checks: PartChecks): Promise<number>;
}

const OPTIONS = {
  env: { type: 'string' },
  file: { type: 'string' },
  root: { type: 'string' },
  start: { type: 'boolean' },
  follow: { type: 'boolean' },
} as const;
type Option = keyof typeof OPTIONS;
interface Values {
  env?: string | undefined;
  file?: string | undefined;
  root?: string | undefined;
  start?: boolean | undefined;
  follow?: boolean | undefined;
  /** The arguments behind `--`. */
  words: readonly string[];
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'service install': {
    usage: 'service install PART [--start] [--root DIR]',
    about:
      'Writes settings file, unit and user of a service, and enables it. --start starts it, or again; --root writes below ' +
      'DIR and calls nothing.',
    options: ['start', 'root'],
    run: async (part, { start = false, root }, context) => {
      if (root !== undefined && start) throw new UsageError('--start needs the system itself: leave out --root.');
      if (isWindows(context, root)) {
        await installOnWindows(part, start, context);
        return 0;
      }
      const place = target(root, context);
      if (place.call) {
        refuseHidden(programOf(part, context.own));
        refuseChangeable(programOf(part, context.own), context.env);
      }
      await installService(
        PARTS[part],
        programOf(part, context.own),
        { ...place, start, refuse: (values, below) => refuseUnnamedTenant(part, values, below) },
        context,
      );
      return 0;
    },
  },
  'service uninstall': {
    usage: 'service uninstall PART [--root DIR]',
    about: 'Stops a service and takes it away. Settings and data stay.',
    options: ['root'],
    run: async (part, { root }, context) => {
      if (isWindows(context, root)) await uninstallOnWindows(part, context);
      else await uninstallService(PARTS[part], target(root, context), context);
      return 0;
    },
  },
  'service status': {
    usage: 'service status PART',
    about: 'Prints the state of a service; exit code 0 when it runs.',
    options: [],
    run: (part, _, context) =>
      isWindows(context) ? statusOnWindows(part, context) : serviceStatus(PARTS[part], context),
  },
  'service logs': {
    usage: 'service logs PART [--follow]',
    about: 'Shows the log of a service; --follow waits for new lines.',
    options: ['follow'],
    run: (part, { follow = false }, context) =>
      isWindows(context) ? logsOnWindows(part, follow, context) : serviceLogs(PARTS[part], follow, context),
  },
  run: {
    usage: 'run PART [--env FILE] [-- COMMAND …]',
    about:
      'Runs a part here until it ends, or one of its own commands (run intake -- verify; -- --help lists them), with the ' +
      'settings of the installed service, as its user, or those of FILE.',
    options: ['env'],
    takesPartArguments: true,
    run: (part, { env, words }, context) => {
      const { node, entry, args } = programOf(part, context.own);
      const { env: settings, account } = settingsOf(part, env, context);
      if (account !== null) workAs(account);
      return showCommand(node, [entry, ...(words.length === 0 ? args : words)], { ...context.env, ...settings });
    },
  },
  'certificate request': {
    usage: 'certificate request relay|intake [--env FILE]',
    about:
      'Makes a key, which stays here, and the request for its certificate, which goes to the vendor. Repeated, it is the same key.',
    options: ['env'],
    run: async (part, { env }, context) => {
      const holder = heldBy(part, env, context);
      const file = await requestCertificate(holder);
      context.print(`Send ${file} to the vendor, who issues: certificate issue --tenant ID --csr FILE`);
      context.print(`Put what comes back in place: causeway-agent certificate install ${part} --file FILE`);
      return 0;
    },
  },
  'certificate install': {
    usage: 'certificate install relay|intake --file FILE [--env FILE]',
    about: 'Makes the first pull with a certificate that the vendor has issued, and only then puts it in place.',
    options: ['env', 'file'],
    run: async (part, { env, file }, context) => {
      if (file === undefined)
        throw new UsageError('certificate install needs --file FILE, the certificate that the vendor has issued.');
      const issued = readIssued(file);
      const holder = heldBy(part, env, context);
      const { validTo, probe } = await installCertificate(holder, issued, { now: context.now });
      context.print(`First pull, in ${probe.ms} ms: ${probe.message}`);
      if (probe.tenantId !== null) context.print(`It belongs to tenant ${probe.tenantId}.`);
      context.print(
        `In place: ${holder.files.cert.path}, valid until ${validTo}. A part that runs takes it by itself.`,
      );
      return 0;
    },
  },
  diagnostics: {
    usage: 'diagnostics PART --file FILE [--env FILE]',
    about: 'Writes what the doctor says, settings and the end of the log into a new file, without secrets.',
    options: ['env', 'file'],
    run: async (part, { env, file }, context, checks) => {
      if (file === undefined) throw new UsageError('diagnostics needs --file FILE, the file to be written.');
      await writeDiagnostics(part, file, { ...settingsOf(part, env, context), checks }, context);
      context.print(`Written: ${file}. Read it before you send it.`);
      return 0;
    },
  },
  doctor: {
    usage: 'doctor PART [--env FILE]',
    about:
      'Checks settings, files, certificates, network, clock, ledger and disk, and reports what is wrong. Takes the settings ' +
      'of the installed service, or FILE.',
    options: ['env'],
    run: (part, { env }, context, checks) => runDoctor(part, settingsOf(part, env, context), checks, context),
  },
};

export const COMMAND_NAMES = Object.keys(COMMANDS);

/** A command about no part, which reads its own arguments. */
export interface OwnCommand {
  usage: string;
  about: string;
  /** @returns the exit code. @throws UsageError */
  run(args: readonly string[], context: ServiceContext): Promise<number>;
}
export type OwnCommands = Readonly<Record<string, OwnCommand>>;

/** Expected errors: the message is complete. */
const REFUSALS = [ServiceError, SettingsFileError, UntrustedPlaceError];

/** @param own the commands about no part that this package holds */
export async function runAgent(
  args: readonly string[],
  held: Package,
  context: ServiceContext,
  own: OwnCommands = {},
): Promise<number> {
  try {
    const [name = '', ...words] = args;
    const command = Object.hasOwn(own, name) ? own[name] : undefined;
    return await (command === undefined ? run(args, held, context, own) : command.run(words, context));
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigurationError || isArgumentError(error)) {
      context.complain(error.message);
      return 2;
    }
    if (REFUSALS.some((kind) => error instanceof kind) && error instanceof Error) {
      context.complain(error.message);
      return 1;
    }
    throw error;
  }
}

async function run(args: readonly string[], held: Package, context: ServiceContext, own: OwnCommands): Promise<number> {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const words = args.slice(end + 1);
  const { values, positionals } = parseArgs({
    args: args.slice(0, end),
    allowPositionals: true,
    options: { ...OPTIONS, help: { type: 'boolean' } },
  });
  if (values.help === true || positionals.length === 0) {
    context.print(helpOf(held, own));
    return values.help === true ? 0 : 2;
  }
  if (positionals[0] === 'verify-package') {
    const [, file] = positionals;
    const { file: copy = null, ...others } = values;
    if (file === undefined || positionals.length > 2 || Object.keys(others).length + words.length > 0)
      throw new UsageError(`"verify-package" takes one file: it is called as "${VERIFY_PACKAGE.usage}".`);
    return verifyPackage(file, copy, { ...context, pinned: PINNED_RELEASE, trusted: ownUsers(context.env) });
  }
  const part = positionals.at(-1) ?? '';
  const name = positionals.slice(0, -1).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command "${positionals.join(' ')}"; see --help.`);
  if (!isPart(part)) throw new UsageError(`Unknown part "${part}": use one of ${partsOf(held).join(', ')}.`);
  const checks = held[part];
  if (checks === undefined)
    throw new UsageError(`This package holds only ${partsOf(held).join(', ')}: install ${part} from its own.`);
  const stray = Object.keys(values).find((option) => !command.options.some((known) => known === option));
  if (stray !== undefined) throw new UsageError(`"${name}" takes no --${stray}: it is called as "${command.usage}".`);
  if (words.length > 0 && command.takesPartArguments !== true)
    throw new UsageError(`"${name}" takes nothing behind --: it is called as "${command.usage}".`);
  return command.run(part, { ...values, words }, context, checks);
}

/** From here on the command works as the user of the part. @throws UsageError, SettingsFileError, ConfigurationError */
function heldBy(part: PartName, env: string | undefined, context: ServiceContext): Holder {
  const name = HOLDERS.find((holder) => holder === part);
  if (name === undefined)
    throw new UsageError(`Only ${HOLDERS.join(' and ')} show a certificate of the vendor: say one of them.`);
  const { env: settings, account } = settingsOf(part, env, context);
  const holder = holderOf(name, settings);
  if (account !== null) workAs(account);
  for (const { path } of [holder.files.cert, holder.files.key]) {
    refuseRootInFolderOfAnother(dirname(path));
    if (isWindows(context)) {
      const home = win32.dirname(windowsPlaces(part, context.env).settings);
      refuseLinks(win32.normalize(path), home, windowsFiles(context));
    }
  }
  return holder;
}

/** @throws ServiceError, SettingsFileError, UntrustedPlaceError */
const settingsOf = (part: PartName, env: string | undefined, context: ServiceContext): Configured =>
  configured(PARTS[part], settingsFile(part), env, context.env);

const isWindows = ({ platform }: ServiceContext, root?: string): boolean => platform === 'win32' && root === undefined;

/** For an installation below another folder systemd is not called. */
function target(root: string | undefined, { platform }: ServiceContext): { root: string; call: boolean } {
  if (root === undefined) refuseElsewhere(platform);
  return { root: root ?? '/', call: root === undefined };
}

function helpOf(held: Package, own: OwnCommands): string {
  const commands = [...Object.values(COMMANDS), VERIFY_PACKAGE, ...Object.values(own)].flatMap(({ usage, about }) => [
    `  ${usage}`,
    `      ${about}`,
  ]);
  const told = partsOf(held).map((part) => `  ${part.padEnd(12)} ${PARTS[part].about}`);
  return ['Usage: causeway-agent COMMAND', '', 'Commands:', ...commands, '', 'Parts:', ...told].join('\n');
}

const partsOf = (held: Package): PartName[] => PART_NAMES.filter((part) => held[part] !== undefined);
const isPart = (text: string): text is PartName => Object.hasOwn(PARTS, text);
