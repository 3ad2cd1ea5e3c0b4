/**
 * When a text goes out, and for how long. What a person lets out may be held for some seconds (`held_until`), with what
 * the row said was provided until then beside it (`published_before`), to which it goes back where the hold ends before
 * its time; the history tells both. The policy's two times stand beside it, where every request of a channel reads them
 * without the snapshot.
 */
export const sql = `
ALTER TABLE explanation ADD COLUMN held_until TEXT;
ALTER TABLE explanation ADD COLUMN published_before TEXT;
CREATE INDEX explanation_held ON explanation (held_until) WHERE held_until IS NOT NULL;

ALTER TABLE state_history ADD COLUMN held_until TEXT;
ALTER TABLE state_history ADD COLUMN before_release INTEGER NOT NULL DEFAULT 0 CHECK (before_release IN (0, 1));

CREATE TABLE policy_timing (
  version      INTEGER PRIMARY KEY REFERENCES policy_version (version),
  hold_seconds INTEGER NOT NULL CHECK (hold_seconds BETWEEN 0 AND 60),
  expires_at   TEXT CHECK (expires_at GLOB '[0-2][0-9]:[0-5][0-9]')
) STRICT;
INSERT INTO policy_timing SELECT version, 0, NULL FROM policy_version;
CREATE TRIGGER policy_timing_is_never_updated BEFORE UPDATE ON policy_timing
BEGIN SELECT RAISE(ABORT, 'a policy version is never changed'); END;
CREATE TRIGGER policy_timing_is_never_deleted BEFORE DELETE ON policy_timing
BEGIN SELECT RAISE(ABORT, 'a policy version is never deleted'); END;
CREATE TRIGGER policy_timing_is_never_replaced BEFORE INSERT ON policy_timing
WHEN EXISTS (SELECT 1 FROM policy_timing WHERE version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'a policy version is never replaced'); END;
`;
