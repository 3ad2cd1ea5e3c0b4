/**
 * What the operator's list of analyses goes by where a filter leaves few of many rows. A publication writes one
 * row of a result and one of its run: of these indexes it meets the two by instrument, once each.
 */
import type { Migration } from './migrate.ts';

export const analysisList: Migration = {
  version: 5,
  name: 'analysis-list',
  statements: [
    `create index explanation_result_by_instrument on explanation_result (etf_instrument_id, created_at desc)`,
    `create index movement_analysis_by_instrument on movement_analysis (etf_instrument_id, created_at desc)`,
    `create index explanation_result_drafts on explanation_result (created_at desc) where publication_status = 'DRAFT'`,
    `create index explanation_result_withdrawn on explanation_result (created_at desc) where publication_status = 'WITHDRAWN'`,
    `create index movement_analysis_withdrawn on movement_analysis (created_at desc) where publication_status = 'WITHDRAWN'`,
    `create index explanation_run_pending on explanation_run (created_at desc) where status in ('PENDING', 'RUNNING')`,
    `create index explanation_run_failed on explanation_run (created_at desc) where status in ('FAILED', 'CANCELLED')`,
  ],
};
