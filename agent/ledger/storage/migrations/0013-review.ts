/** What reviewers tell one another about an explanation. Notes are never changed; channels never see them. */
export const sql = `
CREATE TABLE review_note (
  id             INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL,
  text           TEXT NOT NULL
) STRICT;
CREATE INDEX review_note_of_explanation ON review_note (explanation_id, id);
CREATE TRIGGER review_note_is_never_updated BEFORE UPDATE ON review_note
BEGIN SELECT RAISE(ABORT, 'a note is never changed'); END;
CREATE TRIGGER review_note_is_never_deleted BEFORE DELETE ON review_note
BEGIN SELECT RAISE(ABORT, 'a note is never deleted'); END;
CREATE TRIGGER review_note_is_never_replaced BEFORE INSERT ON review_note
WHEN EXISTS (SELECT 1 FROM review_note WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a note is never replaced'); END;
`;
