/** Requests of an inspector (D174): who asked for which explanations, and what became of the file. */
export const inspection = `
CREATE TABLE inspection_request (
  id          TEXT PRIMARY KEY,
  form        TEXT NOT NULL CHECK (form IN ('LIST', 'ARCHIVE')),
  language    TEXT NOT NULL CHECK (language IN ('ko', 'en')),
  query       TEXT NOT NULL CHECK (json_valid(query)),
  total       INTEGER NOT NULL CHECK (total > 0),
  outcomes    TEXT NOT NULL CHECK (json_valid(outcomes)),
  asked_by_id TEXT NOT NULL,
  asked_by    TEXT NOT NULL,
  asked_at    TEXT NOT NULL,
  -- Who continued it last, in whose name the file is made.
  for_id      TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('OPEN', 'STOPPED', 'READY', 'CANCELLED', 'DELETED')),
  stop        TEXT CHECK (stop IN ('DISK_FULL', 'RESTORED', 'RIGHTS', 'FILES_GONE', 'RECORD', 'FAILED')),
  message     TEXT,
  ended_at    TEXT,
  bytes       INTEGER,
  sha256      TEXT,
  kept_until  TEXT,
  CHECK ((state = 'STOPPED') = (stop IS NOT NULL)),
  CHECK (state <> 'READY' OR (bytes IS NOT NULL AND sha256 IS NOT NULL AND kept_until IS NOT NULL))
) STRICT;
CREATE INDEX inspection_request_by_time ON inspection_request (asked_at, id);
CREATE INDEX inspection_request_open ON inspection_request (asked_at, id) WHERE state = 'OPEN';
CREATE TRIGGER inspection_request_is_never_deleted BEFORE DELETE ON inspection_request
BEGIN SELECT RAISE(ABORT, 'a request of an inspector is never deleted'); END;
`;
