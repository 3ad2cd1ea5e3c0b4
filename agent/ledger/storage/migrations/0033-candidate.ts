/**
 * Which snapshot of a ticker is the candidate (D60). An earlier one that a person approves while no later one is on show
 * takes the place of the latest (`lifted_to`), and of those in one place the one that was lifted last (`lift`) counts.
 * The history tells both.
 */
export const sql = `
ALTER TABLE explanation ADD COLUMN lifted_to TEXT;
ALTER TABLE explanation ADD COLUMN lift INTEGER NOT NULL DEFAULT 0;
ALTER TABLE state_history ADD COLUMN lifted_to TEXT;
ALTER TABLE state_history ADD COLUMN lift INTEGER;
DROP INDEX explanation_provided;
CREATE INDEX explanation_provided ON explanation (etf_ticker,
  max(trade_date || 'T' || explanation_as_of, coalesce(lifted_to, '')) DESC, lift DESC, cursor DESC)
  WHERE published_summary IS NOT NULL;
`;
