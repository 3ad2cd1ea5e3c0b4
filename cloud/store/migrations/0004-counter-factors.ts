/** What speaks against an explanation, as the engine says it (operator API 2). Null: it did not say. */
import type { Migration } from './migrate.ts';

export const counterFactors: Migration = {
  version: 4,
  name: 'counter-factors',
  statements: [`alter table explanation_result add column counter_factors jsonb`],
};
