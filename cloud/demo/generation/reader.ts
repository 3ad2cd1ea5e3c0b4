/**
 * Reads the demo's JSON Lines. Lines that begin with `#` are remarks, as they are for the engine's
 * door (D43), so that a shipped file carries its header and can be sent there as it is.
 */
import { readFileSync } from 'node:fs';
import { z, ZodError, type ZodType } from 'zod';
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

/** What moves together in the invented market. */
const groupSchema = z.strictObject({
  group: z.string(),
  /** A usual day's change in percent; of a yield in basis points. */
  swing: z.number().positive(),
  /** The constituents and indices of the group. */
  names: z.array(z.string()),
  /** Its change is known before the opening. */
  overnight: z.boolean().optional(),
  /** It goes one way on all days. */
  sign: z.union([z.literal(1), z.literal(-1)]).optional(),
});
export type Group = z.infer<typeof groupSchema>;

const CONFIDENCE = z.enum(['HIGH', 'MEDIUM', 'LOW']);
const templates = z.array(z.string());

/** A template of texts about some funds; the README says what stands in its braces. */
const storySchema = z.strictObject({
  tickers: z.array(z.string()).min(1),
  group: z.string(),
  /** The direction that it explains; absent: both. */
  dir: z.enum(['up', 'down']).optional(),
  /** A v2 analysis carries neither type nor confidence (sync protocol 9). */
  engine: z.literal('v2').optional(),
  type: z.literal('UNCERTAIN').optional(),
  confidence: z.tuple([CONFIDENCE], CONFIDENCE).default(['HIGH']),
  /** The one calculation that the text stands on, and the name that the fund follows where it is not the group. */
  calc: z.strictObject({
    index: z.string().optional(),
    /** Weights of constituents in percent. */
    parts: z.record(z.string(), z.number().positive()).optional(),
    /** A foreign asset and an exchange rate. */
    won: z.tuple([z.string(), z.string()]).optional(),
    /** The benchmark. */
    excess: z.string().optional(),
    /** The multiple of `index`. */
    leverage: z.number().optional(),
    /** The duration in years. */
    rate: z.number().optional(),
    /** The market. */
    netBuying: z.string().optional(),
    /** The average trading value in 100 million won. */
    turnover: z.number().optional(),
    /** The usual net asset value of a share in won. */
    premium: z.number().optional(),
  }),
  thread: z.string(),
  /** The engine's doubts, for the operator alone; absent: not stated, empty: it found none. */
  against: z.array(z.string()).optional(),
  /** Source, type of event and title, before the opening, or within the session where the fourth is true. */
  documents: z.array(
    z.tuple([z.string(), z.string(), z.string(), z.boolean()]).or(z.tuple([z.string(), z.string(), z.string()])),
  ),
  summary: templates.min(1),
  /** Last sentences: legitimate, with a word that needs a review, with one that is blocked. */
  tail: templates.default(['']),
  flags: templates.default([]),
  blocks: templates.default([]),
});
export type Story = z.infer<typeof storySchema>;

/** The shipped files of the demo. @throws DemoFileError */
export function readDemo(): { instruments: Instrument[]; reference: Load[]; groups: Group[]; stories: Story[] } {
  const lines = <T>(file: string, schema: ZodType<T>): T[] =>
    readLines(file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), (value) => schema.parse(value));
  return {
    instruments: lines('etfs.jsonl', instrumentSchema),
    reference: lines('loads.jsonl', loadSchema),
    groups: lines('market.jsonl', groupSchema),
    stories: lines('stories.jsonl', storySchema),
  };
}

/** @throws DemoFileError */
export function readLoads(file: string, text: string): Load[] {
  return readLines(file, text, (value) => loadSchema.parse(value));
}

/** @throws DemoFileError */
export function readInstruments(file: string, text: string): Instrument[] {
  return readLines(file, text, (value) => instrumentSchema.parse(value));
}

export function readLines<T>(file: string, text: string, read: (value: unknown) => T): T[] {
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
