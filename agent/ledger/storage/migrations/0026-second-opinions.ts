/** Second opinions that reviewers ask one another for: the question, and how it ended. At most one is open for an item. */
export const sql = `
CREATE TABLE second_opinion (
  id             INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  -- The last move before it: it is about the item as it stood then.
  after_move     INTEGER NOT NULL,
  asked_by_id    TEXT NOT NULL,
  asked_by       TEXT NOT NULL,
  asked_at       TEXT NOT NULL,
  question       TEXT NOT NULL,
  outcome        TEXT NOT NULL CHECK (outcome IN ('OPEN', 'GIVEN', 'WITHDRAWN', 'OVERTAKEN')),
  ended_by_id    TEXT,
  ended_by       TEXT,
  ended_at       TEXT,
  opinion        TEXT CHECK (opinion IN ('APPROVE', 'APPROVE_EDITED', 'REJECT', 'BLOCK')),
  answer         TEXT,
  CHECK ((outcome = 'OPEN') = (ended_at IS NULL)),
  CHECK ((outcome = 'GIVEN') = (opinion IS NOT NULL) AND (opinion IS NULL) = (answer IS NULL))
) STRICT;
CREATE INDEX second_opinion_of_explanation ON second_opinion (explanation_id, id);
CREATE UNIQUE INDEX second_opinion_open ON second_opinion (explanation_id) WHERE outcome = 'OPEN';
CREATE TRIGGER second_opinion_is_never_deleted BEFORE DELETE ON second_opinion
BEGIN SELECT RAISE(ABORT, 'a second opinion is never deleted'); END;
CREATE TRIGGER second_opinion_is_never_replaced BEFORE INSERT ON second_opinion
WHEN EXISTS (SELECT 1 FROM second_opinion WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a second opinion is never replaced'); END;
CREATE TRIGGER second_opinion_ends_once BEFORE UPDATE ON second_opinion
WHEN OLD.outcome <> 'OPEN' OR NEW.outcome = 'OPEN' OR NEW.question <> OLD.question OR NEW.asked_by_id <> OLD.asked_by_id
BEGIN SELECT RAISE(ABORT, 'a second opinion ends once, and its question is never changed'); END;
`;
