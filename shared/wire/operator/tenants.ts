/** Tenants as the vendor's operator sees them (operator API 2, D23). */
import { z } from 'zod';
import { CONNECTION_STATUSES, ENVIRONMENTS } from './tenant-constants.ts';

/** One row of `GET /api/v1/tenants`, and the answer of `POST`. */
export const tenantSchema = z.strictObject({
  tenantId: z.number(),
  name: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** The initial Tenant Admin; null for a tenant that was made by a command. */
  adminName: z.string().nullable(),
  adminEmail: z.string().nullable(),
  memo: z.string().nullable(),
  connectionStatus: z.enum(CONNECTION_STATUSES),
  /** When a pull last took records along; null when none ever did. */
  lastEventSyncAt: z.string().nullable(),
  createdAt: z.string(),
  /** The code that the last pull was answered with (D5); null when there was no pull yet. */
  lastSyncResult: z.string().nullable(),
  /** The answer to the last failed pull, however many good ones came after it; null when none failed. */
  lastErrorMessage: z.string().nullable(),
  /** Records issued to the tenant in the last 24 hours: NEW ones, and INVALIDATION ones. */
  deliveredLast24h: z.number(),
  invalidationsLast24h: z.number(),
  /** Records that were issued and not received yet, and since when the oldest of them waits. */
  waitingCount: z.number(),
  waitingSince: z.string().nullable(),
});
export type Tenant = z.infer<typeof tenantSchema>;
