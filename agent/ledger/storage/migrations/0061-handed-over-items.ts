/** A reviewer hands a waiting item over to another one (D236). */
export const sql = `
CREATE TABLE handed_over_item (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  given_by_id    TEXT NOT NULL REFERENCES member (id),
  given_by       TEXT NOT NULL,
  given_to_id    TEXT REFERENCES member (id),
  given_to       TEXT,
  given_at       TEXT NOT NULL,
  CHECK ((given_to_id IS NULL) = (given_to IS NULL)),
  CHECK (given_to_id IS NOT given_by_id)
) STRICT, WITHOUT ROWID;
`;
