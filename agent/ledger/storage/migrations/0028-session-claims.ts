/**
 * One claim per session, so that several people can look at one item, and a session at one item alone. A claim ends with its
 * session. Those that stand are of no session and run out within minutes anyway: they are dropped.
 */
export const sql = `
DROP TABLE review_claim;
CREATE TABLE review_claim (
  session        TEXT PRIMARY KEY REFERENCES session (token_hash) ON DELETE CASCADE,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  claimed_at     TEXT NOT NULL,
  expires_at     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_claim_of_explanation ON review_claim (explanation_id);
`;
