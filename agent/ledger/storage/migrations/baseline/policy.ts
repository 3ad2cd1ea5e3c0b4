/** The versions of the policy (D16), and the changes that wait for a second person. */
import { journal, neverDeleted, neverReplaced, neverUpdated, withoutHoles } from './guards.ts';

export const policy = `
CREATE TABLE policy_version (
  version      INTEGER PRIMARY KEY CHECK (version > 0),
  snapshot     TEXT NOT NULL,
  changes      TEXT NOT NULL,
  author       TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  -- The snapshot's two shares, to be read without it.
  sample_share INTEGER NOT NULL DEFAULT 0 CHECK (sample_share BETWEEN 0 AND 100),
  blind_share  INTEGER NOT NULL DEFAULT 0 CHECK (blind_share BETWEEN 0 AND 100)
) STRICT;${neverUpdated('policy_version', 'a policy version')}${neverDeleted('policy_version', 'a policy version')}${withoutHoles('policy_version', 'version', 'policy versions are')}

-- The snapshot's two times: every request of a channel reads them.
CREATE TABLE policy_timing (
  version      INTEGER PRIMARY KEY REFERENCES policy_version (version),
  hold_seconds INTEGER NOT NULL CHECK (hold_seconds BETWEEN 0 AND 60),
  expires_at   TEXT CHECK (expires_at GLOB '[0-2][0-9]:[0-5][0-9]')
) STRICT;${journal('policy_timing', 'a policy version', 'version')}

-- A version may name a start, and is in force once that has been recorded (D212). Versions without a row are in force
-- from their publication.
CREATE TABLE policy_start (
  version      INTEGER PRIMARY KEY REFERENCES policy_version (version),
  starts_at    TEXT NOT NULL,
  -- Who wrote the version: another person may cancel it.
  author_id    TEXT NOT NULL,
  -- When it took effect.
  started_at   TEXT,
  cancelled_at TEXT,
  cancelled_by TEXT,
  reason       TEXT,
  CHECK (started_at IS NULL OR cancelled_at IS NULL),
  CHECK ((cancelled_at IS NULL) = (cancelled_by IS NULL) AND (cancelled_at IS NULL) = (reason IS NULL))
) STRICT;${neverDeleted('policy_start', 'the start of a policy version')}${neverReplaced('policy_start', 'the start of a policy version', 'version')}
CREATE TRIGGER policy_start_is_decided_once BEFORE UPDATE ON policy_start
WHEN OLD.started_at IS NOT NULL OR OLD.cancelled_at IS NOT NULL
  OR (OLD.version, OLD.starts_at, OLD.author_id) IS NOT (NEW.version, NEW.starts_at, NEW.author_id)
BEGIN SELECT RAISE(ABORT, 'the start of a policy version is decided once'); END;
-- The one meaning of "in force": the newest version whose start is no future, missed or cancelled one.
CREATE VIEW policy_in_force AS
  SELECT version FROM policy_version
  WHERE NOT EXISTS (SELECT 1 FROM policy_start
    WHERE policy_start.version = policy_version.version AND policy_start.started_at IS NULL)
  ORDER BY version DESC LIMIT 1;

CREATE TABLE policy_proposal (
  id           TEXT PRIMARY KEY,
  base_version INTEGER NOT NULL REFERENCES policy_version (version),
  draft        TEXT NOT NULL,
  snapshot     TEXT NOT NULL,
  changes      TEXT NOT NULL,
  author_id    TEXT NOT NULL,
  author       TEXT NOT NULL,
  at           TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER policy_proposal_is_never_updated BEFORE UPDATE ON policy_proposal
BEGIN SELECT RAISE(ABORT, 'a proposal is never changed: an approval is for what it says'); END;
`;
