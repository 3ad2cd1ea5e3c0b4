/**
 * Configures every part: by environment variables only, with `--help` and one clear sentence for each wrong or missing
 * variable (D42). A variable that holds a secret may stand in a file instead, which NAME_FILE names (D158).
 */
import { readFileSync } from 'node:fs';

export interface Variable<T> {
  /** Its purpose, one line. */
  help: string;
  /** Whether the part can run without it; then its value is undefined, or `fallback`. */
  required: boolean;
  fallback?: T;
  /** It holds a secret, so that NAME_FILE may name a file whose first line is its value. */
  secret?: true;
  /** Reads the text, or throws an Error whose message finishes the sentence "NAME …". */
  read(text: string): T;
}

export type Variables = Record<string, Variable<unknown>>;
export type Values<V extends Variables> = {
  [K in keyof V]: V[K] extends Variable<infer T>
    ? V[K] extends { required: true } | { fallback: T }
      ? T
      : T | undefined
    : never;
};

/** A host and a port to listen on; port 0 takes a free one. */
export interface ListenAddress {
  host: string;
  port: number;
}

function listenAddress(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port > 65_535)
    throw new Error(`must be host:port, for example 127.0.0.1:4300, not "${text}"`);
  return { host, port };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return value;
  };
}

function webAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`must be a web address, for example https://host:4143, not "${text}"`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`must begin with http:// or https://, not "${text}"`);
  return url;
}

function oneOf<const T extends string>(...allowed: T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return found;
  };
}

type Make<T> = (text: string) => T;
const required = <T>(help: string, read: Make<T>): Variable<T> & { required: true } => ({ help, required: true, read });
const optional = <T>(help: string, read: Make<T>): Variable<T> & { required: false } => ({
  help,
  required: false,
  read,
});
const defaulted = <T>(
  help: string,
  fallback: NoInfer<T>,
  read: Make<T>,
): Variable<T> & { required: false; fallback: T } => ({ help, required: false, fallback, read });

const secret = <V extends Variable<unknown>>(spec: V): V & { secret: true } => ({ ...spec, secret: true });

/** The kinds of variable. */
export const variable = {
  required,
  optional,
  defaulted,
  secret,
  listenAddress,
  wholeNumber,
  webAddress,
  oneOf,
  text: (value: string) => value,
};

/** Thrown with one sentence per variable that is wrong or missing. */
export class ConfigurationError extends Error {
  constructor(sentences: string[]) {
    super(sentences.join('\n'));
    this.name = 'ConfigurationError';
  }
}

/** Reads all variables of a part. An empty text counts as missing. */
export function readVariables<V extends Variables>(variables: V, env: Record<string, string | undefined>): Values<V> {
  const sentences: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(variables)) {
    let text: string | null = null;
    try {
      text = textOf(name, spec, env);
      if (text !== null) values[name] = spec.read(text);
      else {
        if (spec.required) sentences.push(`${name} is missing: ${spec.help}.`);
        values[name] = spec.fallback;
      }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      // The sentence goes to a log, and an address without its scheme may hold a password.
      sentences.push(`${name} ${spec.secret === true && text !== null ? said.replaceAll(text, '…') : said}.`);
    }
  }
  if (sentences.length > 0) throw new ConfigurationError(sentences);
  return values as Values<V>;
}

/** The text of a variable, or of the file that stands for it; null where neither is set. @throws Error as `read` does */
function textOf(name: string, spec: Variable<unknown>, env: Record<string, string | undefined>): string | null {
  const own = env[name] ?? '';
  const file = spec.secret === true ? (env[fileOf(name)] ?? '') : '';
  if (file === '') return own === '' ? null : own;
  if (own !== '') throw new Error(`and ${fileOf(name)} are both set: take one of them out`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').split(/\r?\n/, 1)[0]?.trim() ?? '';
  } catch (error) {
    throw new Error(`cannot be read from ${file} (${fileOf(name)}): ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (text === '') throw new Error(`cannot be read from ${file} (${fileOf(name)}): its first line is empty`);
  return text;
}

const fileOf = (name: string): string => `${name}_FILE`;

/** The files that hold secrets of a part, by the variable that names each (D158). */
export function secretFiles(
  variables: Variables,
  env: Record<string, string | undefined>,
): [name: string, file: string][] {
  return Object.entries(variables).flatMap(([name, { secret: isSecret }]) => {
    const file = isSecret === true ? (env[fileOf(name)] ?? '') : '';
    return file === '' ? [] : [[fileOf(name), file] as [string, string]];
  });
}

/** The text of `--help` of a part. */
export function helpText(usage: string, about: string, variables: Variables): string {
  const names = Object.entries(variables).flatMap(([name, spec]) => (spec.secret === true ? [fileOf(name)] : [name]));
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(variables).flatMap(([name, spec]) => {
    const kind = spec.required
      ? ' (required)'
      : spec.fallback === undefined
        ? ''
        : ` (default ${showFallback(spec.fallback)})`;
    const own = `  ${name.padEnd(width)}  ${spec.help}${kind}`;
    const inFile = `  ${fileOf(name).padEnd(width)}  file whose first line is ${name}, instead of it`;
    return spec.secret === true ? [own, inFile] : [own];
  });
  return [`Usage: ${usage}`, '', about, '', 'Variables:', ...lines, ''].join('\n');
}

function showFallback(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'host' in value && 'port' in value)
    return `${String(value.host)}:${String(value.port)}`;
  return String(value);
}
