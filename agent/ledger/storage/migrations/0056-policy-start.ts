/** A version of the policy may name a start, and is in force once that has been recorded (D212). */
import { neverDeleted, neverReplaced } from './baseline/guards.ts';

const OF_POLICIES = "'policy.publish', 'policy.start', 'policy.cancel'";

export const sql = `
-- Versions without a row are in force from their publication.
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

DROP INDEX console_action_of_serving;
CREATE INDEX console_action_of_serving ON console_action_log (target_id, seq)
  WHERE action IN (${OF_POLICIES}, 'ledger.rebuild');
DROP INDEX console_action_of_policies;
CREATE INDEX console_action_of_policies ON console_action_log (seq) WHERE action IN (${OF_POLICIES}, 'audit.begin');
`;
