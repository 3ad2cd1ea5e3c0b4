/** Cloud Sync (D55). */
import { z } from 'zod';
import { instant } from './common.ts';
import { SYNC_ALARMS, SYNC_HISTORY_KINDS, SYNC_STATES } from './constants.ts';

export const syncStatusSchema = z.strictObject({
  state: z.enum(SYNC_STATES),
  committedCursor: z.int(),
  appliedCursor: z.int(),
  /** The cloud's highest cursor; null while unknown. */
  head: z.int().nullable(),
  lastAttemptAt: instant.nullable(),
  lastSuccessAt: instant.nullable(),
  /** The reception is connected and waits for news, for at most so many seconds at a time; null: it polls (D223). */
  waitSeconds: z.int().nullable(),
  /** Something on the way to the cloud ends waits after so many seconds, so they are shorter or none; null: nothing is known to. */
  waitCutSeconds: z.int().nullable(),
  lastError: z.strictObject({ code: z.string(), message: z.string(), at: instant }).nullable(),
  heldInvalidations: z.int(),
  rejectedEntries: z.int(),
  quarantinedBundles: z.int(),
  /** Those that broke the rules and are not acknowledged (`intake acknowledge`). */
  quarantinedUnseen: z.int(),
  /** Bodies that broke the rules and were dropped for newer ones. */
  quarantinedDropped: z.int(),
  /** Tickers of which nothing is exposed although newer texts came (D204). */
  darkTickers: z.array(z.string()),
  /** Records that the cloud has and the Intake has not committed; null while the head is unknown. */
  lag: z.int().nullable(),
  /** Time of the last committed bundle: a stalled reception shows here first. */
  lastReceivedAt: instant.nullable(),
  /** Alarms that need attention. */
  alarms: z.array(z.enum(SYNC_ALARMS)),
});
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/** `GET /api/v1/sync/history`: bundles received, bodies in quarantine and changes of the state; latest first. */
export const syncHistoryItemSchema = z.strictObject({
  kind: z.enum(SYNC_HISTORY_KINDS),
  at: instant,
  /** `BUNDLE`: its range; `REJECTED`, `HELD`: the entry's cursor; `QUARANTINED`: the cursor of the request. */
  cursorFrom: z.int().nullable(),
  cursorTo: z.int().nullable(),
  /** Entries of a bundle. */
  entries: z.int().nullable(),
  /** `STATE`: the new state of the reception. */
  state: z.enum(SYNC_STATES).nullable(),
  code: z.string().nullable(),
  /** The reason of the quarantine, or the error with the state. */
  message: z.string().nullable(),
  /** The target of a waiting invalidation. */
  targetId: z.string().nullable(),
});
export type SyncHistoryItem = z.infer<typeof syncHistoryItemSchema>;

const certificateSchema = z.strictObject({
  subject: z.string(),
  issuer: z.string(),
  /** SHA-256 over the certificate, lower-case hex: identifies the tenant to the cloud (D29). */
  fingerprint: z.string(),
  validFrom: instant,
  validTo: instant,
  /** Whole days left; negative after expiry. */
  daysToExpiry: z.int(),
});
export type SyncCertificate = z.infer<typeof certificateSchema>;

/** `GET /api/v1/sync/certificate`: the certificate that the relay presents to the cloud. */
export const certificateViewSchema = z.strictObject({
  relay: z.enum(['OK', 'NOT_CONFIGURED', 'UNREACHABLE']),
  /** Null if the relay does not answer. */
  certificate: certificateSchema.nullable(),
  /** Why changed files are not in use, or why the relay does not answer. */
  problem: z.string().nullable(),
});
export type CertificateView = z.infer<typeof certificateViewSchema>;

/** The cloud's answer to a request with the certificate. */
const probeSchema = z.strictObject({
  outcome: z.enum(['ACCEPTED', 'REFUSED', 'NOT_READY', 'UNREACHABLE', 'UNEXPECTED']),
  at: z.string(),
  ms: z.number(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  message: z.string(),
  /** Tenant of the received record; null without one. */
  tenantId: z.int().nullable(),
});

/** `POST /api/v1/sync/certificate` and `…/previous`. */
export const certificateInstalledSchema = z.strictObject({
  certificate: certificateSchema,
  /** The earlier certificate, which can be restored. */
  previous: certificateSchema.nullable(),
  probe: probeSchema,
});
export type SyncCertificateInstalled = z.infer<typeof certificateInstalledSchema>;

/** `POST /api/v1/sync/certificate/request`: PKCS#10, PEM; the key stays on the relay. */
export const certificateRequestSchema = z.strictObject({ request: z.string() });
export type SyncCertificateRequest = z.infer<typeof certificateRequestSchema>;

/** `POST /api/v1/sync/reconnect`. */
export const reconnectedSchema = z.strictObject({ certificate: certificateSchema, probe: probeSchema });
export type SyncReconnected = z.infer<typeof reconnectedSchema>;
