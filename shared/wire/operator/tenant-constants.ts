/** Tenants as the vendor's operator sees them (operator API 2, D23). */
export const ENVIRONMENTS = ['POC', 'PRODUCTION'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The state of the sync channel. It does not say whether a tenant is active: there is no such state. */
export const CONNECTION_STATUSES = ['NORMAL', 'SYNC_DELAYED', 'ERROR', 'NOT_CONNECTED'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

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
