/**
 * Versions of the screening policy (D16): full snapshots, numbered from 1 without holes, never changed.
 *
 * Written out: it runs in every move of an explanation.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { PolicyChange, PolicyVersionItem } from '../../../shared/wire/console/console.ts';
import {
  disclaimerText,
  policySnapshotSchema,
  type PolicySnapshot,
  type PolicyVersion,
} from '../../screening/policy.ts';
import { recordAction, type Actor, actorName } from '../audit/audit.ts';
import { recordPolicy } from '../serving/record.ts';
import { remembered, sqlite, statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import { differences } from './changes.ts';
import { recordSameRegistrar } from '../accounts/same-registrar.ts';
import { SecondPersonNeededError } from './second-person.ts';

/** The active policy: the newest version. Undefined before the first publication (fail closed, D14). */
export function activePolicy(reader: LedgerReader): PolicyVersion | undefined {
  const version = activePolicyVersion(reader);
  return version === null ? undefined : policyVersion(reader, version);
}

/** One version by its number. */
export function policyVersion(reader: LedgerReader, version: number): PolicyVersion | undefined {
  const row = reader.first(
    sqlite.selectFrom('policy_version').select(['version', 'snapshot']).where('version', '=', version),
  );
  return row === undefined
    ? undefined
    : { version: row.version, snapshot: policySnapshotSchema.parse(JSON.parse(row.snapshot)) };
}

const newestVersion = statement<[], { version: number }>(
  'SELECT version FROM policy_version ORDER BY version DESC LIMIT 1',
);

/** The number of the active policy, by a cheap query. */
export function activePolicyVersion(reader: LedgerReader): number | null {
  return remembered(reader, 'policy version', () => reader.first(newestVersion())?.version ?? null);
}

/** The author of a proposal that another person publishes. */
interface Proposed {
  author: string;
  authorId: string;
}

/**
 * Publishes a snapshot as the next version. `changes` lists the differences from the one before. Removes all proposals,
 * because they were made on that one.
 */
export function publishPolicy(
  tx: LedgerTransaction,
  published: { snapshot: PolicySnapshot; changes: PolicyChange[]; actor: Actor; at: string; proposed?: Proposed },
): number {
  const version = (activePolicyVersion(tx) ?? 0) + 1;
  const snapshot = JSON.stringify(policySnapshotSchema.parse(published.snapshot));
  tx.run(sqlite.deleteFrom('policy_proposal'));
  tx.run(
    sqlite.insertInto('policy_version').values({
      version,
      snapshot,
      changes: JSON.stringify(published.changes),
      author: actorName(published.actor),
      created_at: published.at,
      sample_share: published.snapshot.criteria.sampleShare,
      blind_share: published.snapshot.criteria.blindShare,
    }),
  );
  const { holdSeconds: hold_seconds, expiresAt: expires_at } = published.snapshot.criteria;
  tx.run(sqlite.insertInto('policy_timing').values({ version, hold_seconds, expires_at }));
  recordPolicy(tx, published.at, {
    version,
    disclaimer: disclaimerText(published.snapshot),
    expiresAt: expires_at,
    by: actorName(published.actor),
  });
  recordAction(tx, {
    at: published.at,
    actor: published.actor,
    action: 'policy.publish',
    targetType: 'policy_version',
    targetId: String(version),
    detail: {
      changes: published.changes,
      // The log proves every word of a version by it, and the disclaimer that customers read (D168).
      snapshotSha256: hash('sha256', snapshot),
      ...(published.proposed === undefined
        ? {}
        : { proposedBy: published.proposed.author, proposedById: published.proposed.authorId }),
    },
  });
  if (published.proposed !== undefined) {
    const { actor, at, proposed } = published;
    const act = { action: 'policy', actor, at, targetType: 'policy_version', targetId: String(version) } as const;
    recordSameRegistrar(tx, act, { id: proposed.authorId, name: proposed.author });
  }
  return version;
}

/** The policy has moved on since the caller read it (412). */
export class PolicyMovedOnError extends Error {
  override name = 'PolicyMovedOnError';
  readonly version: number | null;
  constructor(version: number | null) {
    super(`The active policy is version ${version ?? 'none'} now.`);
    this.version = version;
  }
}

/**
 * Publishes the active policy after `change`. Without a difference no version is made and the active one stays.
 *
 * @returns the version in force afterwards
 * @throws PolicyMovedOnError, SecondPersonNeededError, and the errors of `change`
 */
export function changePolicy(
  tx: LedgerTransaction,
  request: {
    change: (active: PolicySnapshot | undefined) => PolicySnapshot;
    /** The texts beside the differences. */
    told?: PolicyChange[];
    actor: Actor;
    at: string;
    expectedVersion?: number;
    /** The author of the proposal that the actor publishes. */
    proposed?: Proposed;
  },
): PolicyVersion {
  const active = activePolicy(tx);
  const { expectedVersion, told = [], actor, at, proposed } = request;
  if (expectedVersion !== undefined && expectedVersion !== active?.version) {
    throw new PolicyMovedOnError(active?.version ?? null);
  }
  if (active?.snapshot.criteria.fourEyes === true && proposed === undefined) {
    throw new SecondPersonNeededError('The policy requires a second approval for its changes: propose this one.');
  }
  const snapshot = request.change(active?.snapshot);
  const found = differences(active?.snapshot, snapshot);
  if (active !== undefined && found.length === 0) return active;
  const published = { snapshot, changes: [...told, ...found], actor, at, ...(proposed && { proposed }) };
  return { version: publishPolicy(tx, published), snapshot };
}

/** Versions, newest first. */
export function listPolicyVersions(
  reader: LedgerReader,
  page: { page: number; size: number },
): { rows: PolicyVersionItem[]; total: number } {
  const active = activePolicyVersion(reader);
  const rows = reader.all(
    versions()
      .orderBy('version', 'desc')
      .limit(page.size)
      .offset((page.page - 1) * page.size),
  );
  // Numbered without holes: the newest number is the count.
  return { rows: rows.map((row) => toItem(row, active)), total: active ?? 0 };
}

/** The facts of one version beside its snapshot. */
export function findPolicyVersion(reader: LedgerReader, version: number): PolicyVersionItem | undefined {
  const row = reader.first(versions().where('version', '=', version));
  return row === undefined ? undefined : toItem(row, activePolicyVersion(reader));
}

function versions() {
  return sqlite.selectFrom('policy_version').select(['version', 'changes', 'author', sql<string>`created_at`.as('at')]);
}

function toItem(
  row: { version: number; changes: string; author: string; at: string },
  active: number | null,
): PolicyVersionItem {
  const changes = (JSON.parse(row.changes) as (PolicyChange | string)[]).map((change): PolicyChange =>
    typeof change === 'string' ? { kind: 'NOTE', text: change } : change,
  );
  return { version: row.version, author: row.author, createdAt: row.at, active: row.version === active, changes };
}
