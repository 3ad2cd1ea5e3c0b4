/** `causeway-agent doctor PART`: checks everything that a part needs, and reports faults in plain words. */
import { existsSync, statfsSync } from 'node:fs';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import { workAs } from '../../../shared/service/install/as-service.ts';
import type { Configured } from '../../../shared/service/install/configured.ts';
import { checkJournalStorage } from '../../../shared/service/install/journal.ts';
import { variablesInHelp } from '../../../shared/service/install/environment-file.ts';
import { report, validSettings, warn, wrong, type Finding } from '../../../shared/service/findings.ts';
import { helpOf } from '../../../shared/service/install/install.ts';
import type { Account } from '../../../shared/service/install/account.ts';
import { PARTS, programOf, type PartName } from '../install/parts.ts';
import { settingsFile } from '../install/places.ts';
import { runCommand } from '../../../shared/service/install/run-command.ts';

/** The means of an examination. */
export interface CheckContext {
  env: Readonly<Record<string, string | undefined>>;
  /** The account of the installed service, for which files are judged; null: not installed, or unknown from here. */
  account: Account | null;
  now(): Date;
  /** The bytes that an ordinary user may still write on the file system of a folder. */
  freeBytes(folder: string): number;
}

/** The remedy for settings that a part refuses. */
export const CORRECT_SETTINGS = 'correct the settings file';

export type PartChecks = (context: CheckContext) => Promise<Finding[]>;

/** Prints its findings, as the user of the service. @returns 1 with any fault */
export async function runDoctor(
  part: PartName,
  { file, env, account, user }: Configured,
  checks: PartChecks,
  context: ServiceContext,
): Promise<number> {
  if (account !== null) workAs(account);
  context.print(`Causeway ${PRODUCT_VERSION}`);
  context.print(
    file === null
      ? `Settings: the variables of this shell, because there is no ${settingsFile(part)}.`
      : `Settings: ${file}`,
  );
  const findings: Finding[] = file === null ? [] : await unknownNames(part, env, context);
  if (account !== null) findings.push(...checkJournalStorage());
  findings.push(...(await checks({ env, account: user, now: context.now, freeBytes })));
  findings.push(...(await ownCheck(part, env, findings, context)));
  return report(findings, (line) => context.print(line));
}

/** A part ignores a misspelt name and runs with its default. */
async function unknownNames(part: PartName, env: CheckContext['env'], context: ServiceContext): Promise<Finding[]> {
  const program = programOf(part, context.own);
  if (!existsSync(program.entry)) return [];
  const known = new Set(variablesInHelp(await helpOf(program, context)).map(({ name }) => name));
  return Object.keys(env)
    .filter((name) => name.startsWith('CAUSEWAY_') && !known.has(name))
    .map((name) => warn('settings', `${part} knows no ${name}`, 'correct its name, or take it out'));
}

/** A part's own findings about its settings, where this program knows only some of its variables. */
async function ownCheck(
  part: PartName,
  env: CheckContext['env'],
  known: readonly Finding[],
  context: ServiceContext,
): Promise<Finding[]> {
  const { node, entry } = programOf(part, context.own);
  if (!PARTS[part].checksItself || !existsSync(entry)) return [];
  const { code, stderr } = await runCommand(node, [entry, '--check'], { ...env, PATH: context.env['PATH'] ?? '' });
  if (code === 0) return [validSettings()];
  return stderr
    .split('\n')
    .filter((line) => line !== '' && !known.some(({ said }) => said === line))
    .map((line) => wrong('settings', line, 'correct the settings file, or the file that it names'));
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
