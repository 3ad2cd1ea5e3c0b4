/**
 * Changes of the policy that wait for a second person (four eyes). A proposal holds the whole snapshot that it would
 * publish and the version that it was made on; it never changes, and the publication of any next version removes it:
 * no person can approve an unseen policy.
 */
import type { PolicyChange, PolicyDraft, PolicyProposal } from '../../../shared/wire/console/console.ts';
import { policySnapshotSchema, type PolicySnapshot, type PolicyVersion } from '../../screening/policy.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { targetFaults } from '../audit/single-things.ts';
import { PolicyChangeError, refuseAltered } from './changes.ts';
import { changePolicy, editPolicy } from './versions.ts';
import { isActiveReviewer, SecondPersonNeededError } from './second-person.ts';
import type { PolicyProposalTable } from '../storage/tables.ts';

export class UnknownProposalError extends Error {
  override name = 'UnknownProposalError';
}

/** Each holds a whole snapshot of the policy. */
export const MOST_PROPOSALS = 50;

/** The number of waiting proposals is at its limit (409). */
export class TooManyProposalsError extends Error {
  override name = 'TooManyProposalsError';
  constructor() {
    super(`${MOST_PROPOSALS} proposals wait already: publish or withdraw one.`);
  }
}

type Member = Extract<Actor, { kind: 'MEMBER' }>;

/** A stored proposal, independent of the reader. */
export type StoredProposal = Omit<PolicyProposal, 'mine'> & { memberId: string };

/**
 * Stores the policy after `change` as a proposal, for another person to publish.
 *
 * @throws PolicyMovedOnError, PolicyChangeError, TooManyProposalsError, and the errors of `change`
 */
export function proposeChange(
  tx: LedgerTransaction,
  proposed: {
    id: string;
    /** The request, so that the effects can be previewed again. */
    draft: PolicyDraft;
    /** The texts beside the differences. */
    told: PolicyChange[];
    change: (edited: PolicySnapshot) => PolicySnapshot;
    actor: Member;
    at: string;
    expectedVersion?: number;
  },
): StoredProposal {
  const { id, draft, told, actor, at } = proposed;
  const edit = {
    ...proposed,
    startsAt: draft.startsAt,
    change: (edited?: PolicySnapshot) => proposed.change(needed(edited)),
  };
  const { base, snapshot, changes: found, isSame } = editPolicy(tx, edit);
  if (base === undefined) throw new PolicyChangeError(NO_POLICY);
  if (proposalCount(tx) >= MOST_PROPOSALS) throw new TooManyProposalsError();
  if (isSame) throw new PolicyChangeError('The proposal changes nothing.');
  const row = {
    id,
    base_version: base.version,
    draft: JSON.stringify(draft),
    snapshot: JSON.stringify(policySnapshotSchema.parse(snapshot)),
    changes: JSON.stringify([...told, ...found]),
    author_id: actor.id,
    author: actor.displayName,
    at,
  };
  tx.run(sqlite.insertInto('policy_proposal').values(row));
  record(tx, 'policy.propose', { id, actor, at }, { baseVersion: base.version, changes: [...told, ...found] });
  return toProposal(row);
}

const NO_POLICY = 'There is no policy yet: set the disclaimer first.';

/** @throws PolicyChangeError */
function needed(edited: PolicySnapshot | undefined): PolicySnapshot {
  if (edited === undefined) throw new PolicyChangeError(NO_POLICY);
  return edited;
}

/**
 * Publishes a proposal unchanged. Only another person than its author may, and only while the author may still decide.
 *
 * @throws UnknownProposalError, SecondPersonNeededError, PolicyMovedOnError
 */
export function publishProposal(
  tx: LedgerTransaction,
  { id, ...by }: { id: string; actor: Member; at: string; expectedVersion?: number },
): PolicyVersion {
  const row = proposalOf(tx, id);
  if (row.author_id === by.actor.id) {
    throw new SecondPersonNeededError('You have proposed this change yourself: another reviewer must publish it.');
  }
  if (!isActiveReviewer(tx, row.author_id)) {
    throw new SecondPersonNeededError(
      `${row.author}, who proposed this change, is no active Compliance Reviewer any more: withdraw it and propose it again.`,
    );
  }
  const target = { id, type: 'policy_proposal' };
  refuseAltered(targetFaults(tx, tx.changes.key, target, [{ table: 'policy_proposal', thing: [id] }]));
  const snapshot = policySnapshotSchema.parse(JSON.parse(row.snapshot));
  const kept = toProposal(row);
  const told = kept.changes.filter(({ kind }) => kind === 'RESTORED' || kind === 'NOTE');
  const proposed = { author: row.author, authorId: row.author_id };
  const { startsAt } = kept.draft;
  return changePolicy(tx, { change: () => snapshot, startsAt, told, proposed, ...by });
}

/** Removes a proposal that was withdrawn or refused. @throws UnknownProposalError */
export function withdrawProposal(tx: LedgerTransaction, by: { id: string; actor: Member; at: string }): StoredProposal {
  const row = proposalOf(tx, by.id);
  tx.run(sqlite.deleteFrom('policy_proposal').where('id', '=', by.id));
  record(tx, 'policy.withdraw', by, { proposedBy: row.author });
  return toProposal(row);
}

/** Waiting proposals, oldest first. */
export function listProposals(
  reader: LedgerReader,
  { page, size }: { page: number; size: number },
): { rows: StoredProposal[]; total: number } {
  const rows = reader.all(
    sqlite
      .selectFrom('policy_proposal')
      .selectAll()
      .orderBy('at')
      .orderBy('id')
      .limit(size)
      .offset((page - 1) * size),
  );
  return { rows: rows.map(toProposal), total: proposalCount(reader) };
}

function proposalCount(reader: LedgerReader): number {
  return reader.first(sqlite.selectFrom('policy_proposal').select((eb) => eb.fn.countAll<number>().as('n')))?.n ?? 0;
}

function proposalOf(reader: LedgerReader, id: string): PolicyProposalTable {
  const row = reader.first(sqlite.selectFrom('policy_proposal').selectAll().where('id', '=', id));
  if (row === undefined) throw new UnknownProposalError(`There is no proposal ${id}.`);
  return row;
}

function record(
  tx: LedgerTransaction,
  action: string,
  { id, actor, at }: { id: string; actor: Member; at: string },
  detail: Record<string, unknown>,
): void {
  recordAction(tx, { at, actor, action, targetType: 'policy_proposal', targetId: id, detail });
}

function toProposal({ id, base_version, draft, changes, author_id, author, at }: PolicyProposalTable): StoredProposal {
  return {
    id,
    baseVersion: base_version,
    memberId: author_id,
    displayName: author,
    at,
    changes: JSON.parse(changes) as PolicyChange[],
    draft: JSON.parse(draft) as PolicyDraft,
  };
}
