/** Intraday 1-minute collection and the judgements on it (operator API 4). */
import { z } from 'zod';
import { JUDGMENT_NOT_OFFERED, MINUTE_STATES } from './constants.ts';
import { day, instant, ratio } from './pieces.ts';

const sessionFields = {
  sessionId: z.string(),
  tradingDate: day,
  market: z.string(),
};

/** `GET /api/v1/sources/minute`: the sessions of one day, minute by minute. */
export const minuteCollectionSchema = z.strictObject({
  asOf: instant,
  /** Null: the ledger has no session. */
  date: day.nullable(),
  sessions: z.array(
    z.strictObject({
      ...sessionFields,
      opensAt: instant,
      closesAt: instant,
      /** Minutes of the grid that are over, and how many of them the ledger has. */
      minutesDue: z.int(),
      minutesInLedger: z.int(),
      /** Every minute of the session. A value that the ledger does not have, or did not count, is null. */
      minutes: z.array(
        z.strictObject({
          at: instant,
          state: z.enum(MINUTE_STATES),
          expected: z.int().nullable(),
          collected: z.int().nullable(),
          failed: z.int().nullable(),
          collectedAt: instant.nullable(),
          errorCode: z.string().nullable(),
        }),
      ),
    }),
  ),
});
export type MinuteCollection = z.infer<typeof minuteCollectionSchema>;

/** `GET /api/v1/sources/minute/daily`: the last sessions with their judgements, newest first. */
export const minuteDailySchema = z.strictObject({
  asOf: instant,
  days: z.array(
    z.strictObject({
      ...sessionFields,
      /** As it was stored; null: no judgement is stored. */
      judgment: z
        .strictObject({
          /** The ledger's word, verbatim. */
          verdict: z.string(),
          judgedAt: instant,
          minutesExpected: z.int().nullable(),
          minutesCollected: z.int().nullable(),
          reason: z.string().nullable(),
        })
        .nullable(),
      /** Price judgements stored for the session: see `sources/minute/judgments`. */
      grounds: z.int(),
    }),
  ),
});
export type MinuteDaily = z.infer<typeof minuteDailySchema>;

/** `GET /api/v1/sources/minute/judgments`: a page of stored grounds in the order of their minutes (D11). */
export const minuteJudgmentsSchema = z.strictObject({
  ...sessionFields,
  items: z.array(
    z.strictObject({
      instrumentId: z.string(),
      /** Null: the instrument is unknown. */
      ticker: z.string().nullable(),
      name: z.string().nullable(),
      minute: instant,
      /** The ledger's word, verbatim, for instance FIRE or REVERT. */
      judgment: z.string(),
      price: z.number().nullable(),
      referencePrice: z.number().nullable(),
      changeRate: ratio.nullable(),
      threshold: ratio.nullable(),
      reason: z.string().nullable(),
      /** The source's own value, as it was stored. */
      originalText: z.string().nullable(),
      judgedAt: instant,
    }),
  ),
  page: z.int(),
  size: z.int(),
  total: z.int(),
  notOffered: z.array(z.enum(JUDGMENT_NOT_OFFERED)),
});
export type MinuteJudgments = z.infer<typeof minuteJudgmentsSchema>;
