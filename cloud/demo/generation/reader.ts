/**
 * Reads the demo's JSON Lines. Lines that begin with `#` are remarks, as they are for the engine's
 * door (D43), so that a shipped file carries its header and can be sent there as it is.
 */
import { ZodError, type ZodType } from 'zod';
import { loadSchema, type Load } from '../../publication/load.ts';

export type Instrument = Load['instrument'];

/** A file of the demo does not fit: names the file and the line. */
export class DemoFileError extends Error {
  constructor(file: string, line: number, cause: unknown) {
    super(`${file}, line ${line}: ${explain(cause)}`, { cause });
    this.name = 'DemoFileError';
  }
}

const instrumentSchema: ZodType<Instrument> = loadSchema.options[0].shape.instrument;

/** @throws DemoFileError */
export function readLoads(file: string, text: string): Load[] {
  return readLines(file, text, (value) => loadSchema.parse(value));
}

/** @throws DemoFileError */
export function readInstruments(file: string, text: string): Instrument[] {
  return readLines(file, text, (value) => instrumentSchema.parse(value));
}

function readLines<T>(file: string, text: string, read: (value: unknown) => T): T[] {
  const rows: T[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    try {
      rows.push(read(JSON.parse(line)));
    } catch (error) {
      throw new DemoFileError(file, index + 1, error);
    }
  }
  return rows;
}

function explain(cause: unknown): string {
  if (cause instanceof ZodError)
    return cause.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
