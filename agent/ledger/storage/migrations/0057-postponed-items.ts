/** A reviewer puts an item off for a while, for themselves alone (D222). */
export const sql = `
CREATE TABLE postponed_item (
  member_id      TEXT NOT NULL REFERENCES member (id),
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  until          TEXT NOT NULL,
  PRIMARY KEY (member_id, explanation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX postponed_item_of_explanation ON postponed_item (explanation_id);
`;
