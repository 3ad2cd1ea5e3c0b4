/**
 * Who of the members is whom at the provider of single sign-on (D21): a subject of an issuer, never a name, which
 * somebody else may be given later. And where a session is ended at the provider, as it was known at the login.
 */
export const sql = `
CREATE TABLE member_identity (
  issuer    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  member_id TEXT NOT NULL UNIQUE REFERENCES member (id),
  linked_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
ALTER TABLE session ADD COLUMN sign_out_url TEXT;
`;
