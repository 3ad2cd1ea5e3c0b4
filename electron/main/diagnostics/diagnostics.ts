/** The file that a user sends to support: what runs here and the end of the log, without secrets. Pure. */
import { redact } from './redact.ts';

export interface DiagnosticsInput {
  at: Date;
  versions: Record<string, string>;
  system: Record<string, string | number>;
  /** The console's origin and the window's content. */
  console: Record<string, string | number | boolean | null>;
  /** The environment of the program; only our own variables are included. */
  env: Record<string, string | undefined>;
  log: string;
  home: string;
}

/** One JSON document, readable by people and programs. */
export function diagnosticsOf({ at, versions, system, console, env, log, home }: DiagnosticsInput): string {
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('CAUSEWAY_')));
  const document = { madeAt: at.toISOString(), versions, system, console, variables };
  const lines = redact(log, home)
    .split('\n')
    .filter((line) => line !== '');
  const told = JSON.parse(redact(JSON.stringify(document), home)) as typeof document;
  return `${JSON.stringify({ ...told, log: lines }, null, 2)}\n`;
}

/** The part of the log in the file, in characters. */
export const DIAGNOSTICS_LOG = 200_000;

/** `causeway-diagnostics-20261120-093000.json`, in UTC. */
export function diagnosticsName(at: Date): string {
  return `causeway-diagnostics-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}.json`;
}
