/** Analyses, as the operator reads and withdraws them (operator API 2, D22, D24). */
import { z } from 'zod';
import { sourceEventSchema } from '../bundle.ts';
import { REJECTION_CODES } from '../applied.ts';
import { consoleEvidenceSchema } from '../console/explanation.ts';
import { ANALYSIS_STATUSES, APPLIED_STATES, PUBLICATION_STATES, RECEIPT_STATES } from './constants.ts';
import { hasNamesake } from './tenants.ts';

/** Receipts of the current record: the withdrawal of a withdrawn analysis, else the publication (D133). */
const receiptsSchema = z.strictObject({
  /** Existing tenants to which it was issued; the other counts are parts of it. */
  total: z.int(),
  received: z.int(),
  /** Not received, and the tenant has never connected. */
  neverConnected: z.int(),
  /** Not received by a tenant that has connected, after twice the polling period. */
  overdue: z.int(),
});

const analysisShape = {
  /**
   * The result's id, or the analysis id of a v2 one; for an analysis without a result, the id of its run. Used in
   * `/analyses/{id}`.
   */
  id: z.string(),
  analysisEngine: z.enum(['v1', 'v2']),
  instrumentId: z.string(),
  instrumentName: z.string(),
  ticker: z.string(),
  market: z.string(),
  /** The observed return as a ratio: 0.0123 is +1.23 %; null when it was not measured. */
  changeRate: z.number().nullable(),
  direction: z.enum(['UP', 'DOWN', 'FLAT']).nullable(),
  tradeDate: z.string(),
  explanationAsOf: z.string(),
  createdAt: z.string(),
  /** Distinct documents and calculations behind the text, or found by the run so far. */
  evidenceCount: z.number(),
  status: z.enum(ANALYSIS_STATUSES),
  publicationState: z.enum(PUBLICATION_STATES),
  /** Why a DRAFT was not published; null otherwise. */
  draftReason: z.string().nullable(),
  /** Why it was withdrawn, and when; null otherwise. */
  withdrawalReason: z.string().nullable(),
  withdrawnAt: z.string().nullable(),
  /** The explanation, a candidate for customers; null while there is none. */
  summary: z.string().nullable(),
  /** Null: no record was issued. */
  receipts: receiptsSchema.nullable(),
};

/** One row of `GET /api/v1/analyses`. */
export const analysisSchema = z.strictObject(analysisShape);
export type Analysis = z.infer<typeof analysisSchema>;

/** A measured value behind the text, under the engine's name: a change of a quote or a flow. */
export const measurementSchema = z.strictObject({
  name: z.string(),
  value: z.number(),
  /** RATIO (0.0123 is 1.23 %), PERCENT (1.23 is 1.23 %), another code, or null: a plain number (D217). */
  unit: z.string().nullable(),
});

/** The existing tenants to which records were issued, with their receipts. */
export const recipientsSchema = z.strictObject({
  total: z.number(),
  /** How many have received it: their committed cursor has passed the record. */
  received: z.number(),
  /** How many have not, and never connected: they can have no text and no withdrawal. */
  neverConnected: z.number(),
  /** How many of the others have not, after twice their polling period. */
  overdue: z.number(),
  /**
   * Waiting tenants first, then those that received it, the slowest to apply it first, and last those that never connected;
   * at most `RECIPIENTS_SHOWN`.
   */
  tenants: z.array(
    z.strictObject({
      tenantId: z.int(),
      name: z.string(),
      hasNamesake,
      state: z.enum(RECEIPT_STATES),
      isOverdue: z.boolean(),
      /** Null for a record that retention has removed. */
      issuedAt: z.string().nullable(),
      /**
       * When it is overdue unless received: after twice the polling period. Null once received, without `issuedAt`, and for
       * a tenant that never connected.
       */
      dueAt: z.string().nullable(),
      /** Null until received, and where the pull history no longer reaches back to it. */
      receivedAt: z.string().nullable(),
      /**
       * As told through the relay, unsigned (D230): null until received, and where the tenant does not tell. The time is known
       * of withdrawals alone, the code of rejected ones.
       */
      applied: z
        .strictObject({
          state: z.enum(APPLIED_STATES),
          at: z.string().nullable(),
          code: z.enum(REJECTION_CODES).nullable(),
        })
        .nullable(),
    }),
  ),
});
export type Recipients = z.infer<typeof recipientsSchema>;

/** `GET /api/v1/analyses/{id}` (D24). */
export const analysisDetailSchema = z.strictObject({
  ...analysisShape,
  runId: z.string(),
  mode: z.enum(['REALTIME', 'DAILY', 'BACKFILL', 'V2']),
  explanationType: z.string().nullable(),
  confidenceLevel: z.enum(['HIGH', 'MEDIUM', 'LOW']).nullable(),
  /** The end of the window that the text describes, with the Korean offset; null when it was not given. */
  contentAsOf: z.string().nullable(),
  /** When the price movement fired. */
  movementReferenceAt: z.string(),
  startedAt: z.string(),
  /** When the analysis was complete; null before. */
  completedAt: z.string().nullable(),
  /** Null when nothing was measured; an empty list never occurs. */
  measurements: z.array(measurementSchema).nullable(),
  /** The engine's counter-factors. Null: not provided; empty: none found. */
  counterFactors: z.array(z.string()).nullable(),
  /** Documents and calculations under their console names (sync protocol 2). */
  evidences: z.array(consoleEvidenceSchema),
  sourceEvents: z.array(sourceEventSchema),
  /** Recipients of the publication. */
  recipients: recipientsSchema,
  /** Recipients of the withdrawal, with the operator who made it (null: not on record); null without a withdrawal. */
  withdrawal: z.strictObject({ by: z.string().nullable(), recipients: recipientsSchema }).nullable(),
});
export type AnalysisDetail = z.infer<typeof analysisDetailSchema>;

/** `GET /api/v1/console/withdrawals`: withdrawals that some tenant that has connected has not received, the longest wait first. */
export const withdrawalsSchema = z.strictObject({
  asOf: z.string(),
  /** Whether any withdrawal was ever issued: without one there is nothing to judge. */
  everIssued: z.boolean(),
  analyses: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        ticker: z.string(),
        instrumentName: z.string(),
        issuedAt: z.string(),
        /** Tenants that have not received it; among them those that had the text for over twice their polling period. */
        waiting: z.int(),
        overdue: z.int(),
        /** Tenants beside them that never connected: they cannot have the text. */
        neverConnected: z.int(),
      }),
    ),
    total: z.int(),
  }),
  tenants: z.strictObject({
    items: z.array(
      z.strictObject({
        tenantId: z.int(),
        name: z.string(),
        hasNamesake,
        /** Withdrawals that it has not received. */
        waiting: z.int(),
        overdue: z.int(),
        waitingSince: z.string(),
      }),
    ),
    total: z.int(),
    /** Tenants beside them that never connected and were issued one. */
    neverConnected: z.int(),
  }),
});
export type Withdrawals = z.infer<typeof withdrawalsSchema>;

/** The answer of `POST /api/v1/analyses/{id}/invalidate`. */
export const invalidatedSchema = z.strictObject({
  id: z.string(),
  publicationState: z.literal('INVALIDATED'),
  withdrawnAt: z.string(),
  /** How many tenants got an INVALIDATION record: those that got the NEW. */
  deliveries: z.number(),
});
export type Invalidated = z.infer<typeof invalidatedSchema>;
