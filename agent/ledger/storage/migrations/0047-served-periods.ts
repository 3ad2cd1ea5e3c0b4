/**
 * Counts of given texts apart by Korean day and by the state on record that the answers followed from (D181), so that
 * the requests of each span of what was shown are known exactly.
 */
export const sql = `
-- No key ties it to the explanation: a count that is written a moment later must never be refused.
CREATE TABLE served_period (
  explanation_id TEXT NOT NULL,
  channel        TEXT NOT NULL,
  -- Days since 1970 in Korea.
  day            INTEGER NOT NULL,
  -- The latest rows of state_history and serving_fact about it; 0 in the one count that an earlier program kept.
  after_move     INTEGER NOT NULL,
  after_fact     INTEGER NOT NULL,
  times          INTEGER NOT NULL CHECK (times > 0),
  first_at       TEXT NOT NULL,
  last_at        TEXT NOT NULL,
  PRIMARY KEY (explanation_id, channel, day, after_move, after_fact)
) STRICT, WITHOUT ROWID;
INSERT INTO served_period
  SELECT explanation_id, channel, (unixepoch(first_at) + 9 * 3600) / 86400, 0, 0, times, first_at, last_at
  FROM served_explanation;
DROP TABLE served_explanation;
`;
