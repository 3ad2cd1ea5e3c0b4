/** Roots over each 256 rows of the audit log, so that a proof about one row need not read every other (D167). */
import { journal } from './baseline/guards.ts';

export const sql = `
-- Block 0 covers the rows 1 to 256. Written once all of them exist, by the console API.
CREATE TABLE audit_block (
  block INTEGER PRIMARY KEY,
  root  BLOB NOT NULL
) STRICT;
${journal('audit_block', 'a root over the audit log', 'block')}
`;
