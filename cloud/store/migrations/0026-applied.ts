/**
 * What tenants tell of their applying (D230), and when each received and applied a withdrawal. Nothing is read or
 * written of the records that are there: a check of the new columns alone would hold the table for as long.
 */
import type { Migration } from './migrate.ts';

export const applied: Migration = {
  version: 26,
  name: 'applied',
  oldestProgram: 25,
  statements: [
    // As the last good pull told it: an object of numbers and codes, or an empty one where it told nothing.
    `alter table tenant_pull_state add column told jsonb`,
    // Of withdrawals alone: when the first pull came that named a cursor from here on.
    `alter table tenant_delivery add column received_at timestamptz, add column applied_at timestamptz`,
    `alter table tenant_delivery drop constraint tenant_delivery_finite`,
    `alter table tenant_delivery add constraint tenant_delivery_finite
       check (isfinite(created_at) and isfinite(received_at) and isfinite(applied_at)) not valid`,
  ],
};
