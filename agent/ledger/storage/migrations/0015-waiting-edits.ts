/** An edited text that one person has approved waits here for a second one (four eyes). */
export const sql = `
CREATE TABLE waiting_edit (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  text           TEXT NOT NULL,
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
