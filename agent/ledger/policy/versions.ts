/** Versions of the screening policy (D16): full snapshots, numbered from 1 without holes, never changed. */
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
import { policyFaults } from '../audit/single-things.ts';
import { recordPolicy } from '../serving/record.ts';
import { remembered, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { differences, PolicyChangeError, refuseAltered } from './changes.ts';
import { recordSameRegistrar } from '../accounts/same-registrar.ts';
import { needsSecondPerson, SecondPersonNeededError } from './second-person.ts';
import type { PolicyStartTable } from '../storage/tables.ts';

/** The policy in force, by the view `policy_in_force` (D212). Undefined before the first publication (fail closed, D14). */
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

const inForce = prepared(() => sqlite.selectFrom('policy_in_force').select('version'));

/** The number of the policy in force, by a cheap query. */
export function activePolicyVersion(reader: LedgerReader): number | null {
  return remembered(reader, 'policy version', () => reader.first(inForce())?.version ?? null);
}

/** The version that waits for its start. */
export interface WaitingVersion {
  version: number;
  startsAt: string;
  /** The name of the person who published it. */
  author: string;
  /** The id of the person who wrote it. */
  authorId: string;
}

const waiting = prepared(
  () => sql<WaitingVersion>`SELECT version, starts_at AS startsAt, author, author_id AS authorId
  FROM policy_start JOIN policy_version USING (version)
  WHERE version = (SELECT max(version) FROM policy_version) AND started_at IS NULL AND cancelled_at IS NULL`,
);

/** At most one: a newer version replaces it (D212). */
export const waitingVersion = (reader: LedgerReader): WaitingVersion | undefined => reader.first(waiting());

/** The policy that the next change builds on: the one that waits, else the one in force. */
export function editedPolicy(reader: LedgerReader): PolicyVersion | undefined {
  const version = waitingVersion(reader)?.version ?? activePolicyVersion(reader);
  return version === null ? undefined : policyVersion(reader, version);
}

const newestVersion = prepared(() =>
  sqlite.selectFrom('policy_version').select(({ fn }) => fn.max<number | null>('version').as('version')),
);

/** The author of a proposal that another person publishes. */
interface Proposed {
  author: string;
  authorId: string;
}

interface Published {
  snapshot: PolicySnapshot;
  changes: PolicyChange[];
  actor: Actor;
  at: string;
  proposed?: Proposed;
  /** When it takes effect; absent: at once. */
  start?: { startsAt: string; authorId: string };
}

/**
 * Publishes a snapshot as the next version. `changes` lists the differences from the one in force. Removes all
 * proposals, because they were made on another one.
 */
export function publishPolicy(tx: LedgerTransaction, published: Published): number {
  const version = (tx.first(newestVersion())?.version ?? 0) + 1;
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
  const { start } = published;
  if (start === undefined)
    takeEffect(tx, published.at, { version, snapshot: published.snapshot }, actorName(published.actor));
  else
    tx.run(
      sqlite
        .insertInto('policy_start')
        .values({ version, starts_at: start.startsAt, author_id: start.authorId, ...UNDECIDED }),
    );
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
      ...(start === undefined ? {} : { startsAt: start.startsAt }),
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

const UNDECIDED = { started_at: null, cancelled_at: null, cancelled_by: null, reason: null } as const;

/** Records what customers read under a version, from the moment of its effect. */
export function takeEffect(tx: LedgerTransaction, at: string, { version, snapshot }: PolicyVersion, by: string): void {
  recordPolicy(tx, at, {
    version,
    disclaimer: disclaimerText(snapshot),
    expiresAt: snapshot.criteria.expiresAt,
    by,
  });
}

/** The policy has moved on since the caller read it (412). */
export class PolicyMovedOnError extends Error {
  override name = 'PolicyMovedOnError';
  readonly version: number | null;
  constructor(version: number | null) {
    super(`The policy is version ${version ?? 'none'} now.`);
    this.version = version;
  }
}

/** How a change is made: of the version that waits, or else of the one in force. */
export interface PolicyEdit {
  change: (edited: PolicySnapshot | undefined) => PolicySnapshot;
  at: string;
  expectedVersion?: number | undefined;
  /** When the new version takes effect; null: at once; absent: with the version that waits, else at once. */
  startsAt?: string | null | undefined;
}

/** A change before it is published or proposed. */
interface Edited {
  /** The version that it builds on. */
  base: PolicyVersion | undefined;
  snapshot: PolicySnapshot;
  startsAt: string | null;
  /** The differences from the version in force. */
  changes: PolicyChange[];
  /** It leaves the version that it builds on as it is. */
  isSame: boolean;
}

/** @throws PolicyMovedOnError, PolicyChangeError, and the errors of `change` */
export function editPolicy(
  tx: LedgerTransaction,
  { change, at, expectedVersion, startsAt: asked }: PolicyEdit,
): Edited {
  const base = editedPolicy(tx);
  if (expectedVersion !== undefined && expectedVersion !== base?.version)
    throw new PolicyMovedOnError(base?.version ?? null);
  const known = waitingVersion(tx);
  if (known !== undefined && known.startsAt <= at)
    throw new PolicyChangeError(
      `Version ${known.version} is due: the Intake starts it in a moment. Try again then; where the Intake does not run, start it.`,
    );
  for (const version of new Set([base?.version, activePolicyVersion(tx)]))
    if (typeof version === 'number') refuseAltered(policyFaults(tx, tx.changes.key, version));
  const startsAt = asked === undefined ? (known?.startsAt ?? null) : asked;
  if (startsAt !== null) refuseStart(base, startsAt, at);
  const snapshot = change(base?.snapshot);
  return {
    base,
    snapshot,
    startsAt,
    changes: differences(activePolicy(tx)?.snapshot, snapshot),
    isSame:
      base !== undefined && startsAt === (known?.startsAt ?? null) && differences(base.snapshot, snapshot).length === 0,
  };
}

const MOST_AHEAD_MS = 366 * 86_400_000;

/** @throws PolicyChangeError */
function refuseStart(base: PolicyVersion | undefined, startsAt: string, at: string): void {
  if (base === undefined) throw new PolicyChangeError('The first version takes effect at once: leave its start out.');
  if (startsAt <= at) throw new PolicyChangeError(`The start ${startsAt} has passed: name a later one, or none.`);
  if (Date.parse(startsAt) - Date.parse(at) > MOST_AHEAD_MS)
    throw new PolicyChangeError(`The start ${startsAt} is more than 366 days ahead: name an earlier one.`);
}

/**
 * Publishes the policy after `change`. Without a difference no version is made and the one that it builds on stays.
 *
 * @returns the version that the next change builds on
 * @throws PolicyMovedOnError, PolicyChangeError, SecondPersonNeededError, and the errors of `change`
 */
export function changePolicy(
  tx: LedgerTransaction,
  request: PolicyEdit & {
    /** The texts beside the differences. */
    told?: PolicyChange[];
    actor: Actor;
    /** The author of the proposal that the actor publishes. */
    proposed?: Proposed;
  },
): PolicyVersion {
  const { told = [], actor, at, proposed } = request;
  const change: PolicyEdit['change'] = (edited) => {
    if (proposed === undefined && needsSecondPerson(tx))
      throw new SecondPersonNeededError('The policy requires a second approval for its changes: propose this one.');
    return request.change(edited);
  };
  const { base, snapshot, startsAt, changes, isSame } = editPolicy(tx, { ...request, change });
  if (base !== undefined && isSame) return base;
  const authorId = proposed?.authorId ?? (actor.kind === 'MEMBER' ? actor.id : '');
  const start = startsAt === null ? {} : { start: { startsAt, authorId } };
  const published = { snapshot, changes: [...told, ...changes], actor, at, ...(proposed && { proposed }), ...start };
  return { version: publishPolicy(tx, published), snapshot };
}

/** Versions, newest first. */
export function listPolicyVersions(
  reader: LedgerReader,
  page: { page: number; size: number },
): { rows: PolicyVersionItem[]; total: number } {
  const standing = policyState(reader);
  const rows = reader.all(
    versions()
      .orderBy('policy_version.version', 'desc')
      .limit(page.size)
      .offset((page.page - 1) * page.size),
  );
  return { rows: rows.map((row) => toItem(row, standing)), total: standing.newest };
}

/** The facts of one version beside its snapshot. */
export function findPolicyVersion(reader: LedgerReader, version: number): PolicyVersionItem | undefined {
  const row = reader.first(versions().where('policy_version.version', '=', version));
  return row === undefined ? undefined : toItem(row, policyState(reader));
}

function versions() {
  return sqlite
    .selectFrom('policy_version')
    .leftJoin('policy_start', 'policy_start.version', 'policy_version.version')
    .select(['policy_version.version', 'changes', 'author', sql<string>`created_at`.as('at')])
    .select(['starts_at', 'started_at', 'cancelled_at', 'cancelled_by', 'reason']);
}

interface PolicyState {
  active: number | null;
  /** Numbered without holes: also the count. */
  newest: number;
}

const policyState = (reader: LedgerReader): PolicyState => ({
  active: activePolicyVersion(reader),
  newest: reader.first(newestVersion())?.version ?? 0,
});

type StartColumns = { [K in Exclude<keyof PolicyStartTable, 'version' | 'author_id'>]: PolicyStartTable[K] | null };
type Item = { version: number; changes: string; author: string; at: string } & StartColumns;

function startOf(row: Item, { newest }: PolicyState): PolicyVersionItem['start'] {
  const { starts_at: startsAt, started_at, cancelled_at, cancelled_by: cancelledBy, reason } = row;
  if (startsAt === null) return null;
  const at = started_at ?? cancelled_at;
  const undecided = row.version === newest ? 'WAITING' : 'REPLACED';
  const state = started_at !== null ? 'STARTED' : cancelled_at !== null ? 'CANCELLED' : undecided;
  return { startsAt, state, at, cancelledBy, reason };
}

function toItem(row: Item, standing: PolicyState): PolicyVersionItem {
  const changes = (JSON.parse(row.changes) as (PolicyChange | string)[]).map((change): PolicyChange =>
    typeof change === 'string' ? { kind: 'NOTE', text: change } : change,
  );
  const { version, author, at: createdAt } = row;
  return { version, author, createdAt, active: version === standing.active, start: startOf(row, standing), changes };
}
