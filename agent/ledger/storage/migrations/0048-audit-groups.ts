/** Roots over each 256 blocks of the audit log, so that a proof in a log of millions of rows reads some hundred (D167). */
import { journal } from './baseline/guards.ts';

export const sql = `
-- Group 0 covers the blocks 0 to 255, the rows 1 to 65,536. Written once all of them are kept.
CREATE TABLE audit_group (
  block_group INTEGER PRIMARY KEY,
  root        BLOB NOT NULL
) STRICT;
${journal('audit_group', 'a root over the audit log', 'block_group')}
`;
