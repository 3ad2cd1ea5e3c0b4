import type { Migration } from './migrate.ts';

/** The withdrawals behind a tenant's committed cursor, without reading what else it was issued (D133). */
export const withdrawalsByCursor: Migration = {
  version: 13,
  name: 'withdrawals-by-cursor',
  statements: [
    `create index tenant_delivery_withdrawals on tenant_delivery (tenant_id, cursor) where delivery_type = 'INVALIDATION'`,
  ],
};
