/** Analyses, as the operator reads and withdraws them (operator API 2, D22, D24). */
import { z } from 'zod';
import { sourceEventSchema } from '../bundle.ts';
import { consoleEvidenceSchema } from '../console/explanation.ts';
import { ANALYSIS_STATUSES, PUBLICATION_STATES, RECEIPT_STATES } from './constants.ts';

/** How far the record that counts now has come: the withdrawal of what was withdrawn, else the publication (D133). */
const receiptsSchema = z.strictObject({
  /** Tenants to which it was issued and that still exist; the others are part of it. */
  total: z.int(),
  received: z.int(),
  /** Not received, and the tenant has never connected. */
  neverConnected: z.int(),
  /** Not received, and twice the polling period is over. */
  overdue: z.int(),
});

const analysisShape = {
  /**
   * The result's id, or the analysis id of a v2 one; of an analysis that has brought no result, the id of
   * its run. It is what `/analyses/{id}` takes.
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
  /** Distinct documents and calculations that the text stands on, or that the run has found so far. */
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

/** A value that the text stands on, by the engine's own name for it: a quote's change, a flow's. */
export const measurementSchema = z.strictObject({
  name: z.string(),
  value: z.number(),
});

/** The tenants to which records were issued and that still exist, and how far these have come. */
export const recipientsSchema = z.strictObject({
  total: z.number(),
  /** How many have received it: their committed cursor has passed the record. */
  received: z.number(),
  /** How many have not, although twice their polling period is over. */
  overdue: z.number(),
  /** Those that wait first, then by name, at most `RECIPIENTS_SHOWN`. */
  tenants: z.array(
    z.strictObject({
      tenantId: z.int(),
      name: z.string(),
      state: z.enum(RECEIPT_STATES),
      isOverdue: z.boolean(),
      /** Null for a record that retention has removed. */
      issuedAt: z.string().nullable(),
      /** Null until it is received, and where the kept pulls do not reach back to it. */
      receivedAt: z.string().nullable(),
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
  /** When the analysis was complete; null while it has brought nothing. */
  completedAt: z.string().nullable(),
  /** Null when nothing was measured; an empty list never occurs. */
  measurements: z.array(measurementSchema).nullable(),
  /** The engine's doubts about the explanation. Null: it did not say; empty: it looked and found none. */
  counterFactors: z.array(z.string()).nullable(),
  /** Documents and calculations under their console names (sync protocol 2). */
  evidences: z.array(consoleEvidenceSchema),
  sourceEvents: z.array(sourceEventSchema),
  /** Of the publication. */
  recipients: recipientsSchema,
  /** Of the withdrawal, with the operator who made it (null: not on record); null while there is none. */
  withdrawal: z.strictObject({ by: z.string().nullable(), recipients: recipientsSchema }).nullable(),
});
export type AnalysisDetail = z.infer<typeof analysisDetailSchema>;

/** `GET /api/v1/console/withdrawals`: those that some tenant has not received. What waits longest stands first. */
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
        /**
         * Tenants that have not received it. Of these: the ones that have the text, and whose twice polling period is over;
         * the ones that never connected.
         */
        waiting: z.int(),
        overdue: z.int(),
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
        /** Withdrawals that it has not received. */
        waiting: z.int(),
        overdue: z.int(),
        waitingSince: z.string(),
        hasConnected: z.boolean(),
      }),
    ),
    total: z.int(),
  }),
});
export type Withdrawals = z.infer<typeof withdrawalsSchema>;

/** The answer of `POST /api/v1/analyses/{id}/invalidate`. */
export const invalidatedSchema = z.strictObject({
  id: z.string(),
  publicationState: z.literal('INVALIDATED'),
  withdrawnAt: z.string(),
  /** To how many tenants an INVALIDATION record was issued: those that had received the NEW. */
  deliveries: z.number(),
});
export type Invalidated = z.infer<typeof invalidatedSchema>;
