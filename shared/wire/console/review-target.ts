/** `GET` and `PUT /api/v1/review/target`. */
import { z } from 'zod';

export const reviewTargetSchema = z.strictObject({
  /** In working time; null where no target is set. */
  minutes: z.int().nullable(),
  version: z.int(),
});
export type ReviewTarget = z.infer<typeof reviewTargetSchema>;
