/** The requests of the tenant's channels (D20). */
import { z } from 'zod';
import { instant } from './common.ts';
import { TRAFFIC_OUTCOMES } from './constants.ts';

const counts = { requests: z.int(), errors: z.int() };

/** A change of what is exposed, with the number of its row in the audit log (D233). */
const markSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('POLICY'),
    seq: z.int(),
    at: instant,
    version: z.int(),
    /** Whether the version switched automatic provision on or off; null: neither. */
    autoProvision: z.boolean().nullable(),
  }),
  z.strictObject({
    kind: z.enum(['MARKET', 'CHANNEL', 'SECTOR', 'INSTRUMENT']),
    seq: z.int(),
    at: instant,
    key: z.string(),
    enabled: z.boolean(),
  }),
]);
export type TrafficMark = z.infer<typeof markSchema>;

/** The vendor's last withdrawal of a text that channels were served, and how long it took from its issue (D235). */
const lastOffSchema = z.strictObject({
  /** The explanation's. */
  id: z.string(),
  at: instant,
  ms: z.int(),
});
export type LastOff = z.infer<typeof lastOffSchema>;

/** What a head of compliance asks first (D233). */
const nowSchema = z.strictObject({
  /** Waiting for longer than the target, in working time; null without a target. */
  overTarget: z.int().nullable(),
  /** Null while nothing waits. */
  longestWait: z.strictObject({ since: instant, workingMs: z.int() }).nullable(),
  /** Explanations whose text is exposed to at least one channel. */
  exposed: z.int(),
  /** Those that the serving scope alone keeps from all channels. */
  excluded: z.int(),
  /** Null without any in the last 30 days. */
  lastOff: lastOffSchema.nullable(),
});

/** `GET /api/v1/dashboard/traffic`: 24 hours, the present one included, beside the 24 before them and a week before. */
export const trafficSchema = z.strictObject({
  /** Begin of the first hour. */
  from: instant,
  to: instant,
  ...counts,
  dayBefore: z.strictObject(counts),
  /** The same hours of the same weekday a week before. */
  weekBefore: z.strictObject(counts),
  hours: z.array(
    z.strictObject({
      at: instant,
      ...counts,
      dayBefore: z.strictObject(counts),
      weekBefore: z.strictObject(counts),
    }),
  ),
  /** Of these hours, oldest first. */
  marks: z.array(markSchema),
  now: nowSchema,
  channels: z.array(
    z.strictObject({
      /** Empty for requests without a valid key. */
      channel: z.string(),
      ...counts,
      outcomes: z.record(z.enum(TRAFFIC_OUTCOMES), z.int()),
    }),
  ),
  outcomes: z.record(z.enum(TRAFFIC_OUTCOMES), z.int()),
});
export type Traffic = z.infer<typeof trafficSchema>;
