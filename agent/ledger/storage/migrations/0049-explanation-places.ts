/**
 * Guards explanations against deletion, and keeps by ticker which of them there must be, so that a row that was removed
 * past the guards makes no answer about what was shown (D156).
 */
import { neverDeleted, neverUpdated } from './baseline/guards.ts';

export const sql = `${neverDeleted('explanation', 'an explanation')}
-- The trade date that an explanation came with; 'any' too where it came more than a day before that. A later change of
-- the vendor's fields is in serving_fact. The rows of a transaction come together at its end, as those of the search
-- index do.
CREATE TABLE explanation_place (
  etf_ticker     TEXT NOT NULL,
  day            TEXT NOT NULL,
  explanation_id TEXT NOT NULL,
  PRIMARY KEY (etf_ticker, day, explanation_id)
) STRICT, WITHOUT ROWID;
INSERT INTO explanation_place SELECT etf_ticker, trade_date, id FROM explanation ORDER BY 1, 2, 3;
INSERT OR IGNORE INTO explanation_place
  SELECT etf_ticker, 'any', id FROM explanation
  WHERE trade_date > date(received_at, '+1 day');
${neverUpdated('explanation_place', 'a place of an explanation')}${neverDeleted('explanation_place', 'a place of an explanation')}
`;
