/** Runs by the time of their creation and slots by their time (D215): a view reads a few weeks of them, never all years. */
import type { Migration } from './migrate.ts';

export const rhythm: Migration = {
  version: 22,
  name: 'rhythm',
  // The program before it does not look at these indexes.
  oldestProgram: 21,
  statements: [
    `create index pipeline_run_by_creation on pipeline_run (lane, created_at desc) include (run_date)`,
    `create index planner_slot_by_time on planner_slot (planned_for)`,
  ],
};
