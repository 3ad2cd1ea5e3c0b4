/** Bulk actions on explanations, only such as reduce exposure. */
import { z } from 'zod';
import { BULK_OUTCOMES, EXPLANATION_STATUSES, OBSTACLES } from './constants.ts';

/** `POST /api/v1/bulk/…`: the outcome of each item, in the order of the request. Each item is a separate transition. */
export const bulkResultSchema = z.strictObject({
  done: z.int(),
  results: z.array(
    z.strictObject({
      id: z.string(),
      outcome: z.enum(BULK_OUTCOMES),
      /** Present state; null for an item that does not exist or was not tried. */
      status: z.enum(EXPLANATION_STATUSES).nullable(),
      version: z.int().nullable(),
      /** The provision API's decision now, and its obstacle (D60); null where `status` is null. */
      exposed: z.boolean().nullable(),
      obstacle: z.enum(OBSTACLES).nullable(),
    }),
  ),
});
export type BulkResult = z.infer<typeof bulkResultSchema>;
