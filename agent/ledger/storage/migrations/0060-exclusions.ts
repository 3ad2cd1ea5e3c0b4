/** Why a switch of the serving scope is off, and who has confirmed that it is meant to be (D227). */
export const sql = `
CREATE TABLE scope_exclusion (
  scope_type       TEXT NOT NULL,
  scope_key        TEXT NOT NULL,
  reason           TEXT,
  confirmed_reason TEXT,
  confirmed_by     TEXT,
  confirmed_at     TEXT,
  PRIMARY KEY (scope_type, scope_key),
  FOREIGN KEY (scope_type, scope_key) REFERENCES serving_scope (scope_type, scope_key) DEFERRABLE INITIALLY DEFERRED,
  CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL) AND (confirmed_by IS NULL) = (confirmed_reason IS NULL)),
  CHECK (reason IS NOT NULL OR confirmed_reason IS NOT NULL)
) STRICT, WITHOUT ROWID;
`;
