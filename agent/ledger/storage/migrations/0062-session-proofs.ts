/** Which host began a session (D199). Open sessions end: nothing says who began them. */
export const sql = `
DELETE FROM session;
ALTER TABLE session ADD COLUMN proof TEXT;
`;
