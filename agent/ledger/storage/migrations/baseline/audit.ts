/**
 * The audit log: append-only, and each row holds the hash of the row before it (D19). The outbox beside it holds
 * records that the decision journal (D139) may not have yet.
 */
import { journal, neverDeleted, neverUpdated, withoutHoles } from './guards.ts';

/** The console's list: people's actions, and the program's actions on accounts (console API 5). */
const OF_PEOPLE = "WHERE actor_role IS NOT 'SYSTEM' OR target_type = 'member'";
const OF_POLICIES = "'policy.publish', 'policy.start', 'policy.cancel'";

export const audit = `
CREATE TABLE console_action_log (
  seq            INTEGER PRIMARY KEY,
  at             TEXT NOT NULL,
  actor_id       TEXT,
  actor          TEXT NOT NULL,
  actor_role     TEXT,
  action         TEXT NOT NULL,
  target_type    TEXT NOT NULL,
  target_id      TEXT,
  detail         TEXT NOT NULL,
  prev_hash      TEXT NOT NULL,
  hash           TEXT NOT NULL,
  source_address TEXT,
  -- What the row made or changed, by digests (D199).
  made           TEXT
) STRICT;${neverUpdated('console_action_log', 'the audit log')}${neverDeleted('console_action_log', 'the audit log')}${withoutHoles('console_action_log', 'seq', 'the audit log is')}
CREATE INDEX console_action_of_people ON console_action_log (seq) ${OF_PEOPLE};
CREATE INDEX console_action_of_people_by_action ON console_action_log (action, seq) ${OF_PEOPLE};
CREATE INDEX console_action_of_people_by_actor ON console_action_log (actor_id, seq) ${OF_PEOPLE};
CREATE INDEX console_action_of_people_by_target ON console_action_log (target_id, seq) ${OF_PEOPLE};
CREATE INDEX console_action_by_person ON console_action_log (actor, seq) WHERE actor_id IS NOT NULL;
-- A restore from a backup explains a checkpoint that the log does not reach.
CREATE INDEX console_action_restore ON console_action_log (seq) WHERE action = 'ledger.restore';
CREATE INDEX console_action_made ON console_action_log (seq) WHERE made IS NOT NULL;
-- The rows about a policy version or a ticker that a rebuild hides, by their target, whoever wrote them: what was shown
-- is held against them at each reading (D189).
CREATE INDEX console_action_of_serving ON console_action_log (target_id, seq)
  WHERE action IN (${OF_POLICIES}, 'ledger.rebuild');
-- What acts have made of accounts: an account is held against it at each login and write (D199).
CREATE INDEX console_action_of_accounts ON console_action_log (target_id, seq)
  WHERE target_type = 'member' AND instr(made, '"things":[[') > 0;
-- The Intake asks about the active policy at every batch.
CREATE INDEX console_action_of_policies ON console_action_log (seq) WHERE action IN (${OF_POLICIES}, 'audit.begin');

-- Roots over each 256 rows of the log, so that a proof about one row need not read every other (D167). Block 0 covers the
-- rows 1 to 256. Written once all of them exist, by the console API.
CREATE TABLE audit_block (
  block INTEGER PRIMARY KEY,
  root  BLOB NOT NULL
) STRICT;${journal('audit_block', 'a root over the audit log', 'block')}
-- And over each 256 blocks: group 0 covers the blocks 0 to 255. Written once all of them are kept.
CREATE TABLE audit_group (
  block_group INTEGER PRIMARY KEY,
  root        BLOB NOT NULL
) STRICT;${journal('audit_group', 'a root over the audit log', 'block_group')}

-- People's changes that the decision journal may not have yet; the newest row stays and holds the position.
CREATE TABLE decision_outbox (
  seq    INTEGER PRIMARY KEY CHECK (seq > 0),
  hash   TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
`;
