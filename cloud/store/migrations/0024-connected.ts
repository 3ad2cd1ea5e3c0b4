/** Until when a tenant that has just been answered is taken for connected and waiting (D223). */
import type { Migration } from './migrate.ts';

export const connected: Migration = {
  version: 24,
  name: 'connected',
  // The program before it neither reads nor writes the column.
  oldestProgram: 23,
  statements: [
    'alter table tenant_pull_state add column waiting_until timestamptz',
    `alter table tenant_pull_state drop constraint tenant_pull_state_finite,
       add constraint tenant_pull_state_finite check (isfinite(last_pull_at) and isfinite(last_good_pull_at)
         and isfinite(last_event_sync_at) and isfinite(last_error_at) and isfinite(waiting_until))`,
  ],
};
