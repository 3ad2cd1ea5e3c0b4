/**
 * The event bundle as it travels from the cloud to the Intake (sync protocol 2), snake_case
 * throughout (D1). Objects are open: a field that a newer cloud adds is kept and ignored (sync protocol 9),
 * while a known field of a wrong type rejects its entry (D34).
 */
import { z } from 'zod';
import { MAX_TEXT_LENGTH } from './bundle-endpoint.ts';
import {
  address,
  asOf,
  calendarDate,
  candidate,
  code,
  figures,
  formula,
  id,
  instant,
  market,
  name,
  ratio,
  source,
  text,
  title,
  whyUnfit,
} from './entry-fields.ts';

/** An integer that JSON numbers carry exactly (D3). */
export const exactInteger = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const explanationResultSchema = z
  .looseObject({
    explanation_result_id: id,
    etf_instrument_id: id,
    etf_ticker: id,
    etf_name: name,
    trade_date: calendarDate,
    explanation_as_of: instant,
    explanation_type: code.nullable(),
    summary: candidate,
    confidence_level: z.enum(['HIGH', 'MEDIUM', 'LOW']).nullable(),
    primary_thread_id: id,
    content_as_of: instant.nullable().optional(),
    analysis_engine: code.optional(),
    /** D28. */
    market: market.nullable().optional(),
    /** D28: a ratio, 0.0123 is +1.23 %. */
    observed_return: ratio.nullable().optional(),
  })
  .check((context) => {
    const { analysis_engine: engine, summary } = context.value;
    const flaw = engine === 'v2' ? whyUnfit(summary) : null;
    if (flaw !== null) context.issues.push({ code: 'custom', path: ['summary'], message: flaw, input: summary });
  });

export const explanationRunSchema = z.looseObject({
  explanation_run_id: id,
  release_bundle_version: code.nullable(),
});

export const sourceEventSchema = z.looseObject({
  source_event_id: id,
  source_class: z.enum(['NEWS', 'DISCLOSURE']),
  event_type_code: code,
  event_date: calendarDate.nullable(),
});

export const documentEvidenceSchema = z.looseObject({
  kind: z.enum(['NEWS', 'DISCLOSURE']),
  title: title.nullable(),
  source,
  published_at: instant.nullable(),
  source_uri: address.nullable().optional(),
  news_id: id.optional(),
  tool_run_id: id.optional(),
  item_ids: z.array(id).optional(),
});

export const calculationEvidenceSchema = z.looseObject({
  kind: z.literal('CALCULATION'),
  title: title.min(1),
  source,
  published_at: z.null(),
  as_of: asOf.nullable(),
  tool_run_id: id,
  item_ids: z.array(id),
  arguments: figures,
  output: figures,
  formula_latex: formula.nullable(),
  description: text,
});

export const evidenceSchema = z.discriminatedUnion('kind', [documentEvidenceSchema, calculationEvidenceSchema]);

/**
 * When the cloud issued the record, which no cloud before D235 tells. It is for measuring alone, so no value of it rejects an
 * entry.
 */
const issuedAt = z.unknown().meta({ type: 'string', format: 'date-time' }).optional();

export const newEntrySchema = z.looseObject({
  cursor: exactInteger,
  issued_at: issuedAt,
  delivery_type: z.literal('NEW'),
  explanation_result: explanationResultSchema,
  explanation_run: explanationRunSchema,
  source_events: z.array(sourceEventSchema),
  evidences: z.array(evidenceSchema),
});

/** Any characters: a withdrawal that is rejected would leave its text exposed. */
const anyText = z.string().min(1).max(MAX_TEXT_LENGTH);

export const invalidationEntrySchema = z
  .looseObject({
    cursor: exactInteger,
    issued_at: issuedAt,
    delivery_type: z.literal('INVALIDATION'),
    target_explanation_result_id: anyText.optional(),
    target_movement_analysis_id: anyText.optional(),
    reason: anyText,
  })
  .refine(
    (entry) => (entry.target_explanation_result_id === undefined) !== (entry.target_movement_analysis_id === undefined),
    'exactly one of target_explanation_result_id and target_movement_analysis_id must be present',
  );

/**
 * The bundle's own fields. Entries are parsed one by one afterwards, because an invalid one must not hold up the others
 * (D34); here each shows only its cursor.
 */
export const bundleSchema = z.looseObject({
  bundle_id: z.uuid(),
  tenant_id: exactInteger,
  generated_at: instant,
  cursor_from: exactInteger,
  cursor_to: exactInteger,
  entries: z.array(z.looseObject({ cursor: exactInteger })),
});

/** The answer to a pull: without `result` there is no news. */
export const bundleAnswerSchema = z.looseObject({
  isSuccess: z.literal(true),
  code: z.string(),
  message: z.string(),
  result: bundleSchema.optional(),
});

export type SourceEvent = z.infer<typeof sourceEventSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;
export type NewEntry = z.infer<typeof newEntrySchema>;
export type InvalidationEntry = z.infer<typeof invalidationEntrySchema>;
export type Bundle = z.infer<typeof bundleSchema>;
