/** Cloud Sync (D55). */
import { z } from 'zod';
import { instant } from './common.ts';
import { SYNC_ALARMS, SYNC_HISTORY_KINDS, SYNC_STATES } from './constants.ts';

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
  /** Of them, those that broke the rules and that nobody has acknowledged (`intake acknowledge`). */
  quarantinedUnseen: z.int(),
  /** Bodies that broke the rules and had to go for newer ones. */
  quarantinedDropped: z.int(),
  /** Records that the cloud has and we have not committed; null while the head is not known. */
  lag: z.int().nullable(),
  /** When the last bundle was committed: a reception that stands still shows here first. */
  lastReceivedAt: instant.nullable(),
  /** Alarms that somebody should look at. */
  alarms: z.array(z.enum(SYNC_ALARMS)),
});
export type SyncStatus = z.infer<typeof syncStatusSchema>;

/** `GET /api/v1/sync/history`: bundles received, bodies in quarantine and changes of the state; latest first. */
export const syncHistoryItemSchema = z.strictObject({
  kind: z.enum(SYNC_HISTORY_KINDS),
  at: instant,
  /** `BUNDLE`: its range; `REJECTED`, `HELD`: the entry's cursor; `QUARANTINED`: the cursor that was asked after. */
  cursorFrom: z.int().nullable(),
  cursorTo: z.int().nullable(),
  /** Entries of a bundle. */
  entries: z.int().nullable(),
  /** `STATE`: what the reception became. */
  state: z.enum(SYNC_STATES).nullable(),
  code: z.string().nullable(),
  /** The reason of the quarantine, or the error with the state. */
  message: z.string().nullable(),
  /** The subject of an invalidation that waits. */
  targetId: z.string().nullable(),
});
export type SyncHistoryItem = z.infer<typeof syncHistoryItemSchema>;

const certificateSchema = z.strictObject({
  subject: z.string(),
  issuer: z.string(),
  /** SHA-256 over the certificate, lower-case hex: by it the cloud knows the tenant (D29). */
  fingerprint: z.string(),
  validFrom: instant,
  validTo: instant,
  /** Whole days that are left; below 0 once it has expired. */
  daysToExpiry: z.int(),
});
export type SyncCertificate = z.infer<typeof certificateSchema>;

/** `GET /api/v1/sync/certificate`: what the relay shows to the cloud. */
export const certificateViewSchema = z.strictObject({
  relay: z.enum(['OK', 'NOT_CONFIGURED', 'UNREACHABLE']),
  /** Null where the relay cannot be asked. */
  certificate: certificateSchema.nullable(),
  /** Why changed files are not in use, or why the relay cannot be asked. */
  problem: z.string().nullable(),
});
export type CertificateView = z.infer<typeof certificateViewSchema>;

/** The cloud's answer when it was asked with the certificate. */
const probeSchema = z.strictObject({
  outcome: z.enum(['ACCEPTED', 'REFUSED', 'NOT_READY', 'UNREACHABLE', 'UNEXPECTED']),
  at: z.string(),
  ms: z.number(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  message: z.string(),
  /** Of the record that came; null where none did. */
  tenantId: z.int().nullable(),
});

/** `POST /api/v1/sync/certificate` and `…/previous`. */
export const certificateInstalledSchema = z.strictObject({
  certificate: certificateSchema,
  /** The one that can be gone back to. */
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
