/**
 * Settings that this machine's administrator has set for all its users. They override the environment and the user's
 * choice. A file that does not belong to the administrator, or that is invalid, keeps the program from starting:
 * without it the program would run without its rules.
 */
import { codeOf } from '../../../shared/service/error-code.ts';
import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import * as z from 'zod/mini';
import { readTrusted, ROOT_ALONE, UntrustedPlaceError } from '../../../shared/service/trusted-place.ts';
import { ConfigurationError } from '../../../shared/service/variables.ts';
import { OF_THE_SYSTEM, strangerIn, type Rights } from '../../../shared/service/windows-rights.ts';
import { programData } from './windows-folder.ts';
import {
  CONSOLE_SCHEMA,
  LOCK_SCHEMA,
  NOTHING_CHOSEN,
  settingsProblems,
  UPDATES_SCHEMA,
  type ProgramSettings,
} from './settings.ts';

/** Sets only the settings that it names. */
const SCHEMA = z.strictObject({
  console: z.optional(CONSOLE_SCHEMA),
  /** Null: no updates, and no user can turn them on. */
  updates: z.optional(z.nullable(UPDATES_SCHEMA)),
  contentProtection: z.optional(z.boolean()),
  keepRunning: z.optional(z.boolean()),
  lockMinutes: z.optional(LOCK_SCHEMA),
});
export type ManagedSettings = z.infer<typeof SCHEMA>;

/** The path of the file. @param windows the folder of Windows itself; null elsewhere */
export function managedFile(windows: string | null): string {
  return windows === null ? '/etc/causeway/console.json' : win32.join(programData(windows), 'Causeway', 'console.json');
}

/**
 * The managed settings; none without a file.
 *
 * @param owner required owner, besides root, of the file and of every folder above it, writable by no other user; null
 * if the system's rights decide that
 * @param rights on Windows, which accounts may change these paths
 * @throws ConfigurationError
 */
export function readManaged(
  file: string,
  owner: number | null,
  rights: ((places: readonly string[]) => Rights[]) | null = null,
): ManagedSettings {
  let text: string;
  try {
    if (rights !== null && existsSync(file)) refuseStranger(file, rights);
    text = readTrusted(file, owner === null ? null : new Set([...ROOT_ALONE, owner]));
  } catch (error) {
    if (error instanceof UntrustedPlaceError)
      throw new ConfigurationError([`${file} is not the administrator's alone. ${error.message}`]);
    if (error instanceof ConfigurationError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigurationError([`${file} cannot be read (${code}): ask the administrator of this machine.`]);
  }
  const read = z.safeParse(SCHEMA, parsed(text));
  const [issue] = read.error?.issues ?? [];
  if (!read.success)
    throw new ConfigurationError([
      `${file} does not fit${issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`}: ask the administrator of this machine.`,
    ]);
  const problems = settingsProblems(inForce(NOTHING_CHOSEN, read.data));
  if (problems.length > 0) throw new ConfigurationError([`${file} cannot be used: wrong are ${problems.join(', ')}.`]);
  return read.data;
}

/**
 * Every user may create files in %ProgramData%, so the file's existence does not prove that an administrator wrote it.
 */
function refuseStranger(file: string, rights: (places: readonly string[]) => Rights[]): void {
  const places = [win32.dirname(file), file];
  for (const [index, place] of rights(places).entries()) {
    const stranger = strangerIn(place, OF_THE_SYSTEM);
    if (stranger !== null)
      throw new ConfigurationError([
        `${file} is not the administrator's alone: ${places[index]}: ${stranger}. The administrator of this machine looks at ` +
          'what it says, and lays it down as the guide tells.',
      ]);
  }
}

/** The settings in force: the user's choice, overridden by the administrator's. */
export function inForce(chosen: ProgramSettings, managed: ManagedSettings): ProgramSettings {
  return {
    console: managed.console ?? chosen.console,
    updates: managed.updates === undefined ? chosen.updates : managed.updates,
    contentProtection: managed.contentProtection ?? chosen.contentProtection,
    keepRunning: managed.keepRunning ?? chosen.keepRunning,
    lockMinutes: managed.lockMinutes ?? chosen.lockMinutes,
  };
}

/** Undefined matches no schema. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
