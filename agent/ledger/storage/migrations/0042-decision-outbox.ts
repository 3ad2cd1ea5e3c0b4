/** People's changes that the decision journal may not have yet; the newest row stays and holds the position. */
export const sql = `
CREATE TABLE decision_outbox (
  seq    INTEGER PRIMARY KEY CHECK (seq > 0),
  hash   TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
`;
