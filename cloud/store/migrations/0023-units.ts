/** The units of a result's measured values, as its load told them (D217). */
import type { Migration } from './migrate.ts';

export const units: Migration = {
  version: 23,
  name: 'units',
  // The program before it neither reads nor writes the column.
  oldestProgram: 22,
  statements: [`alter table explanation_result add column surface_units jsonb`],
};
