/** Tenants as the vendor's operator sees them (operator API 2, D23). */
import { z } from 'zod';
import { REJECTION_CODES } from '../applied.ts';
import { pageOf } from '../console/common.ts';
import { CONNECTION_STATUSES, ENVIRONMENTS } from './tenant-constants.ts';

/** Whether another tenant's name looks the same (D225): the number is shown beside it. */
export const hasNamesake = z.boolean();

/** One row of `GET /api/v1/tenants`, and the answer of `POST`. */
export const tenantSchema = z.strictObject({
  tenantId: z.number(),
  name: z.string(),
  hasNamesake,
  environment: z.enum(ENVIRONMENTS),
  /** The initial Tenant Admin; null for a tenant created by a command. */
  adminName: z.string().nullable(),
  adminEmail: z.string().nullable(),
  memo: z.string().nullable(),
  connectionStatus: z.enum(CONNECTION_STATUSES),
  /** Connected, and waits for news (D223): what is published now arrives at once. */
  isWaiting: z.boolean(),
  /** When the newest of its valid certificates was issued; null without one. */
  certificateIssuedAt: z.string().nullable(),
  /** When a pull last carried records; null if none ever did. */
  lastEventSyncAt: z.string().nullable(),
  createdAt: z.string(),
  /** The code of the answer to the last pull (D5); null before the first pull. */
  lastSyncResult: z.string().nullable(),
  /** The answer to the last failed pull, however many succeeded since; null when none failed. */
  lastErrorMessage: z.string().nullable(),
  /** Records issued to the tenant in the last 24 hours: NEW ones, and INVALIDATION ones. */
  deliveredLast24h: z.number(),
  invalidationsLast24h: z.number(),
  /** Records issued and not yet received, and since when the oldest of them waits. */
  waitingCount: z.number(),
  waitingSince: z.string().nullable(),
  /** As its last good pull told through the relay, unsigned (D230); null: it told nothing. */
  applied: z
    .strictObject({
      at: z.string(),
      /** Records received and not yet applied. */
      pending: z.int(),
      /** Entries that were rejected and need an act there, and withdrawals held until their original comes. */
      rejected: z.int(),
      held: z.int(),
      /** The newest of the rejected. */
      entries: z.array(
        z.strictObject({
          cursor: z.int(),
          code: z.enum(REJECTION_CODES),
          /** The record; null where retention has removed it, or there is none. */
          record: z
            .strictObject({ isWithdrawal: z.boolean(), id: z.string(), ticker: z.string(), instrumentName: z.string() })
            .nullable(),
        }),
      ),
    })
    .nullable(),
});
export type Tenant = z.infer<typeof tenantSchema>;

/** `GET /api/v1/tenants`: those that never connected come last. */
export const tenantPageSchema = pageOf(tenantSchema).extend({
  /** How many of all that match have never connected. */
  notConnected: z.int(),
});
export type TenantPage = z.infer<typeof tenantPageSchema>;
