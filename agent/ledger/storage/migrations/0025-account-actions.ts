/**
 * What the program did to an account (a member who came by single sign-on, the role that the provider's claim gave) is
 * listed beside what people did: it is a grant of a role (console API 5).
 */
export const sql = `
DROP INDEX console_action_of_people;
DROP INDEX console_action_of_people_by_action;
DROP INDEX console_action_of_people_by_actor;
DROP INDEX console_action_of_people_by_target;
CREATE INDEX console_action_of_people ON console_action_log (seq)
  WHERE actor_role IS NOT 'SYSTEM' OR target_type = 'member';
CREATE INDEX console_action_of_people_by_action ON console_action_log (action, seq)
  WHERE actor_role IS NOT 'SYSTEM' OR target_type = 'member';
CREATE INDEX console_action_of_people_by_actor ON console_action_log (actor_id, seq)
  WHERE actor_role IS NOT 'SYSTEM' OR target_type = 'member';
CREATE INDEX console_action_of_people_by_target ON console_action_log (target_id, seq)
  WHERE actor_role IS NOT 'SYSTEM' OR target_type = 'member';
`;
