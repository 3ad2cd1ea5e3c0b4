/** Requests of an inspector (D174): a list of explanations, counted first, as a CSV or as one archive of dossiers. */
import { z } from 'zod';
import { instant } from './common.ts';
import { AUDIT_LANGUAGES } from './audit-words.ts';
import { EXPLANATION_STATUSES, INSPECTION_FORMS, INSPECTION_STATES, INSPECTION_STOPS } from './constants.ts';

const day = z.string().meta({ format: 'date' });
const status = z.enum(EXPLANATION_STATUSES);

/** Which explanations are meant: all of its conditions hold. */
export const inspectionQuerySchema = z.strictObject({
  /** Trade dates, both included. */
  from: day,
  to: day,
  ticker: z.string().optional(),
  /** Display name of a person who acted on it, or wrote a text of it. */
  person: z.string().optional(),
  /** Its present state. */
  outcomes: z.array(status).optional(),
  /** Part of a text that was received or exposed. */
  word: z.string().optional(),
  /** Part of the reason of a decision or operation. */
  reason: z.string().optional(),
});
export type InspectionQuery = z.infer<typeof inspectionQuerySchema>;

const outcomes = z.array(z.strictObject({ status, count: z.int() }));
export type InspectionOutcomes = z.infer<typeof outcomes>;

/** `POST /api/v1/inspections/counts`. */
export const inspectionCountsSchema = z.strictObject({ total: z.int(), outcomes });
export type InspectionCounts = z.infer<typeof inspectionCountsSchema>;

export const inspectionSchema = z.strictObject({
  id: z.string(),
  form: z.enum(INSPECTION_FORMS),
  language: z.enum(AUDIT_LANGUAGES),
  query: inspectionQuerySchema,
  total: z.int(),
  outcomes,
  askedBy: z.string(),
  askedAt: instant,
  state: z.enum(INSPECTION_STATES),
  /** Explanations whose part is finished. */
  done: z.int(),
  stop: z.enum(INSPECTION_STOPS).nullable(),
  /** For `RECORD`: what is damaged and what to do. */
  message: z.string().nullable(),
  endedAt: instant.nullable(),
  bytes: z.int().nullable(),
  sha256: z.string().nullable(),
  /** When the file is deleted. */
  keptUntil: instant.nullable(),
});
export type Inspection = z.infer<typeof inspectionSchema>;
