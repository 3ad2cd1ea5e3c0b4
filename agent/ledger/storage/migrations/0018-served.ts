/**
 * How often each explanation has been given to which channel. No key ties it to the explanation: a count that is
 * written a moment later must never be refused.
 */
export const sql = `
CREATE TABLE served_explanation (
  explanation_id TEXT NOT NULL,
  channel        TEXT NOT NULL,
  times          INTEGER NOT NULL CHECK (times > 0),
  first_at       TEXT NOT NULL,
  last_at        TEXT NOT NULL,
  PRIMARY KEY (explanation_id, channel)
) STRICT, WITHOUT ROWID;
`;
