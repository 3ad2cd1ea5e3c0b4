/**
 * Runs of the pipeline: run overview and run history (operator API 1, 2 and 4). Null: the ledger has no value. An absent
 * optional key was not requested.
 */
import { z } from 'zod';
import { rhythmFactSchema } from '../facts.ts';
import { DEFECT_KINDS, LANE_DAYS, LINK_RELATIONS, OPERATIONAL_STATES, TASK_OUTCOMES } from './constants.ts';
import { day, instant, recoverySchema } from './pieces.ts';

/** The required tasks that were due, by outcome. The six counts add up to `required`. */
const taskCountsSchema = z.strictObject({
  /** The unit of the counts. */
  unit: z.literal('TASK'),
  required: z.int(),
  succeeded: z.int(),
  running: z.int(),
  pending: z.int(),
  failed: z.int(),
  missing: z.int(),
  unknown: z.int(),
});
export type TaskCounts = z.infer<typeof taskCountsSchema>;

const defectSchema = z.strictObject({
  kind: z.enum(DEFECT_KINDS),
  /** The run key; of a planning gap, the key of the slot. */
  runKey: z.string(),
  /** Null for a defect of the run as a whole. */
  stage: z.string().nullable(),
  taskKey: z.string().nullable(),
  dataset: z.string().nullable(),
  /** Whether the run depends on the task; null for a defect of the run as a whole. */
  required: z.boolean().nullable(),
  /** The ledger's own words; null where it has none. */
  reason: z.string().nullable(),
  /** FAILED_RECORDS: how many; INCOMPLETE: how many are missing; else null. */
  count: z.int().nullable(),
  unit: z.literal('RECORD').nullable(),
});
export type Defect = z.infer<typeof defectSchema>;

const runSchema = z.strictObject({
  /** Also what `sources/grid?runKey=` takes. */
  runKey: z.string(),
  lane: z.string(),
  tradingDate: day.nullable(),
  /** The day that the run belongs to: its trading date, else the KST date of its creation. */
  date: day,
  /** The ledger's word, verbatim. */
  status: z.string(),
  skipReason: z.string().nullable(),
  state: z.enum(OPERATIONAL_STATES),
  /** By what is open: `state`; after a repair DEGRADED where records or fresh data are lacking, else READY (D216). */
  openState: z.enum(OPERATIONAL_STATES),
  deadline: instant.nullable(),
  executionId: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
  tasks: taskCountsSchema,
  /** Number of defects of the run. */
  defectCount: z.int(),
  /** The last of the later runs that have repaired all of its failures; null: something is open, or nothing failed. */
  recovery: recoverySchema.nullable(),
});
export type PipelineRun = z.infer<typeof runSchema>;

/** A planned slot without a run. */
const planningGapSchema = z.strictObject({
  slotKey: z.string(),
  /** Read from the slot key; null if unreadable. */
  lane: z.string().nullable(),
  date: day.nullable(),
  /** When the run should have begun. */
  plannedFor: instant,
  /** When the missing run was noticed; null: its time has passed, and nobody has noticed yet (D215). */
  openedAt: instant.nullable(),
});
export type PlanningGap = z.infer<typeof planningGapSchema>;

const linkSchema = z.strictObject({
  rel: z.enum(LINK_RELATIONS),
  /** A path of this API with its query. */
  href: z.string(),
});
export type LaneLink = z.infer<typeof linkSchema>;

/** A lane on the viewed day. */
const laneDaySchema = z.strictObject({
  course: z.enum(LANE_DAYS),
  /**
   * The worst of the day's runs and planned slots; a planned slot without a run is UNKNOWN. A run whose failures a later one
   * has repaired counts by what else it lacks. Null unless RAN.
   */
  state: z.enum(OPERATIONAL_STATES).nullable(),
  /** The latest of the worst runs; null where no run counted. */
  run: runSchema.nullable(),
  /** Of the day's planned slots without a run, then the open ones of the worst run in stage order: after a repair those of its data. */
  defects: z.array(defectSchema),
  /** The day's counted runs, those that need attention, and those whose failures were repaired later. */
  runCount: z.int(),
  troubledCount: z.int(),
  recoveredCount: z.int(),
  /** The latest of those whose failures were repaired; null: none. */
  recovered: runSchema.nullable(),
});
export type LaneDay = z.infer<typeof laneDaySchema>;

/** One lane of `GET /api/v1/sources/overview`. */
const laneSchema = z.strictObject({
  lane: z.string(),
  /** State of the latest run; UNKNOWN if the lane has none, or if a later planned slot has no run. */
  state: z.enum(OPERATIONAL_STATES),
  /** Null: the lane is known by planned slots alone. */
  latestRun: runSchema.nullable(),
  /** Defects of the latest run, and the lane's open planning gaps from its day on; in stage order. */
  defects: z.array(defectSchema),
  /** The last runs, oldest first, the latest one included. */
  recentRuns: z.array(runSchema),
  /** The lane's planned slots without a run since the oldest of those runs, by time. */
  recentGaps: z.array(planningGapSchema),
  day: laneDaySchema,
  /**
   * The lane's state for tiles and order: that of the day if a run counted; else that of the last counted run or a
   * missed slot after it; null: nothing to judge.
   */
  standing: z.enum(OPERATIONAL_STATES).nullable(),
  /** The last run that was not skipped because nothing was due; null: none is known. */
  lastCounted: runSchema.nullable(),
  links: z.array(linkSchema),
});
export type LaneOverview = z.infer<typeof laneSchema>;

export const overviewSchema = z.strictObject({
  /** The time of all values, by the database's clock. */
  asOf: instant,
  /** Its day in Korea. */
  today: day,
  /** The viewed day: today unless another was requested. */
  date: day,
  /** Every lane that the ledger knows, by name. */
  lanes: z.array(laneSchema),
  /** Open planning gaps whose slot key cannot be read: they belong to no lane. */
  unreadableGaps: z.array(planningGapSchema),
  /**
   * Runs of earlier days, backfills among them, that were created or changed within the last 24 hours and need attention: the
   * last touched first, at most `OTHER_DAYS_SHOWN`. On the overview of today alone; a past day has none.
   */
  otherDays: z.strictObject({ total: z.int(), runs: z.array(runSchema) }),
  /** When runs of the lanes and collections of the sources began, beside the weeks before (D215). */
  rhythm: rhythmFactSchema,
});
export type RunOverview = z.infer<typeof overviewSchema>;

const attemptSchema = z.strictObject({
  status: z.string(),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  /** A retry's container that did no work; it is not counted. */
  duplicateRetry: z.boolean(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

/** One expected task with every column of the ledger. Null: the ledger gave no signal; 0: it counted none. */
const taskSchema = z.strictObject({
  taskKey: z.string(),
  stage: z.string(),
  /** Null or empty as the ledger has it. */
  dataset: z.string().nullable(),
  planStatus: z.string(),
  required: z.boolean(),
  /** Null: the task was not due. */
  outcome: z.enum(TASK_OUTCOMES).nullable(),
  contractKey: z.string().nullable(),
  expectedAsOf: day.nullable(),
  actualAsOf: day.nullable(),
  collectedAt: instant.nullable(),
  freshnessStatus: z.string().nullable(),
  freshnessReason: z.string().nullable(),
  recordsOut: z.int().nullable(),
  unsupportedRecords: z.int().nullable(),
  failedRecords: z.int().nullable(),
  completenessExpected: z.int().nullable(),
  completenessActual: z.int().nullable(),
  /** Without duplicate-retry containers. */
  attempts: z.int(),
  /** In the order of their start, duplicate-retry containers included and marked. */
  attemptList: z.array(attemptSchema),
});
export type PipelineTask = z.infer<typeof taskSchema>;

/** `GET /api/v1/sources/grid`: lanes by days. */
export const gridSchema = z.strictObject({
  asOf: instant,
  /** First and last day, both included. */
  from: day,
  to: day,
  lanes: z.array(
    z.strictObject({
      lane: z.string(),
      /** Every day from `from` to `to`. */
      days: z.array(
        z.strictObject({
          date: day,
          /** Empty: there are none. */
          runs: z.array(runSchema),
          planningGaps: z.array(planningGapSchema),
        }),
      ),
    }),
  ),
  /** Open planning gaps of these days whose slot key cannot be read, by the day on which they were noticed. */
  unreadableGaps: z.array(planningGapSchema),
  /** Only with `runKey`: that run with its tasks in stage order. */
  detail: z.strictObject({ run: runSchema, defects: z.array(defectSchema), tasks: z.array(taskSchema) }).optional(),
  /** Only with a `runKey` that is the key of a planned slot without a run. */
  gap: planningGapSchema.optional(),
});
export type RunGrid = z.infer<typeof gridSchema>;
