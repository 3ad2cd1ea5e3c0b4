/** Tenants as the vendor's operator sees them (document 2 section 2, D23). */
export const ENVIRONMENTS = ['POC', 'PRODUCTION'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** It says how the sync channel is, and nothing about whether a tenant is active: there is no such state. */
export const CONNECTION_STATUSES = ['NORMAL', 'SYNC_DELAYED', 'ERROR', 'NOT_CONNECTED'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** One row of `GET /api/v1/tenants`, and the answer of `POST`. */
export interface Tenant {
  tenantId: number;
  name: string;
  environment: Environment;
  /** The initial Tenant Admin; null for a tenant that was made by a command. */
  adminName: string | null;
  adminEmail: string | null;
  memo: string | null;
  connectionStatus: ConnectionStatus;
  /** When a pull last took records along; null when none ever did. */
  lastEventSyncAt: string | null;
  createdAt: string;
  /** The code that the last pull was answered with (D5); null when there was no pull yet. */
  lastSyncResult: string | null;
  /** What the last failed pull was told, however many good ones came after it; null when none failed. */
  lastErrorMessage: string | null;
  /** Records issued to the tenant in the last 24 hours: NEW ones, and INVALIDATION ones. */
  deliveredLast24h: number;
  invalidationsLast24h: number;
}

/** The body of `POST /api/v1/tenants`. */
export interface NewTenant {
  name: string;
  environment: Environment;
  adminName: string;
  adminEmail: string;
  memo: string | null;
}

/** Longest texts of a new tenant, in UTF-16 units. */
export const TENANT_LIMITS = { name: 100, adminName: 100, adminEmail: 254, memo: 2_000 } as const;
