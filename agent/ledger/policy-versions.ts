/** Versions of the screening policy (D16): full snapshots, numbered from 1 without holes, never changed. */
import { policySnapshotSchema, type PolicySnapshot } from '../screening/policy.ts';
import { recordAction, type Actor, actorName } from './audit.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';

export interface PolicyVersion {
  version: number;
  snapshot: PolicySnapshot;
}

/** The active policy: the newest version. Undefined in a ledger where none was published yet (fail closed, D14). */
export function activePolicy(reader: LedgerReader): PolicyVersion | undefined {
  const row = reader.first(
    sqlite.selectFrom('policy_version').select(['version', 'snapshot']).orderBy('version', 'desc').limit(1),
  );
  return row === undefined
    ? undefined
    : { version: row.version, snapshot: policySnapshotSchema.parse(JSON.parse(row.snapshot)) };
}

const newestVersion = statement<[], { version: number }>(
  'SELECT version FROM policy_version ORDER BY version DESC LIMIT 1',
);

/** The number of the active policy, cheaply. */
export function activePolicyVersion(reader: LedgerReader): number | null {
  return reader.first(newestVersion())?.version ?? null;
}

/** Publishes a snapshot as the next version. `changes` says in words what differs from the one before. */
export function publishPolicy(
  tx: LedgerTransaction,
  published: { snapshot: PolicySnapshot; changes: string[]; actor: Actor; at: string },
): number {
  const version = (activePolicyVersion(tx) ?? 0) + 1;
  tx.run(
    sqlite.insertInto('policy_version').values({
      version,
      snapshot: JSON.stringify(policySnapshotSchema.parse(published.snapshot)),
      changes: JSON.stringify(published.changes),
      author: actorName(published.actor),
      created_at: published.at,
    }),
  );
  recordAction(tx, {
    at: published.at,
    actor: published.actor,
    action: 'policy.publish',
    targetType: 'policy_version',
    targetId: String(version),
    detail: { changes: published.changes },
  });
  return version;
}
