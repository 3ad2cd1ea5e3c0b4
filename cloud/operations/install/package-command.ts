/**
 * The command line of `causeway-cloud` in a package: the service, and each command of the cloud with the settings of that
 * service, as its user. Exit codes: 0 done, 1 not done, 2 called wrongly.
 */
import { parseArgs } from 'node:util';
import { isArgumentError } from '../../../shared/service/argument-error.ts';
import { workAs } from '../../../shared/service/install/as-service.ts';
import { configured } from '../../../shared/service/install/configured.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import { SettingsFileError } from '../../../shared/service/install/environment-file.ts';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import {
  installService,
  refuseChangeable,
  refuseElsewhere,
  refuseHidden,
  uninstallService,
} from '../../../shared/service/install/install.ts';
import { settingsOnLinux } from '../../../shared/service/install/part.ts';
import { showCommand } from '../../../shared/service/install/run-command.ts';
import { serviceLogs, serviceStatus } from '../../../shared/service/install/systemd.ts';
import { PINNED_RELEASE } from '../../../shared/service/release.ts';
import { UntrustedPlaceError } from '../../../shared/service/trusted-place.ts';
import { ownUsers, VERIFY_PACKAGE, verifyPackage } from '../../../shared/service/verify-package.ts';
import { CLOUD, cloudProgram } from './cloud-part.ts';

export const PACKAGE_HELP = `Usage: causeway-cloud [--env FILE] COMMAND

Commands of the package:
  service install [--start] [--root DIR]
      Writes settings file, unit and user of the service, and enables it. --start starts it, or again; --root writes below
      DIR and calls nothing.
  service uninstall [--root DIR]
      Stops the service and takes it away. Settings and data stay.
  service status
      Prints its state; exit code 0 when it runs.
  service logs [--follow]
      Shows its log; --follow waits for new lines.
  ${VERIFY_PACKAGE.usage}
      ${VERIFY_PACKAGE.about}

Every other command is the cloud's own. It gets the settings of the installed service and works as its user; with --env the
settings of FILE. Without a command the cloud serves here until it is ended.
`;

/** Their message is the whole story. */
const REFUSALS = [ServiceError, SettingsFileError, UntrustedPlaceError];

export async function runPackageCommand(args: readonly string[], context: ServiceContext): Promise<number> {
  try {
    return await run(args, context);
  } catch (error) {
    if (isArgumentError(error)) {
      context.complain(error.message);
      return 2;
    }
    if (!REFUSALS.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error;
    context.complain(error.message);
    return 1;
  }
}

async function run(args: readonly string[], context: ServiceContext): Promise<number> {
  const [first, ...rest] = args;
  switch (first) {
    case 'service':
      return service(rest, context);
    case 'verify-package': {
      const { values, positionals } = parseArgs({
        args: rest,
        allowPositionals: true,
        options: { file: { type: 'string' } },
      });
      const [file] = positionals;
      if (file === undefined || positionals.length > 1) return misused(`"${VERIFY_PACKAGE.usage}"`, context);
      const checked = { ...context, pinned: PINNED_RELEASE, trusted: ownUsers(context.env) };
      return verifyPackage(file, values.file ?? null, checked);
    }
    case '--env': {
      const [file, ...words] = rest;
      return file === undefined ? misused('"--env FILE COMMAND"', context) : cloud(words, file, context);
    }
    default:
      if (first === '--help' || first === '-h') context.print(PACKAGE_HELP);
      return cloud(args, undefined, context);
  }
}

/** A command of the cloud: root gives itself up before the program is started. */
function cloud(words: readonly string[], named: string | undefined, context: ServiceContext): Promise<number> {
  const { node, entry, pages } = cloudProgram(context.own);
  const { env, account } = configured(CLOUD, settingsOnLinux(CLOUD), named, context.env);
  if (account !== null) workAs(account);
  const served = pages === null ? {} : { [pages.variable]: pages.folder };
  return showCommand(node, [entry, ...words], { ...context.env, ...served, ...env });
}

async function service(args: readonly string[], context: ServiceContext): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { root: { type: 'string' }, start: { type: 'boolean' }, follow: { type: 'boolean' } },
  });
  const [verb = ''] = positionals;
  const options = Object.hasOwn(TAKES, verb) ? TAKES[verb] : undefined;
  const stray = Object.keys(values).find((name) => options?.includes(name) !== true);
  if (options === undefined || positionals.length > 1 || stray !== undefined)
    return misused(`"service ${Object.keys(TAKES).join('|')}", see --help`, context);
  const { root, start = false, follow = false } = values;
  if (root !== undefined && start) return misused('"service install --start" without --root', context);
  switch (verb) {
    case 'status':
      return serviceStatus(CLOUD, context);
    case 'logs':
      return serviceLogs(CLOUD, follow, context);
    default: {
      if (root === undefined) refuseElsewhere(context.platform);
      const place = { root: root ?? '/', call: root === undefined };
      const program = cloudProgram(context.own);
      if (verb === 'uninstall') await uninstallService(CLOUD, place, context);
      else {
        if (place.call) {
          refuseHidden(program);
          refuseChangeable(program, context.env);
        }
        await installService(CLOUD, program, { ...place, start }, context);
      }
      return 0;
    }
  }
}

/** The options of each verb. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  install: ['root', 'start'],
  uninstall: ['root'],
  status: [],
  logs: ['follow'],
};

function misused(usage: string, { complain }: ServiceContext): 2 {
  complain(`It is called as ${usage}.`);
  return 2;
}
