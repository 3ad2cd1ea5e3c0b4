/**
 * A share of what people decide is looked at by a second person who does not know the decision. What they said is
 * never changed; who has looked up the decision meanwhile stands in `blind_look`. No key ties `move_id` to the history:
 * where that is lost on the disk, the opinion must not make the ledger one that nothing can open.
 */
export const sql = `
ALTER TABLE policy_version ADD COLUMN blind_share INTEGER NOT NULL DEFAULT 0 CHECK (blind_share BETWEEN 0 AND 100);

CREATE TABLE blind_review (
  move_id        INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  first_id       TEXT NOT NULL,
  drawn_at       TEXT NOT NULL,
  policy_version INTEGER NOT NULL REFERENCES policy_version (version),
  share          INTEGER NOT NULL CHECK (share BETWEEN 1 AND 100),
  state          TEXT NOT NULL CHECK (state IN ('OPEN', 'AGREED', 'DIFFERED', 'OVERTAKEN')),
  outcome        TEXT CHECK (outcome IN ('approve', 'approve-edited', 'reject', 'block')),
  reason         TEXT,
  reviewer_id    TEXT,
  reviewer       TEXT,
  reviewed_at    TEXT,
  was_blind      INTEGER CHECK (was_blind IN (0, 1)),
  CHECK (first_id IS NOT reviewer_id),
  CHECK ((state IN ('AGREED', 'DIFFERED')) = (outcome IS NOT NULL AND reason IS NOT NULL AND reviewer_id IS NOT NULL
    AND reviewer IS NOT NULL AND reviewed_at IS NOT NULL AND was_blind IS NOT NULL))
) STRICT;
CREATE INDEX blind_review_by_state ON blind_review (state, drawn_at, move_id);
CREATE UNIQUE INDEX blind_review_open ON blind_review (explanation_id) WHERE state = 'OPEN';
CREATE TRIGGER blind_review_is_final BEFORE UPDATE ON blind_review
WHEN OLD.state <> 'OPEN'
BEGIN SELECT RAISE(ABORT, 'a second opinion is never changed'); END;
CREATE TRIGGER blind_review_is_never_deleted BEFORE DELETE ON blind_review
BEGIN SELECT RAISE(ABORT, 'a second opinion is never deleted'); END;
CREATE TRIGGER blind_review_is_never_replaced BEFORE INSERT ON blind_review
WHEN EXISTS (SELECT 1 FROM blind_review WHERE move_id = NEW.move_id)
BEGIN SELECT RAISE(ABORT, 'a second opinion is never replaced'); END;

CREATE TABLE blind_look (
  move_id   INTEGER NOT NULL REFERENCES blind_review (move_id),
  member_id TEXT NOT NULL,
  at        TEXT NOT NULL,
  PRIMARY KEY (move_id, member_id)
) STRICT, WITHOUT ROWID;
`;
