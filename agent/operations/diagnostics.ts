/**
 * `causeway-agent diagnostics PART`: the facts that support needs, as one text file without secrets: versions, the
 * doctor's findings, the settings, the last lines of the log.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { release } from 'node:os';
import { trustedByRoot, trustedPlace, type Trusted } from '../../shared/service/trusted-place.ts';
import type { ServiceContext } from '../../shared/service/install/context.ts';
import type { Configured } from '../../shared/service/install/configured.ts';
import { runDoctor, type PartChecks } from './checks/doctor.ts';
import { isSetting } from '../../shared/service/install/environment-file.ts';
import { codeOf } from '../../shared/service/error-code.ts';
import { ServiceError } from '../../shared/service/install/errors.ts';
import { PARTS, type PartName } from './install/parts.ts';
import { windowsPlaces } from './install/places.ts';
import { runCommand } from '../../shared/service/install/run-command.ts';
import { unitName } from '../../shared/service/install/unit.ts';

const REMOVED = '[removed]';
const LOG_LINES = 500;
/** The removal of shorter values would remove ordinary words. */
const SHORTEST_SECRET = 6;

/** @param file a new one @throws ServiceError, UntrustedPlaceError */
export async function writeDiagnostics(
  part: PartName,
  file: string,
  configured: Configured & { checks: PartChecks },
  context: ServiceContext,
): Promise<void> {
  const said: string[] = [];
  const quiet = {
    ...context,
    print: (line: string) => void said.push(line),
    complain: (line: string) => void said.push(line),
  };
  // Only root creates the file at root's chosen place and reads the journal. The doctor and the rest run as the
  // service's user.
  const handle = await makeFile(file, trustedByRoot(context.env));
  try {
    const log = await lastLines(part, context);
    await runDoctor(part, configured, configured.checks, quiet);
    const own = Object.entries(configured.env).filter(([name]) => isSetting(name));
    const secrets = own.flatMap(([name, value = '']) => secretsOf(name, value));
    const text = [
      section('versions', [`${part} on Node ${process.version}, ${process.platform} ${release()} ${process.arch}`]),
      section('time', [context.now().toISOString()]),
      section('doctor', said),
      section(
        'settings',
        own.map(([name, value = '']) => `${name}=${isSecret(name) ? REMOVED : value}`),
      ),
      section('log', log),
    ].join('\n');
    await handle.writeFile(withoutSecrets(text, secrets));
  } finally {
    await handle.close();
  }
}

async function makeFile(file: string, trusted: Trusted | null): Promise<FileHandle> {
  const place = trusted === null ? file : trustedPlace(file, trusted);
  try {
    return await open(place, 'wx', 0o600);
  } catch (error) {
    throw new ServiceError(`${file} cannot be written (${codeOf(error)}): give a new name in a folder that is there.`);
  }
}

const section = (title: string, lines: readonly string[]): string => `== ${title}\n${lines.join('\n')}\n`;
const isSecret = (name: string): boolean => /(?:TOKEN|SECRET|PASSWORD)$/.test(name);

/** Values that must not appear: secrets themselves, the content of secret files, and credentials in an address. */
function secretsOf(name: string, value: string): string[] {
  const found = isSecret(name) ? [value] : [];
  if (/(?:TOKEN|SECRET|PASSWORD|PROXY)_FILE$/.test(name) && existsSync(value))
    found.push(...secretsOf(name.replace(/_FILE$/, ''), readFileSync(value, 'utf8').trim()));
  if (URL.canParse(value)) {
    const { username, password } = new URL(value);
    found.push(password, decoded(password), username, decoded(username));
  }
  return found.filter((secret) => secret.length >= SHORTEST_SECRET);
}

/** Unchanged where an escape is broken: it was typed so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Removes known secrets, and everything that looks like one: private keys, bearer tokens, cookies, users in addresses,
 * the set-up code of a first login.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  // The longest first: one may be part of another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) clean = clean.replaceAll(secret, REMOVED);
  return (
    clean
      // To the end of the text without an end line: a truncated key is still a key, and no text is scanned twice.
      .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs, REMOVED)
      .replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REMOVED}`)
      .replaceAll(/("setUpCode":")[^"]+/g, `$1${REMOVED}`)
      .replaceAll(/\b(causeway_\w+=)[^;\s"]+/g, `$1${REMOVED}`)
      .replaceAll(/(\w:\/\/)[^/\s"@]+@/g, `$1${REMOVED}@`)
  );
}

async function lastLines(part: PartName, { env, platform }: ServiceContext): Promise<string[]> {
  if (platform === 'win32') {
    const { log } = windowsPlaces(part, env);
    return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES) : ['there is none'];
  }
  const args = ['--unit', unitName(PARTS[part]), '--output=cat', `--lines=${LOG_LINES}`, '--no-pager'];
  try {
    const { stdout, stderr } = await runCommand('journalctl', args, env);
    return [stdout.trimEnd() || stderr.trimEnd()];
  } catch (error) {
    return [`the journal cannot be read (${codeOf(error)})`];
  }
}
