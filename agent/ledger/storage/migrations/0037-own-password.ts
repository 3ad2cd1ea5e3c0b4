/** Whether somebody else has set a member's password: then the member sets another one before anything else. */
export const sql = `
ALTER TABLE member ADD COLUMN temporary_password INTEGER NOT NULL DEFAULT 0 CHECK (temporary_password IN (0, 1));
`;
