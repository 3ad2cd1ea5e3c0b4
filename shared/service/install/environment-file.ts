/**
 * The settings file of a service, the same on Linux and Windows, in the syntax that systemd, our own reader and a
 * person read alike. A line that they could read differently is refused.
 */

/** The settings file is invalid; one sentence with the number of the line. */
export class SettingsFileError extends Error {
  override name = 'SettingsFileError';
}

/**
 * The variables that a part takes from its settings. Any other name would reach its runtime, where some run code:
 * NODE_OPTIONS, LD_PRELOAD.
 */
export const isSetting = (name: string): boolean =>
  /^(?:CAUSEWAY_[A-Z0-9_]+|HTTPS_PROXY(?:_FILE)?|NO_PROXY)$/.test(name);

/** @param file its path, for the message @throws SettingsFileError */
export function parseSettingsFile(text: string, file: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const wrong = (why: string): SettingsFileError => new SettingsFileError(`${file}, line ${index + 1}: ${why}.`);
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(trimmed);
    if (match === null) throw wrong('must be NAME=VALUE, or begin with # to say nothing');
    const [, name = '', value = ''] = match;
    if (/['"\\]/.test(value))
      throw wrong(
        `the value of ${name} holds a quote or a backslash, which not everybody reads alike: write / in paths`,
      );
    if (!isSetting(name))
      throw wrong(`${name} is no setting of Causeway, and the program itself could obey it: take the line out`);
    if (values.has(name)) throw wrong(`${name} stands there already, and only one of them would count`);
    values.set(name, value.trim());
  }
  return Object.fromEntries(values);
}

export interface HelpedVariable {
  name: string;
  help: string;
}

/** The variables in the text of a part's `--help` (`helpText`). */
export function variablesInHelp(text: string): HelpedVariable[] {
  const lines = text.split('\n');
  const begin = lines.indexOf('Variables:');
  if (begin === -1) return [];
  const found: HelpedVariable[] = [];
  for (const line of lines.slice(begin + 1)) {
    const match = /^ {2}([A-Z][A-Z0-9_]*) {2,}(.+)$/.exec(line);
    if (match === null) break;
    found.push({ name: match[1] ?? '', help: match[2] ?? '' });
  }
  return found;
}

/** @param filled the variables that are set; the others are commented out */
export function settingsTemplate(
  title: string,
  variables: readonly HelpedVariable[],
  filled: Readonly<Record<string, string>>,
): string {
  const blocks = variables.map(({ name, help }) => {
    const value = filled[name];
    return `# ${help}\n${value === undefined ? `#${name}=` : `${name}=${value}`}\n`;
  });
  const head = `# ${title}\n# One NAME=VALUE a line, without quotes and backslashes. Restart the service after a change.\n`;
  return [head, ...blocks].join('\n');
}
