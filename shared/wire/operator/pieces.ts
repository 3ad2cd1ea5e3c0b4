/** Pieces that the answers of several subjects share. */
import { z } from 'zod';

/** ISO 8601 in UTC with milliseconds (D2). */
export const instant = z.iso.datetime({ precision: 3 });

/** `YYYY-MM-DD`, a day in Korea. */
export const day = z.iso.date();

/** A ratio: 0.0123 is 1.23 %. */
export const ratio = z.number();

/** The later run by which a failure was repaired, and when (D216). */
export const recoverySchema = z.strictObject({ runKey: z.string(), at: instant });
export type Recovery = z.infer<typeof recoverySchema>;
