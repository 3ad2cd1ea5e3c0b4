/**
 * Whose words a text is made of. A draft belongs to its author: one for each person and item, with everybody who has
 * written a part of it. An edit that waits and a text that was put on show name their authors too. What the row of an
 * explanation says follows from its history alone from here on; the version that a first approval makes is kept beside.
 */
const sinceLastMove = `
  said.target_id = explanation.id AND said.actor_role IS NOT 'SYSTEM' AND said.actor_id IS NOT NULL
  AND said.action IN ('review.draft', 'review.edit-voided', 'review.edit-waits')
  AND said.seq > coalesce((SELECT max(seq) FROM console_action_log AS moved WHERE moved.target_id = explanation.id
    AND moved.action GLOB 'explanation.*' AND moved.action NOT IN ('explanation.text-changed')), 0)`;
const writers = `(SELECT json_group_array(json_object('id', actor_id, 'name', actor)) FROM (
  SELECT DISTINCT actor_id, actor FROM console_action_log AS said WHERE ${sinceLastMove} ORDER BY actor_id))`;

export const sql = `
CREATE TABLE personal_draft (
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  -- Null where only a comment is kept, or nothing any more: the version never comes again.
  text           TEXT,
  comment        TEXT,
  at             TEXT NOT NULL,
  version        INTEGER NOT NULL CHECK (version > 0),
  authors        TEXT NOT NULL,
  PRIMARY KEY (explanation_id, author_id)
) STRICT, WITHOUT ROWID;
-- A draft that several people wrote at goes to the last one of them.
INSERT INTO personal_draft (explanation_id, author_id, author, text, comment, at, version, authors)
  SELECT explanation.id, last.actor_id, last.actor, review_draft.edited_summary, review_draft.comment, last.at, 1,
    ${writers}
  FROM review_draft JOIN explanation ON explanation.id = review_draft.explanation_id
    JOIN console_action_log AS last ON last.seq = (SELECT max(said.seq) FROM console_action_log AS said
      WHERE ${sinceLastMove})
  WHERE explanation.status = 'PENDING_REVIEW' AND last.action <> 'review.edit-waits'
    AND coalesce(review_draft.edited_summary, review_draft.comment) IS NOT NULL;

ALTER TABLE waiting_edit ADD COLUMN comment TEXT;
ALTER TABLE waiting_edit ADD COLUMN authors TEXT NOT NULL DEFAULT '[]';
UPDATE waiting_edit SET
  comment = (SELECT comment FROM explanation WHERE explanation.id = waiting_edit.explanation_id),
  authors = json_array(json_object('id', author_id, 'name', author));

ALTER TABLE state_history ADD COLUMN authors TEXT;
DROP TRIGGER state_history_is_never_updated;
UPDATE state_history SET authors = coalesce(
  (SELECT json_array(json_object('id', detail ->> '$.editedById', 'name', detail ->> '$.editedBy'))
    FROM console_action_log AS log
    WHERE log.target_id = state_history.explanation_id AND log.actor_role IS NOT 'SYSTEM'
      AND log.action = 'explanation.' || state_history.move AND log.at = state_history.at
      AND json_valid(log.detail) AND log.detail ->> '$.editedById' IS NOT NULL),
  json_array(json_object('id', actor_id, 'name', actor)))
WHERE move IN ('approve-edited', 'correct') AND actor_id IS NOT NULL;
CREATE TRIGGER state_history_is_never_updated BEFORE UPDATE ON state_history
BEGIN SELECT RAISE(ABORT, 'state history is never changed'); END;

CREATE TABLE version_beside_moves (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  version        INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;
INSERT INTO version_beside_moves SELECT explanation_id, version FROM review_draft;
UPDATE explanation SET
  edited_summary = (SELECT CASE WHEN move IN ('approve-edited', 'correct') THEN shown_text END FROM state_history
    WHERE explanation_id = explanation.id AND shown_text IS NOT NULL
      AND (move IN ('approve', 'approve-edited', 'correct') OR to_status = 'AUTO_PUBLISHED') ORDER BY id DESC LIMIT 1),
  comment = (SELECT reason FROM state_history
    WHERE explanation_id = explanation.id AND move IN ('approve', 'approve-edited') ORDER BY id DESC LIMIT 1)
WHERE id IN (SELECT explanation_id FROM review_draft);
DROP TABLE review_draft;
`;
