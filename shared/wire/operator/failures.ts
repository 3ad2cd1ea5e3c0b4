/** Tasks that failed or did not run, and what depends on such a task (D132). */
import { z } from 'zod';
import { LINEAGE_BASES, PUBLICATION_STATES, TASK_OUTCOMES } from './constants.ts';
import { day, instant, recoverySchema } from './pieces.ts';
import { hasNamesake } from './tenants.ts';

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
  /** End of the last attempt, or else its start; null: no attempt. */
  at: instant.nullable(),
  /** The first later run of the lane in which the task succeeded; null: it is open. */
  recovery: recoverySchema.nullable(),
};

const failedRunShape = {
  runKey: z.string(),
  lane: z.string(),
  /** The day that the run belongs to. */
  date: day,
  /** The ledger's word, verbatim. */
  status: z.string(),
};

/** `GET /api/v1/sources/failures`: runs with open failures first, then by lane, run and stage. A task under way in an unfinished run is not listed. */
export const failuresSchema = z.strictObject({
  asOf: instant,
  date: day,
  runs: z.array(
    z.strictObject({
      ...failedRunShape,
      /** Open ones first; among them required tasks that failed, then other failed ones, then unfinished ones, then those that never began. */
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
  lineage: z.strictObject({
    basis: z.enum(LINEAGE_BASES),
    /** The days whose analyses show an ETF's dependence on the lane, both included. */
    from: day,
    to: day,
  }),
  etfs: z.strictObject({
    /** The ETF whose analyses used the lane most often comes first. */
    items: z.array(
      z.strictObject({
        instrumentId: z.string(),
        ticker: z.string(),
        name: z.string(),
        /** Analyses of these days that used the lane; without recorded lineage, all analyses of the day. */
        uses: z.int(),
        /** Its analyses on the run's day. */
        analyses: z.int(),
      }),
    ),
    total: z.int(),
  }),
  /** Analyses of the run's day for these ETFs; those begun without the task's output come first. */
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
    /** How many of all began without the task's output. */
    without: z.int(),
  }),
  /** Tenants that have connected and not received some of the listed analyses, the longest wait first. */
  tenants: z.strictObject({
    items: z.array(
      z.strictObject({
        tenantId: z.int(),
        name: z.string(),
        hasNamesake,
        waiting: z.int(),
        waitingSince: instant.nullable(),
      }),
    ),
    total: z.int(),
    /** Tenants beside them that never connected. */
    neverConnected: z.int(),
  }),
});
export type TaskImpact = z.infer<typeof taskImpactSchema>;
