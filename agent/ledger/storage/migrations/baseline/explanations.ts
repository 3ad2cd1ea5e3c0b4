/** The explanations, their screenings, their approvals and the journal of their transitions. */
import { journal, neverDeleted, neverUpdated } from './guards.ts';

const CHECKS = [
  'FORBIDDEN_WORDS',
  'SOURCE_COUNT',
  'CONFIDENCE',
  'EXPLANATION_TYPE',
  'SERVING_SCOPE',
  'REQUIRED_NOTICE',
  'OBSERVED_RETURN',
];

/** Most explanations are held back by no check, so each of these indexes stays small. */
const heldBack = (check: string): string => {
  const name = `explanation_${check.toLowerCase()}`;
  const condition = `WHERE instr(failed_checks, '"${check}"') > 0`;
  return `
CREATE INDEX ${name}_waiting ON explanation (status, status_since, id) ${condition};
CREATE INDEX ${name}_by_status ON explanation (status, trade_date DESC, explanation_as_of DESC, id) ${condition};
CREATE INDEX ${name}_by_ticker ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, id, status) ${condition};`;
};

export const explanations = `
CREATE TABLE instrument (
  etf_ticker        TEXT PRIMARY KEY,
  etf_instrument_id TEXT NOT NULL,
  etf_name          TEXT NOT NULL,
  market            TEXT,
  sector            TEXT,
  -- People change the sector, so it has a version (D13).
  version           INTEGER NOT NULL DEFAULT 1 CHECK (version > 0)
) STRICT;

CREATE TABLE explanation (
  -- The key of the search index; no maintenance renumbers a row.
  number                 INTEGER PRIMARY KEY,
  id                     TEXT NOT NULL UNIQUE,
  explanation_result_id  TEXT NOT NULL,
  etf_instrument_id      TEXT NOT NULL,
  etf_ticker             TEXT NOT NULL,
  etf_name               TEXT NOT NULL,
  market                 TEXT,
  trade_date             TEXT NOT NULL,
  explanation_as_of      TEXT NOT NULL,
  content_as_of          TEXT,
  explanation_type       TEXT,
  confidence_level       TEXT CHECK (confidence_level IN ('HIGH', 'MEDIUM', 'LOW')),
  primary_thread_id      TEXT NOT NULL,
  analysis_engine        TEXT NOT NULL,
  observed_return        REAL,
  summary                TEXT NOT NULL,
  explanation_run_id     TEXT NOT NULL,
  release_bundle_version TEXT,
  cursor                 INTEGER NOT NULL,
  received_at            TEXT NOT NULL,
  status                 TEXT NOT NULL CHECK (status IN
    ('AUTO_PUBLISHED', 'PENDING_REVIEW', 'PUBLISHED', 'REJECTED', 'BLOCKED', 'STOPPED', 'INVALIDATED')),
  status_since           TEXT NOT NULL,
  published_summary      TEXT,
  edited_summary         TEXT,
  comment                TEXT,
  policy_version         INTEGER,
  failed_checks          TEXT NOT NULL DEFAULT '[]',
  decided                INTEGER NOT NULL DEFAULT 0 CHECK (decided IN (0, 1)),
  version                INTEGER NOT NULL CHECK (version > 0),
  -- An approved text may be held for some seconds; an undo puts published_before back.
  held_until             TEXT,
  published_before       TEXT,
  -- Where it was received or a person approved it, and where it was last taken off, in the order of the cursors (D202).
  stated_position        TEXT NOT NULL,
  ended_position         TEXT,
  -- The approval that let the text out, and its end (D211).
  approval_number        TEXT,
  valid_until            TEXT,
  -- The two long texts come last: SQLite reads the columns before them without their overflow pages.
  source_events          TEXT NOT NULL,
  evidences              TEXT NOT NULL,
  CHECK (status NOT IN ('AUTO_PUBLISHED', 'PUBLISHED') OR published_summary IS NOT NULL)
) STRICT;
CREATE TRIGGER invalidated_is_final BEFORE UPDATE OF status ON explanation
WHEN OLD.status = 'INVALIDATED' AND NEW.status <> 'INVALIDATED'
BEGIN SELECT RAISE(ABORT, 'a withdrawn explanation never comes back'); END;${neverDeleted('explanation', 'an explanation')}

-- The lists of the console: a page costs no more in a larger ledger.
CREATE INDEX explanation_by_time ON explanation (trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_by_status ON explanation (status, trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_by_ticker ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_waiting ON explanation (status, status_since, id);
CREATE INDEX explanation_by_waiting ON explanation (status_since, id, status);
CREATE INDEX explanation_received ON explanation (received_at);${CHECKS.map(heldBack).join('')}
CREATE INDEX explanation_held ON explanation (held_until) WHERE held_until IS NOT NULL;
-- The candidate of a ticker (D60), as every request of a channel looks for it.
CREATE INDEX explanation_provided ON explanation
  (etf_ticker, trade_date DESC, explanation_as_of DESC, cursor DESC, stated_position)
  WHERE published_summary IS NOT NULL;
-- Explanations that came before the day before their trade date: nearly none.
CREATE INDEX explanation_ahead ON explanation (etf_ticker, trade_date) WHERE trade_date > date(received_at, '+1 day');
CREATE INDEX explanation_valid ON explanation (valid_until) WHERE valid_until IS NOT NULL;

-- Which explanations of a ticker there must be, so that a row that was removed past the guards makes no answer about what
-- was shown (D156): the trade date that one came with, and 'any' too where it came more than a day before that. A later
-- change of the vendor's fields is in serving_fact. The rows of a transaction come together at its end, as those of the
-- search index do.
CREATE TABLE explanation_place (
  etf_ticker     TEXT NOT NULL,
  day            TEXT NOT NULL,
  explanation_id TEXT NOT NULL,
  PRIMARY KEY (etf_ticker, day, explanation_id)
) STRICT, WITHOUT ROWID;${neverUpdated('explanation_place', 'a place of an explanation')}${neverDeleted('explanation_place', 'a place of an explanation')}

CREATE TABLE screening (
  id              INTEGER PRIMARY KEY,
  explanation_id  TEXT NOT NULL REFERENCES explanation (id),
  at              TEXT NOT NULL,
  outcome         TEXT NOT NULL,
  policy_version  INTEGER,
  matcher_version TEXT NOT NULL,
  checks          TEXT NOT NULL
) STRICT;
CREATE INDEX screening_of_explanation ON screening (explanation_id, id);${journal('screening', 'a screening')}

-- Each word that a screening found, so that matches are counted without reading every screening.
CREATE TABLE word_hit (
  word_id        TEXT NOT NULL,
  received_at    TEXT NOT NULL,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  PRIMARY KEY (word_id, received_at, explanation_id)
) STRICT, WITHOUT ROWID;

-- The row of an explanation follows from this journal alone (D36).
CREATE TABLE state_history (
  id                INTEGER PRIMARY KEY,
  explanation_id    TEXT NOT NULL REFERENCES explanation (id),
  move              TEXT NOT NULL,
  from_status       TEXT,
  to_status         TEXT NOT NULL,
  actor_id          TEXT,
  actor             TEXT NOT NULL,
  at                TEXT NOT NULL,
  reason            TEXT,
  policy_version    INTEGER,
  -- The text that the move gave to channels, and everybody who wrote it.
  published_summary TEXT,
  authors           TEXT,
  -- The received text that the screening judged.
  text_sha256       BLOB CHECK (length(text_sha256) = 32),
  screening_id      INTEGER,
  held_until        TEXT,
  -- The move ended a hold: no channel was ever given the text that was held.
  during_hold       INTEGER NOT NULL DEFAULT 0 CHECK (during_hold IN (0, 1)),
  -- The cursor of its entry; of a person's act the committed cursor, and a number among the acts there (D202).
  position          TEXT NOT NULL,
  -- Of the move that let the text out (D211).
  approval_number   TEXT,
  valid_until       TEXT
) STRICT;
CREATE INDEX state_history_of_explanation ON state_history (explanation_id, id);
-- The statistics of the review count in a span of days.
CREATE INDEX state_history_decided ON state_history (at)
  WHERE move IN ('approve', 'approve-edited', 'reject', 'block');
CREATE INDEX state_history_provided ON state_history (at, policy_version)
  WHERE to_status = 'AUTO_PUBLISHED' AND move IN ('receive', 'text-changed');
CREATE INDEX state_history_blocked ON state_history (at, policy_version)
  WHERE to_status = 'BLOCKED' AND move IN ('receive', 'text-changed') AND screening_id IS NOT NULL;
CREATE UNIQUE INDEX state_history_approval ON state_history (approval_number) WHERE approval_number IS NOT NULL;${journal('state_history', 'state history')}
-- The version of an explanation that changed without a transition.
CREATE TABLE version_beside_moves (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  version        INTEGER NOT NULL CHECK (version > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE approval_setting (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  pattern    TEXT,
  valid_days INTEGER CHECK (valid_days BETWEEN 1 AND 3650),
  -- A restore may have lost numbers then: none is given until a person has said where they go on.
  closed_at  TEXT,
  version    INTEGER NOT NULL CHECK (version > 0)
) STRICT;
INSERT INTO approval_setting (id, version) VALUES (1, 1);
-- The last number of each series, which only rises.
CREATE TABLE approval_series (
  series TEXT PRIMARY KEY,
  last   INTEGER NOT NULL CHECK (last >= 0)
) STRICT, WITHOUT ROWID;
`;
