/**
 * The engine's input at its door (D43): one JSON object per line, each one load. A load is the product of one run of
 * the engine for one trigger firing and one ETF, with all grounds of the text. Unknown fields are refused, so that a
 * misspelt one is not lost in silence.
 */
import { z } from 'zod';
import { checkOf } from '../../shared/wire/characters.ts';
import { isBlank } from '../../shared/wire/invisible.ts';
import * as field from '../../shared/wire/entry-fields.ts';
import type { OutcomeName } from './outcomes.ts';

const { id, instant, calendarDate, ratio } = field;

/** A text for people that must say something; white space at its ends is left out. */
const notBlank = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .check(checkOf('text'))
    .refine((value) => !isBlank(value), 'must not be empty')
    .meta({ pattern: String.raw`\S`, minLength: 1 });
/** Text on the wire as it was handed in, so the door asks for the Korean offset (sync protocol 2). */
const kstInstant = instant
  .refine((value) => value.endsWith('+09:00'), 'must have the Korean offset +09:00')
  .meta({ allOf: [{ pattern: String.raw`\+09:00$` }] });

const instrumentSchema = z.strictObject({
  instrument_id: id,
  /** KRX short code: six digits, newer ones with letters. */
  ticker: z.string().regex(/^[0-9A-Z]{6}$/, 'must be six digits or capital letters'),
  name: field.name,
  market: field.market,
});

/** One firing of a price-movement trigger. It is the route: a route is published once (sync protocol 3). */
const triggerSchema = z.strictObject({
  trigger_id: id,
  kind: z.enum(['BATCH', 'MINUTE']),
  fired_at: instant,
  /** The return that was observed, as a ratio (D28); null when it was not measured. */
  observed_return: ratio.nullable(),
});

const runSchema = z.strictObject({
  explanation_run_id: id,
  release_bundle_version: field.code.nullable(),
  started_at: instant,
});

const documentSchema = z.strictObject({
  document_id: id,
  document_type: z.enum(['NEWS', 'DISCLOSURE']),
  title: field.title.nullable(),
  source: field.source,
  published_at: instant.nullable(),
  source_uri: field.address.nullable(),
  /** Identifiers are optional and never guessed (sync protocol 2). */
  news_id: id.optional(),
  tool_run_id: id.optional(),
  item_ids: z.array(id).optional(),
});

const sourceEventSchema = z.strictObject({
  source_event_id: id,
  source_class: z.enum(['NEWS', 'DISCLOSURE']),
  event_type_code: field.code,
  event_date: calendarDate.nullable(),
});

/** First branch of the lineage: run, event evidence, assertion, document. */
const eventEvidenceSchema = z.strictObject({
  event_evidence_id: id,
  source_event_id: id,
  document_id: id,
});

/** Second branch: run, disclosure fact, document. */
const disclosureFactSchema = z.strictObject({
  disclosure_fact_id: id,
  source_event_id: id.nullable(),
  document_id: id,
});

const calculationSchema = z.strictObject({
  title: field.title.min(1),
  source: field.source,
  /** Text on the wire as it was handed in. */
  as_of: field.asOf.nullable(),
  tool_run_id: id,
  item_ids: z.array(id),
  arguments: field.figures,
  output: field.figures,
  formula_latex: field.formula.nullable(),
  description: field.text,
});

const lineageSchema = z.strictObject({
  documents: z.array(documentSchema).max(200),
  source_events: z.array(sourceEventSchema).max(200),
  event_evidences: z.array(eventEvidenceSchema).max(500),
  disclosure_facts: z.array(disclosureFactSchema).max(500),
  calculations: z.array(calculationSchema).max(100),
});

const threadSchema = z.strictObject({ event_thread_id: id, title: field.title.nullable() });

/**
 * A result without measured values is never delivered; of the delivered ones, v2 alone has neither (sync protocol 2).
 */
const MEASURED = 'must not be null beside measured values';

const resultSchema = z
  .strictObject({
    explanation_result_id: id,
    trade_date: calendarDate,
    /** Generation wall clock; part of the grain, immutable. */
    explanation_as_of: instant,
    explanation_type: field.code.nullable(),
    confidence_level: z.enum(['HIGH', 'MEDIUM', 'LOW']).nullable(),
    summary: field.candidate.min(1),
    content_as_of: kstInstant.nullable(),
    /**
     * The measured values behind the text, by name; null when the static explanation path failed and only a "cannot
     * judge" prose is left.
     */
    surface: z.record(field.name, ratio).nullable(),
    /**
     * The units of measured values, by the same names (D217): RATIO (0.0123 is 1.23 %), PERCENT (1.23 is 1.23 %), or another
     * code, which is shown beside the number. A value without one is a plain number, whatever its name.
     */
    surface_units: z.record(field.name, field.code).optional(),
    /**
     * The engine's doubts about the text. Absent: it did not look; empty: it looked and found none. For the operator
     * alone.
     */
    counter_factors: z.array(notBlank(1_000)).max(20).optional(),
  })
  .refine((value) => value.surface === null || value.explanation_type !== null, {
    path: ['explanation_type'],
    message: MEASURED,
  })
  .refine((value) => value.surface === null || value.confidence_level !== null, {
    path: ['confidence_level'],
    message: MEASURED,
  })
  .superRefine(({ surface, surface_units: units = {} }, context) => {
    for (const name of Object.keys(units))
      if (surface === null || !Object.hasOwn(surface, name))
        context.addIssue({
          code: 'custom',
          path: ['surface_units', name],
          message: 'must be the unit of a value in surface',
        });
  })
  .meta({
    anyOf: [
      { properties: { surface: { type: 'null' } } },
      { properties: { explanation_type: { type: 'string' }, confidence_level: { type: 'string' } } },
    ],
  });

const analysisSchema = z.strictObject({
  movement_analysis_id: id,
  trade_date: calendarDate,
  explanation_as_of: instant,
  /** Nobody reviews it, so the door refuses one that is not fit for readers (`cloud/ingest/unfit-analysis.ts`). */
  summary: field.candidate.min(1).refine((value) => value === '' || !isBlank(value), 'must not be blank'),
  content_as_of: kstInstant.nullable(),
});

/** The engine's own error for this instrument, if there was one. */
const engineFailureSchema = z.strictObject({
  exception_type: z.string().min(1).max(200),
  message: z.string().max(5_000),
});

const base = {
  instrument: instrumentSchema,
  /** Says that another ticker or market for a known instrument is meant. */
  instrument_change: z.boolean().optional(),
  trigger: triggerSchema,
  run: runSchema,
  thread: threadSchema,
  lineage: lineageSchema,
};

const liveFields = {
  ...base,
  result: resultSchema,
  failure: engineFailureSchema.nullable(),
  /** Asks to withdraw the route's published copy first and to publish this one in its place. */
  republication: z.strictObject({ reason: notBlank(2_000) }).nullable(),
};

export const loadSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('REALTIME'), ...liveFields }),
  z.strictObject({ mode: z.literal('DAILY'), ...liveFields }),
  z.strictObject({
    mode: z.literal('BACKFILL'),
    ...base,
    /** null when the window failed for this instrument: then nothing is loaded. */
    result: resultSchema.nullable(),
    failure: engineFailureSchema.nullable(),
  }),
  z.strictObject({ mode: z.literal('V2'), ...base, analysis: analysisSchema }),
]);

export type Load = z.infer<typeof loadSchema>;
export type LiveLoad = Extract<Load, { mode: 'REALTIME' | 'DAILY' }>;
export type BackfillLoad = Extract<Load, { mode: 'BACKFILL' }>;
export type V2Load = Extract<Load, { mode: 'V2' }>;
export type Lineage = Load['lineage'];

/** The outcome of one line (D43). `line` counts from 1. */
export interface LineAnswer {
  line: number;
  outcome: OutcomeName;
  /** The result's or the analysis' id, where the line had one. */
  id: string | null;
  /** Log reason of a DRAFT or SKIPPED; for FAILED a code (`outcomes.ts` lists all). */
  reason: string | null;
  /** A sentence with the remedy, for FAILED and WITHDRAWN. */
  message: string | null;
  /** True when the same load was taken before, so that nothing was written: then `outcome` is its present state (D197). */
  repeated: boolean;
  /** What looks wrong though the load was taken: a sentence with the remedy. Absent: nothing does. */
  warning?: string;
  /** The number of tenants to which this very load issued a NEW record. */
  deliveries: number;
}
