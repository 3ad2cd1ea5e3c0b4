/**
 * The facts that a rule engine judges (operator API 2, "Facts response", and "Trend points"). Null: looked up, but not
 * visible. An absent key: not measured. 0, false and an empty array are observed values. An axis that may be absent is
 * optional here.
 */
import { z } from 'zod';

export const factsMetaSchema = z.strictObject({
  /** The database's clock. */
  db: z.string(),
  /** The viewed day. */
  today: z.string(),
  /** When the control plane was read; null when the read failed. */
  cloud: z.string().nullable().exactOptional(),
});

export const runFactSchema = z.strictObject({
  /** The run key. */
  id: z.string(),
  /** Null only on a planning gap whose slot key cannot be read. */
  lane: z.string().nullable(),
  tradingDate: z.string().nullable(),
  /** Null only on a planning gap. */
  ledgerStatus: z.string().nullable(),
  ledgerUpdated: z.string().nullable(),
  deadline: z.string().nullable(),
  cloudStatus: z.string().nullable().exactOptional(),
  cloudStop: z.string().nullable().exactOptional(),
  /** On planning gaps alone; never false. */
  planned: z.literal(true).exactOptional(),
  noRunRow: z.literal(true).exactOptional(),
});
export type RunFact = z.infer<typeof runFactSchema>;

/** D25. Null: the ledger gave no signal. */
export const taskFactSchema = z.strictObject({
  runId: z.string(),
  dataset: z.string().nullable(),
  attempts: z.number(),
  recordsOut: z.number().nullable(),
  unsupportedRecords: z.number().nullable(),
  failedRecords: z.number().nullable(),
  completenessExpected: z.number().nullable(),
  completenessActual: z.number().nullable(),
});
export type TaskFact = z.infer<typeof taskFactSchema>;

export const datasetFactSchema = z.strictObject({
  id: z.string(),
  contract: z.boolean(),
  expectedAsOf: z.string().nullable(),
  actualAsOf: z.string().nullable(),
  collectedAt: z.string().nullable(),
  /** Null: freshness can be judged. */
  unverifiable: z.string().nullable(),
});
export type DatasetFact = z.infer<typeof datasetFactSchema>;

export type OutputId = 'o.pub' | 'o.trig' | 'o.doc' | 'o.asr' | 'o.evt';

export const outputFactSchema = z.strictObject({
  /** An `OutputId`, or an id that a newer server adds. */
  id: z.string(),
  label: z.string(),
  today: z.number(),
  /** The usual value; null: none. */
  base: z.number().nullable(),
  unit: z.string(),
});
export type OutputFact = z.infer<typeof outputFactSchema>;

/** As of `meta.db`, regardless of the viewed day. */
export const boundaryFactSchema = z.strictObject({
  publishedWithoutDelivery: z.number(),
  deliveryNowNonpublished: z.number(),
  deliveryRows: z.number(),
});
export type BoundaryFact = z.infer<typeof boundaryFactSchema>;

export const feedFactSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  v: z.number(),
  unit: z.string(),
  src: z.string(),
});

export type StageId = 'c.obs' | 'c.route' | 'c.run' | 'c.res' | 'c.pub';

export const stageFactSchema = z.strictObject({
  /** A `StageId`, or an id that a newer server adds. */
  id: z.string(),
  label: z.string(),
  batch: z.number(),
  intraday: z.number(),
  src: z.string(),
});
export type StageFact = z.infer<typeof stageFactSchema>;

export const chainFactSchema = z.strictObject({
  /** Read by position: batch, intraday, then any feeds of a later server. */
  feeds: z.array(feedFactSchema),
  stages: z.array(stageFactSchema),
});
export type ChainFact = z.infer<typeof chainFactSchema>;

export const etfFactSchema = z.strictObject({
  etf: z.string(),
  name: z.string(),
  triggered: z.boolean(),
  /** The status of the run; null: no run yet. */
  outcome: z.string().nullable(),
  error: z.null(),
});
export type EtfFact = z.infer<typeof etfFactSchema>;

export const queueFactSchema = z.strictObject({
  name: z.string(),
  visible: z.number(),
  inFlight: z.number(),
  dlq: z.number(),
});
export type QueueFact = z.infer<typeof queueFactSchema>;

/**
 * A planned slot whose time has passed, that has no run, and with which the reconciliation never had an issue of a missing
 * run (D215).
 */
export const slotFactSchema = z.strictObject({
  /** The slot's key, which is the run key that its run would have. */
  id: z.string(),
  /** Null: the key cannot be read. */
  lane: z.string().nullable(),
  plannedFor: z.string(),
});

/** An hour in which something began, now or in the weeks before (D215). An hour that is not listed had nothing. */
export const hourFactSchema = z.strictObject({
  /** When the hour begins. */
  at: z.string(),
  /** How many began in it. */
  count: z.number(),
  /** How many began one, two, three and four weeks before. */
  before: z.array(z.number()),
});
export type HourFact = z.infer<typeof hourFactSchema>;

const rhythmShape = {
  id: z.string(),
  /** When the last one began; null: none ever did. */
  last: z.string().nullable(),
  /** Of the viewed day and of today, with the six days before each, by time. */
  hours: z.array(hourFactSchema),
  /**
   * The days among those on which the ledger skipped a run as `NON_TRADING_DAY`: of a lane its own runs, of a source those of
   * any lane.
   */
  nonTradingDays: z.array(z.string()),
};
/**
 * Runs of a lane, skipped ones included. `lastDay`: the last day up to today that has one, whenever it began; null: none.
 */
export const laneRhythmSchema = z.strictObject({ ...rhythmShape, lastDay: z.string().nullable() });
export type LaneRhythm = z.infer<typeof laneRhythmSchema>;
/** Collections of a source. `dueAt`: when the next one is due; null: the ledger does not say. */
export const sourceRhythmSchema = z.strictObject({ ...rhythmShape, dueAt: z.string().nullable() });
export type SourceRhythm = z.infer<typeof sourceRhythmSchema>;

/** When runs and collections began, beside the weeks before, as of `meta.db` (D215). Both lists by `id`. */
export const rhythmFactSchema = z.strictObject({
  lanes: z.array(laneRhythmSchema),
  sources: z.array(sourceRhythmSchema),
});
export type RhythmFact = z.infer<typeof rhythmFactSchema>;

/** The result of `GET /api/v1/console/facts`. */
export const factsSchema = z.strictObject({
  runs: z.array(runFactSchema),
  meta: factsMetaSchema,
  tasks: z.array(taskFactSchema),
  datasets: z.array(datasetFactSchema),
  outputs: z.array(outputFactSchema),
  boundary: boundaryFactSchema,
  chain: chainFactSchema.exactOptional(),
  etfLedger: z.strictObject({ rows: z.array(etfFactSchema) }).exactOptional(),
  slots: z.array(slotFactSchema).exactOptional(),
  rhythm: rhythmFactSchema.exactOptional(),
  queues: z.array(queueFactSchema).nullable().exactOptional(),
});
export type Facts = z.infer<typeof factsSchema>;

export const entityResolutionPointSchema = z.strictObject({
  date: z.string(),
  totalArguments: z.number(),
  resolvedArguments: z.number(),
  /** From 0 to 1 (D52); null when there was nothing to resolve. */
  rate: z.number().nullable(),
});
export type EntityResolutionPoint = z.infer<typeof entityResolutionPointSchema>;

/** The result of `GET /api/v1/console/trends/entity-resolution`. */
export const entityResolutionTrendSchema = z.strictObject({
  points: z.array(entityResolutionPointSchema),
});
export type EntityResolutionTrend = z.infer<typeof entityResolutionTrendSchema>;

/** Counts of observations, except for the triggers. */
export const intradayPointSchema = z.strictObject({
  date: z.string(),
  triggers: z.number(),
  observations: z.number(),
  runs: z.number(),
  activeRuns: z.number(),
  failedRuns: z.number(),
  results: z.number(),
  published: z.number(),
});
export type IntradayPoint = z.infer<typeof intradayPointSchema>;

/** The result of `GET /api/v1/console/trends/intraday-analysis`. */
export const intradayTrendSchema = z.strictObject({
  asOf: z.string(),
  points: z.array(intradayPointSchema),
});
export type IntradayTrend = z.infer<typeof intradayTrendSchema>;
