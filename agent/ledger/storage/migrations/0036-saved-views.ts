/** Views of lists that people keep, which lay in their browsers before. */
export const sql = `
CREATE TABLE saved_view (
  id        TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES member (id),
  screen    TEXT NOT NULL CHECK (screen IN ('explanations', 'review')),
  name      TEXT NOT NULL CHECK (name <> ''),
  search    TEXT NOT NULL,
  saved_at  TEXT NOT NULL,
  UNIQUE (member_id, screen, name)
) STRICT, WITHOUT ROWID;
`;
