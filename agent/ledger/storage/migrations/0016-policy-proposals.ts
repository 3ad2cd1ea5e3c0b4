/** Changes of the policy that one person has proposed and a second one may publish (four eyes). */
export const sql = `
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
