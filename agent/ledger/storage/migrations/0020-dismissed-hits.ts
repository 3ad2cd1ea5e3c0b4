/** Hits that a reviewer has found to be none, with the reason: the tuning of the policy goes by them. */
export const sql = `
CREATE TABLE dismissed_hit (
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  word_id        TEXT NOT NULL,
  reason         TEXT NOT NULL,
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL,
  PRIMARY KEY (explanation_id, word_id)
) STRICT, WITHOUT ROWID;
`;
