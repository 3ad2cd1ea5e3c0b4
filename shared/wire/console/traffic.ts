/** The requests of the tenant's channels (D20). */
import { z } from 'zod';
import { instant } from './common.ts';
import { TRAFFIC_OUTCOMES } from './constants.ts';

const counts = { requests: z.int(), errors: z.int() };

/** `GET /api/v1/dashboard/traffic`: 24 hours, the present one included, beside the 24 before them. */
export const trafficSchema = z.strictObject({
  /** Begin of the first hour. */
  from: instant,
  to: instant,
  ...counts,
  dayBefore: z.strictObject(counts),
  hours: z.array(z.strictObject({ at: instant, ...counts, dayBefore: z.strictObject(counts) })),
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
