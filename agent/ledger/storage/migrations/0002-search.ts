/**
 * The full-text index of the explanations, and what makes the journals enough to derive an explanation
 * from them again: a number of its own per row, which the index is keyed by and which nothing ever
 * renumbers, and the text that a move has put on show.
 *
 * `content_hash` goes: whether the same has come again is told from the fields themselves. So does the
 * second unique index: an `id` is the hash of the vendor's id.
 */
export const sql = `
CREATE TABLE explanation_numbered (
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
  source_events          TEXT NOT NULL,
  evidences              TEXT NOT NULL,
  CHECK (status NOT IN ('AUTO_PUBLISHED', 'PUBLISHED') OR published_summary IS NOT NULL)
) STRICT;
INSERT INTO explanation_numbered SELECT
  NULL, id, explanation_result_id, etf_instrument_id, etf_ticker, etf_name, market, trade_date, explanation_as_of,
  content_as_of, explanation_type, confidence_level, primary_thread_id, analysis_engine, observed_return, summary,
  explanation_run_id, release_bundle_version, cursor, received_at, status, status_since, published_summary,
  edited_summary, comment, policy_version, failed_checks, decided, version, source_events, evidences
  FROM explanation ORDER BY received_at, cursor;
DROP TABLE explanation;
ALTER TABLE explanation_numbered RENAME TO explanation;
CREATE INDEX explanation_by_time ON explanation (trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_by_status ON explanation (status, trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_waiting ON explanation (status, status_since, id);
CREATE INDEX explanation_received ON explanation (received_at);
CREATE INDEX explanation_provided ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, cursor DESC)
  WHERE published_summary IS NOT NULL;
CREATE TRIGGER invalidated_is_final BEFORE UPDATE OF status ON explanation
WHEN OLD.status = 'INVALIDATED' AND NEW.status <> 'INVALIDATED'
BEGIN SELECT RAISE(ABORT, 'a withdrawn explanation never comes back'); END;

-- What can be searched. A text that is shown as it came is indexed once.
CREATE VIEW explanation_text AS SELECT number, etf_ticker, etf_name, summary,
  CASE WHEN published_summary <> summary THEN published_summary END AS shown_text FROM explanation;
CREATE VIRTUAL TABLE explanation_search USING fts5(
  etf_ticker, etf_name, summary, shown_text,
  content='explanation_text', content_rowid='number', tokenize='trigram', columnsize=0);
INSERT INTO explanation_search (explanation_search) VALUES ('rebuild');
-- FTS5 writes its pending words out at every savepoint, and a trigger makes one: rows that come in are
-- therefore indexed together at the end of their transaction, and this says up to which number they are.
CREATE TABLE search_progress (id INTEGER PRIMARY KEY CHECK (id = 1), indexed_to INTEGER NOT NULL) STRICT;
INSERT INTO search_progress SELECT 1, coalesce(max(number), 0) FROM explanation;
CREATE TRIGGER explanation_is_searched_anew
AFTER UPDATE OF etf_ticker, etf_name, summary, published_summary ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
  AND (OLD.etf_ticker, OLD.etf_name, OLD.summary, OLD.published_summary)
  IS NOT (NEW.etf_ticker, NEW.etf_name, NEW.summary, NEW.published_summary)
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, etf_ticker, etf_name, summary, shown_text) VALUES ('delete', OLD.number,
    OLD.etf_ticker, OLD.etf_name, OLD.summary, CASE WHEN OLD.published_summary <> OLD.summary THEN OLD.published_summary END);
  INSERT INTO explanation_search (rowid, etf_ticker, etf_name, summary, shown_text) VALUES (NEW.number,
    NEW.etf_ticker, NEW.etf_name, NEW.summary, CASE WHEN NEW.published_summary <> NEW.summary THEN NEW.published_summary END);
END;
CREATE TRIGGER explanation_is_searched_no_more AFTER DELETE ON explanation
WHEN OLD.number <= (SELECT indexed_to FROM search_progress)
BEGIN
  INSERT INTO explanation_search (explanation_search, rowid, etf_ticker, etf_name, summary, shown_text) VALUES ('delete', OLD.number,
    OLD.etf_ticker, OLD.etf_name, OLD.summary, CASE WHEN OLD.published_summary <> OLD.summary THEN OLD.published_summary END);
END;

-- The text that a move has put on show, where that is not simply what came.
ALTER TABLE state_history ADD COLUMN shown_text TEXT;
DROP TRIGGER state_history_is_never_updated;
CREATE INDEX log_by_target ON console_action_log (target_id);
UPDATE state_history SET shown_text = (
  SELECT json_extract(log.detail, '$.published_summary') FROM console_action_log AS log
  WHERE log.target_type = 'explanation' AND log.target_id = state_history.explanation_id
    AND log.action = 'explanation.' || state_history.move AND log.at = state_history.at
  ORDER BY log.seq LIMIT 1)
  WHERE move IN ('approve', 'approve-edited', 'correct', 'text-changed');
DROP INDEX log_by_target;
CREATE TRIGGER state_history_is_never_updated BEFORE UPDATE ON state_history
BEGIN SELECT RAISE(ABORT, 'state history is never changed'); END;
`;
