/** Runs by the time of their last change: an old run that was tried again minutes ago needs a look today (D219). */
import type { Migration } from './migrate.ts';

export const runUpdates: Migration = {
  version: 28,
  name: 'run-updates',
  oldestProgram: 25,
  statements: [`create index pipeline_run_by_update on pipeline_run (lane, updated_at desc) include (run_date)`],
};
