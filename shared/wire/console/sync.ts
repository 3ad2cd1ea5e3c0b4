/** Cloud Sync (D55). */
import { z } from 'zod';
import { instant } from './common.ts';
import { SYNC_STATES } from './constants.ts';

export const syncStatusSchema = z.strictObject({
  state: z.enum(SYNC_STATES),
  committedCursor: z.int(),
  appliedCursor: z.int(),
  /** The cloud's highest cursor; null while it is not known. */
  head: z.int().nullable(),
  lastAttemptAt: instant.nullable(),
  lastSuccessAt: instant.nullable(),
  lastError: z.strictObject({ code: z.string(), message: z.string(), at: instant }).nullable(),
  heldInvalidations: z.int(),
  rejectedEntries: z.int(),
  quarantinedBundles: z.int(),
});
export type SyncStatus = z.infer<typeof syncStatusSchema>;
