/** Requests of an inspector (D174): a list of explanations, counted first, as a CSV or as one archive of dossiers. */
import { z } from 'zod';
import { instant } from './common.ts';
import { EXPLANATION_STATUSES } from './constants.ts';

const day = z.string().meta({ format: 'date' });
const status = z.enum(EXPLANATION_STATUSES);

export const INSPECTION_LANGUAGES = ['ko', 'en'] as const;
export type InspectionLanguage = (typeof INSPECTION_LANGUAGES)[number];

/** `LIST`: a CSV; `ARCHIVE`: one ZIP of the dossiers with the same CSV. */
export const INSPECTION_FORMS = ['LIST', 'ARCHIVE'] as const;
export type InspectionForm = (typeof INSPECTION_FORMS)[number];

/** The most explanations of one request. */
export const MOST_INSPECTED: Readonly<Record<InspectionForm, number>> = { LIST: 100_000, ARCHIVE: 5_000 };
/** The longest span of trade dates. */
export const MOST_INSPECTED_DAYS = 366;
/** A finished file is kept for so many days, and deleted then. */
export const INSPECTION_KEPT_DAYS = 30;

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
  /** Part of a text that was received or provided. */
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

/**
 * `OPEN`: waits for its turn, or is being made. `STOPPED`: can be continued. `CANCELLED` before it was finished,
 * `DELETED` afterwards: its files are gone.
 */
export const INSPECTION_STATES = ['OPEN', 'STOPPED', 'READY', 'CANCELLED', 'DELETED'] as const;
export type InspectionState = (typeof INSPECTION_STATES)[number];

/**
 * Why it stopped: no room on the disk; the ledger was restored from a backup meanwhile; the person who asked is no
 * Tenant Admin any more; its files are missing; the record or an original is damaged (`message`); the program failed.
 */
export const INSPECTION_STOPS = ['DISK_FULL', 'RESTORED', 'RIGHTS', 'FILES_GONE', 'RECORD', 'FAILED'] as const;
export type InspectionStop = (typeof INSPECTION_STOPS)[number];

export const inspectionSchema = z.strictObject({
  id: z.string(),
  form: z.enum(INSPECTION_FORMS),
  language: z.enum(INSPECTION_LANGUAGES),
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
