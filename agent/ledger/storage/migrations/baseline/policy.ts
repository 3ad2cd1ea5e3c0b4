/** The versions of the policy (D16), and the changes that wait for a second person. */
import { journal, neverDeleted, neverUpdated, withoutHoles } from './guards.ts';

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
