/** The four roles of a tenant's console (D8). None contains another: Tenant Admin is no superset. */
export const ROLES = ['TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'] as const;
export type Role = (typeof ROLES)[number];
