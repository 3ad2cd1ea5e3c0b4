/** The audit log is filtered by the names of the people in it, and lists these names. */
export const sql = `
CREATE INDEX console_action_by_person ON console_action_log (actor, seq) WHERE actor_id IS NOT NULL;
`;
