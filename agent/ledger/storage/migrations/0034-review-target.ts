/** How long an item may wait for its review, in minutes of working time; null: no target. One row. */
export const sql = `
CREATE TABLE review_target (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  minutes INTEGER CHECK (minutes BETWEEN 1 AND 10080),
  version INTEGER NOT NULL CHECK (version > 0)
) STRICT;
INSERT INTO review_target (id, minutes, version) VALUES (1, NULL, 1);
`;
