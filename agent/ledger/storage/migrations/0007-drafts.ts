/** What a reviewer last wrote about an item, beside its row as well, so that the row can be made again with it. */
export const sql = `
CREATE TABLE review_draft (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  after_move     INTEGER NOT NULL,
  edited_summary TEXT,
  comment        TEXT,
  version        INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;
-- Taken as written after the last move: whatever was written before it, this is what the row says now.
INSERT INTO review_draft (explanation_id, after_move, edited_summary, comment, version)
  SELECT explanation.id, max(state_history.id), edited_summary, comment, version
  FROM explanation JOIN state_history ON state_history.explanation_id = explanation.id
  WHERE edited_summary IS NOT NULL OR comment IS NOT NULL OR decided = 1
  GROUP BY explanation.id;
`;
