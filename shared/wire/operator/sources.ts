/** Data sources, news lineage and holdings impact (operator API 2). */
import { z } from 'zod';
import { hourFactSchema } from '../facts.ts';
import {
  AFFECTED_ANALYSES_CAP,
  DOCUMENT_SAMPLE_CAP,
  HOLDINGS_REASONS,
  HOLDINGS_STATES,
  NEWS_STAGES,
  NEWS_UNMEASURED,
  SOURCE_STATUSES,
  TILE_DEFINITIONS,
} from './constants.ts';
import { day, instant, ratio } from './pieces.ts';

/** `GET /api/v1/sources/report`. */
export const reportSchema = z.strictObject({
  asOf: instant,
  /** The six sources of the contract in its order, then others that the ledger knows, by name. */
  sources: z.array(
    z.strictObject({
      source: z.string(),
      status: z.enum(SOURCE_STATUSES),
      /** Time of the last collection, successful or not; null: never. */
      lastCollectedAt: instant.nullable(),
      /** When collected data was last processed without an error. */
      lastProcessedAt: instant.nullable(),
      /** When the next collection is due; null if the ledger does not say. */
      nextDueAt: instant.nullable(),
      /** When its collections began, beside the weeks before (D215). */
      hours: z.array(hourFactSchema),
      /** The days among those on which some lane was skipped as `NON_TRADING_DAY`: its hours say nothing of them. */
      nonTradingDays: z.array(day),
      /** Records of the last collection; null: not counted. */
      records: z.int().nullable(),
      /** The newest error, however old; null: none. */
      latestError: z.strictObject({ code: z.string(), message: z.string().nullable(), at: instant }).nullable(),
    }),
  ),
});
export type SourceReport = z.infer<typeof reportSchema>;

/** `GET /api/v1/sources/lineage/news`. */
export const newsLineageSchema = z.strictObject({
  asOf: instant,
  /** The day in Korea on which the documents became available. */
  date: day,
  /** The listed documents: those that reached at least this stage. */
  stage: z.enum(NEWS_STAGES),
  tiles: z.array(
    z.strictObject({
      stage: z.enum(NEWS_STAGES),
      /** N. */
      count: z.int(),
      /** M; null without a reference for N. */
      of: z.int().nullable(),
      /** N / M; null without M or when M is 0. */
      ratio: ratio.nullable(),
      definition: z.enum(TILE_DEFINITIONS),
    }),
  ),
  documents: z.strictObject({
    /** The newest first. */
    items: z.array(
      z.strictObject({
        documentId: z.string(),
        /** The furthest stage that it reached. */
        stage: z.enum(NEWS_STAGES),
        title: z.string().nullable(),
        /** Code of the press. */
        source: z.string(),
        sourceUri: z.string().nullable(),
        publishedAt: instant.nullable(),
        collectedAt: instant,
      }),
    ),
    /** All documents, listed or not. */
    total: z.int(),
    cap: z.literal(DOCUMENT_SAMPLE_CAP),
  }),
  /** Intraday 1-minute extraction of the same day: from another ledger, and not part of the funnel. */
  intradayExtraction: z.strictObject({
    ledger: z.literal('INTRADAY_EXTRACTION'),
    total: z.int(),
    /** Records whose error code is DEAD. */
    dead: z.int(),
    /** Null: no error. */
    byErrorCode: z.array(z.strictObject({ errorCode: z.string().nullable(), count: z.int() })),
  }),
  unmeasured: z.array(z.enum(NEWS_UNMEASURED)),
});
export type NewsLineage = z.infer<typeof newsLineageSchema>;

const instrumentSchema = z.strictObject({
  instrumentId: z.string(),
  /** Null: no such instrument is known. */
  ticker: z.string().nullable(),
  name: z.string().nullable(),
});

/** `GET /api/v1/sources/impact/holdings`. Null: not judged; empty: judged, and none found. */
export const holdingsImpactSchema = z.strictObject({
  asOf: instant,
  /** Null: the ledger knows none. */
  referenceDate: day.nullable(),
  state: z.enum(HOLDINGS_STATES),
  /** Why it is UNKNOWN or WITHHELD; else null. */
  reason: z.enum(HOLDINGS_REASONS).nullable(),
  /** When the list of expected ETFs was taken; null: there is none. */
  snapshotTakenAt: instant.nullable(),
  /** The latest load of the reference date; null: none. */
  load: z.strictObject({ status: z.string(), startedAt: instant, endedAt: instant.nullable() }).nullable(),
  /** ETFs of the snapshot. */
  expected: z.int().nullable(),
  /** Those that were loaded. */
  loaded: z.int().nullable(),
  missing: z.array(instrumentSchema).nullable(),
  /** Records missing after the first load and loaded since. */
  resolved: z.array(z.strictObject({ ...instrumentSchema.shape, loadedAt: instant })).nullable(),
  /** Analyses of the missing ETFs on the reference date. */
  analyses: z
    .strictObject({
      items: z.array(
        z.strictObject({
          id: z.string(),
          analysisEngine: z.enum(['v1', 'v2']),
          ticker: z.string(),
          instrumentName: z.string(),
          explanationAsOf: instant,
          publicationState: z.enum(['PUBLISHED', 'UNPUBLISHED', 'INVALIDATED']),
        }),
      ),
      total: z.int(),
      cap: z.literal(AFFECTED_ANALYSES_CAP),
    })
    .nullable(),
  /** A rerun is only recommended; this API never starts one. Null: not judged. */
  rerunRecommended: z.boolean().nullable(),
});
export type HoldingsImpact = z.infer<typeof holdingsImpactSchema>;
