/** Tasks that did not do their work, and what hangs on one of them (D132). */
import { z } from 'zod';
import { LINEAGE_BASES, PUBLICATION_STATES, TASK_OUTCOMES } from './constants.ts';
import { day, instant } from './pieces.ts';

const failureShape = {
  taskKey: z.string(),
  stage: z.string(),
  /** Null or empty as the ledger has it. */
  dataset: z.string().nullable(),
  required: z.boolean(),
  outcome: z.enum(TASK_OUTCOMES),
  /** Of the last attempt, in the ledger's words; null where it has none. */
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  /** When the last attempt ended, else when it began; null: nothing was tried. */
  at: instant.nullable(),
};

const failedRunShape = {
  runKey: z.string(),
  lane: z.string(),
  /** The day that the run belongs to. */
  date: day,
  /** The ledger's word, verbatim. */
  status: z.string(),
};

/** `GET /api/v1/sources/failures`: by lane, run and stage. A task that is under way in a run that goes on is none. */
export const failuresSchema = z.strictObject({
  asOf: instant,
  date: day,
  runs: z.array(
    z.strictObject({
      ...failedRunShape,
      /** Required tasks that failed, then others that failed, then those that did not end, then those that never began. */
      tasks: z.array(z.strictObject(failureShape)),
    }),
  ),
});
export type Failures = z.infer<typeof failuresSchema>;
export type FailedRun = Failures['runs'][number];
export type FailedTask = FailedRun['tasks'][number];

/** `GET /api/v1/sources/impact/task`. */
export const taskImpactSchema = z.strictObject({
  asOf: instant,
  run: z.strictObject(failedRunShape),
  task: z.strictObject(failureShape),
  /** Tasks of the run that never began. */
  blocked: z.array(z.string()),
  /** The first later run of the lane in which the same task succeeded; null: none until now. */
  recovery: z.strictObject({ runKey: z.string(), at: instant }).nullable(),
  lineage: z.strictObject({
    basis: z.enum(LINEAGE_BASES),
    /** The days whose analyses tell what an ETF stands on, both included. */
    from: day,
    to: day,
  }),
  etfs: z.strictObject({
    /** The ETF whose analyses stood most on the lane stands first. */
    items: z.array(
      z.strictObject({
        instrumentId: z.string(),
        ticker: z.string(),
        name: z.string(),
        /** Analyses of these days that stood on what the lane brings; where no lineage is recorded, all of the day. */
        uses: z.int(),
        /** Its analyses of the run's day. */
        analyses: z.int(),
      }),
    ),
    total: z.int(),
  }),
  /** Those of the run's day, of these ETFs; the ones that began without the task's work first. */
  analyses: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        ticker: z.string(),
        instrumentName: z.string(),
        explanationAsOf: instant,
        startedAt: instant,
        /** Began after the task had failed and before it succeeded again. */
        isWithout: z.boolean(),
        publicationState: z.enum(PUBLICATION_STATES),
      }),
    ),
    total: z.int(),
    /** How many of all began without the task's work. */
    without: z.int(),
  }),
  /** Tenants that have not received some of the listed analyses, the longest wait first. */
  tenants: z.strictObject({
    items: z.array(
      z.strictObject({
        tenantId: z.int(),
        name: z.string(),
        waiting: z.int(),
        waitingSince: instant.nullable(),
        hasConnected: z.boolean(),
      }),
    ),
    total: z.int(),
  }),
});
export type TaskImpact = z.infer<typeof taskImpactSchema>;
