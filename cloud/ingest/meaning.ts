/**
 * What a load means, whatever its spelling (D197): a repetition is judged by it. Typed fields count by their value, an
 * instant by the instant; inside the arguments and the output of a calculation only the order of names is free.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { loadSchema, type Lineage, type Load } from '../publication/load.ts';

export interface Meaning {
  /** Over the whole content. */
  contentHash: string;
  /** Over the lineage alone. */
  lineageHash: string;
}

/** @param calculations with numbers as the digits that the engine wrote */
export function meaningOf(load: Load, calculations: Lineage['calculations']): Meaning {
  const exact = load.lineage.calculations.map((typed, index) => ({
    ...typed,
    arguments: JSON.stringify(calculations[index]?.arguments, sortNames),
    output: JSON.stringify(calculations[index]?.output, sortNames),
  }));
  const lineage = { ...load.lineage, calculations: exact };
  const content = load.mode === 'V2' ? unchangedContent(load) : { ...load, instrument_change: undefined };
  return { contentHash: hash({ ...content, lineage }), lineageHash: hash(lineage) };
}

/**
 * The identity of a v2 analysis: handed in again by a later run it is the same, without regard to run and firing. An
 * instrument may have another name by then; under another ticker the text would be another one's.
 */
function unchangedContent({ mode, instrument, thread, analysis }: Extract<Load, { mode: 'V2' }>) {
  return { mode, instrument: { ...instrument, name: undefined }, thread, analysis };
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value, valueOf)).digest('hex');

function valueOf(name: string, value: unknown): unknown {
  return typeof value === 'string' && INSTANTS.has(name) ? instantOf(value) : sortNames(name, value);
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

const INSTANT = /^(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** One spelling of an instant, to its last digit; a date, which may stand in the place of one, stays. */
function instantOf(value: string): string {
  const [, seconds, fraction = '', offset] = INSTANT.exec(value) ?? [];
  if (seconds === undefined || offset === undefined) return value;
  return `${Date.parse(seconds + offset)}.${fraction.replace(/0+$/, '')}`;
}

/** The names of the typed fields that hold an instant, as the schema says. */
const INSTANTS = instantsOf(z.toJSONSchema(loadSchema, { io: 'input' }));

function instantsOf(schema: z.core.JSONSchema.BaseSchema): Set<string> {
  const isInstant = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (('format' in value && value.format === 'date-time') ||
      ('anyOf' in value && Object.values(value.anyOf ?? {}).some(isInstant)));
  const names = new Set<string>();
  JSON.stringify(schema, (name, value: unknown) => {
    if (name === 'properties')
      for (const [property, inside] of Object.entries(value ?? {})) if (isInstant(inside)) names.add(property);
    return value;
  });
  return names;
}
