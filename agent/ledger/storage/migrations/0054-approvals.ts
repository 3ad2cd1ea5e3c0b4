/**
 * Approval numbers and the end of an approval (D211), on the move that let the text out and on the row that follows from
 * it, with the firm's setting and where its series go on.
 */
export const sql = `
ALTER TABLE state_history ADD COLUMN approval_number TEXT;
ALTER TABLE state_history ADD COLUMN valid_until TEXT;
ALTER TABLE explanation ADD COLUMN approval_number TEXT;
ALTER TABLE explanation ADD COLUMN valid_until TEXT;
CREATE UNIQUE INDEX state_history_approval ON state_history (approval_number) WHERE approval_number IS NOT NULL;
CREATE INDEX explanation_valid ON explanation (valid_until) WHERE valid_until IS NOT NULL;
CREATE TABLE approval_setting (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  pattern    TEXT,
  valid_days INTEGER CHECK (valid_days BETWEEN 1 AND 3650),
  -- A restore may have lost numbers then: none is given until a person has said where they go on.
  closed_at  TEXT,
  version    INTEGER NOT NULL CHECK (version > 0)
) STRICT;
INSERT INTO approval_setting (id, pattern, valid_days, closed_at, version) VALUES (1, NULL, NULL, NULL, 1);
-- The last number of each series, which only rises.
CREATE TABLE approval_series (
  series TEXT PRIMARY KEY,
  last   INTEGER NOT NULL CHECK (last >= 0)
) STRICT, WITHOUT ROWID;
`;
