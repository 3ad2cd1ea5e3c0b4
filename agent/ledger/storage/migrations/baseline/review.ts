/** The work of reviewers at an explanation, and that of the second person who looks at it. */
import { journal, neverDeleted, neverReplaced } from './guards.ts';

export const review = `
-- A session works at one item at a time; several people may work at the same item.
CREATE TABLE review_claim (
  session        TEXT PRIMARY KEY REFERENCES session (token_hash) ON DELETE CASCADE,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  claimed_at     TEXT NOT NULL,
  expires_at     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_claim_of_explanation ON review_claim (explanation_id);

-- A draft belongs to its author; authors names everybody who wrote a part of it.
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

-- Notes stay among reviewers; no channel gets them.
CREATE TABLE review_note (
  id             INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL,
  text           TEXT NOT NULL
) STRICT;
CREATE INDEX review_note_of_explanation ON review_note (explanation_id, id);${journal('review_note', 'a note')}

-- Hits that a reviewer judged to be none: the tuning of the policy goes by their reasons.
CREATE TABLE dismissed_hit (
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  word_id        TEXT NOT NULL,
  reason         TEXT NOT NULL,
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL,
  PRIMARY KEY (explanation_id, word_id)
) STRICT, WITHOUT ROWID;

-- Minutes of working time that an item may wait; null: no target.
CREATE TABLE review_target (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  minutes INTEGER CHECK (minutes BETWEEN 1 AND 10080),
  version INTEGER NOT NULL CHECK (version > 0)
) STRICT;
INSERT INTO review_target (id, minutes, version) VALUES (1, NULL, 1);

-- An edit that one person approved and a second person has still to approve (four eyes).
CREATE TABLE waiting_edit (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  text           TEXT NOT NULL,
  author_id      TEXT NOT NULL,
  author         TEXT NOT NULL,
  at             TEXT NOT NULL,
  comment        TEXT,
  authors        TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

CREATE TABLE second_opinion (
  id             INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  -- The last move before it: the question is about the item as it stood then.
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
CREATE UNIQUE INDEX second_opinion_open ON second_opinion (explanation_id) WHERE outcome = 'OPEN';${neverDeleted('second_opinion', 'a second opinion')}${neverReplaced('second_opinion', 'a second opinion')}
CREATE TRIGGER second_opinion_ends_once BEFORE UPDATE ON second_opinion
WHEN OLD.outcome <> 'OPEN' OR NEW.outcome = 'OPEN' OR NEW.question <> OLD.question OR NEW.asked_by_id <> OLD.asked_by_id
BEGIN SELECT RAISE(ABORT, 'a second opinion ends once, and its question is never changed'); END;

-- A share of the decisions, judged by a second person who does not know them. No key ties move_id to the history: a
-- history that lost a row on the disk must not make a ledger that no process can open.
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
BEGIN SELECT RAISE(ABORT, 'a second opinion is never changed'); END;${neverDeleted('blind_review', 'a second opinion')}${neverReplaced('blind_review', 'a second opinion', 'move_id')}
-- The people who looked the decision up while it was to be judged blindly.
CREATE TABLE blind_look (
  move_id   INTEGER NOT NULL REFERENCES blind_review (move_id),
  member_id TEXT NOT NULL,
  at        TEXT NOT NULL,
  PRIMARY KEY (move_id, member_id)
) STRICT, WITHOUT ROWID;

-- A share of the texts that were provided without a review, and of the program's blocks, looked at afterwards (D209).
CREATE TABLE review_sample (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  sampled_at     TEXT NOT NULL,
  policy_version INTEGER NOT NULL REFERENCES policy_version (version),
  share          INTEGER NOT NULL CHECK (share BETWEEN 1 AND 100),
  outcome        TEXT NOT NULL CHECK (outcome IN ('OPEN', 'FINE', 'MISSED', 'ACTED')),
  seen_by_id     TEXT,
  seen_by        TEXT,
  seen_at        TEXT,
  kind           TEXT NOT NULL DEFAULT 'PROVIDED' CHECK (kind IN ('PROVIDED', 'BLOCKED')),
  CHECK ((outcome = 'OPEN') = (seen_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX review_sample_by_outcome ON review_sample (outcome, sampled_at, explanation_id, kind);

-- A reviewer puts an item off for a while, for themselves alone (D222).
CREATE TABLE postponed_item (
  member_id      TEXT NOT NULL REFERENCES member (id),
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  until          TEXT NOT NULL,
  PRIMARY KEY (member_id, explanation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX postponed_item_of_explanation ON postponed_item (explanation_id);

-- A reviewer hands a waiting item over to another one (D236).
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
