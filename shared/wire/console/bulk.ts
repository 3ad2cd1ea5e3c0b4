/** Many explanations at once, for actions that only reduce exposure. */
import { z } from 'zod';
import { BULK_OUTCOMES, EXPLANATION_STATUSES, OBSTACLES } from './constants.ts';

/** `POST /api/v1/bulk/…`: what became of each item, in the order asked. Each is a move of its own, done or not. */
export const bulkResultSchema = z.strictObject({
  done: z.int(),
  results: z.array(
    z.strictObject({
      id: z.string(),
      outcome: z.enum(BULK_OUTCOMES),
      /** As it stands now; null for one that does not exist, or was not tried. */
      status: z.enum(EXPLANATION_STATUSES).nullable(),
      version: z.int().nullable(),
      /** The provision API's decision now, and its obstacle (D60); null as the state is. */
      exposed: z.boolean().nullable(),
      obstacle: z.enum(OBSTACLES).nullable(),
    }),
  ),
});
export type BulkResult = z.infer<typeof bulkResultSchema>;
