/**
 * The start of a policy version that was published for later (D212). The record of the start puts it in force, and not
 * the clock: a clock that is set back undoes nothing. Only what screens starts a version, before it screens the next
 * entry: the Intake, and its commands. The start is no decision, so each record of the decision journal tells the last one
 * before it, and a restore makes it again at the same place among the entries.
 */
import type { PolicyVersionItem } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { rowsOfPolicy } from '../audit/rows-about.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { PolicyChangeError } from './changes.ts';
import { SecondPersonNeededError } from './second-person.ts';
import { findPolicyVersion, policyVersion, takeEffect, waitingVersion } from './versions.ts';

/** The start of a version, as a record of the decision journal tells it. */
export interface PolicyStarted {
  version: number;
  at: string;
  /** The applied cursor at that time: later entries met this version. */
  applied: number;
}

/** Whether the version that waits is to start by a moment. */
export const isPolicyDue = (reader: LedgerReader, at: string): boolean =>
  (waitingVersion(reader)?.startsAt ?? '~') <= at;

/** Puts the version that waits in force where its time has come. @returns its number; null where none is due */
export function startDuePolicy(tx: LedgerTransaction, at: string): number | null {
  const due = waitingVersion(tx);
  if (due === undefined || due.startsAt > at) return null;
  const { version, startsAt, author } = due;
  const stored = policyVersion(tx, version);
  if (stored === undefined) return null;
  tx.run(sqlite.updateTable('policy_start').set({ started_at: at }).where('version', '=', version));
  takeEffect(tx, at, stored, author);
  const changes = findPolicyVersion(tx, version)?.changes ?? [];
  const appliedCursor = readCursors(tx).applied;
  recordAction(tx, {
    ...{ at, actor: { kind: 'SYSTEM' }, action: 'policy.start', targetType: 'policy_version' },
    ...{ targetId: String(version), detail: { startsAt, appliedCursor, changes } },
  });
  return version;
}

const lastStarted = sqlite
  .selectFrom('policy_start')
  .select('version')
  .where('started_at', 'is not', null)
  .orderBy('version', 'desc')
  .limit(1);

/** The last start; null: there was none; undefined: a program has made it that did not note its place. */
export function lastPolicyStart(reader: LedgerReader): PolicyStarted | null | undefined {
  const version = reader.first(lastStarted)?.version;
  if (version === undefined) return null;
  const row = rowsOfPolicy(reader, version).find(({ action }) => action === 'policy.start');
  const { appliedCursor: applied } = JSON.parse(row?.detail ?? '{}') as { appliedCursor?: number };
  return row === undefined || applied === undefined ? undefined : { version, at: row.at, applied };
}

/**
 * Cancels the version that waits; the one in force stays. Proposals end, because they may hold its words.
 *
 * @throws PolicyChangeError where it does not wait, or is due; SecondPersonNeededError for its author
 */
export function cancelPolicyStart(
  tx: LedgerTransaction,
  {
    version,
    reason,
    actor,
    at,
  }: { version: number; reason: string; actor: Extract<Actor, { kind: 'MEMBER' }>; at: string },
): PolicyVersionItem {
  const found = waitingVersion(tx);
  if (found?.version !== version) throw new PolicyChangeError(`Version ${version} does not wait for a start.`);
  if (found.startsAt <= at)
    throw new PolicyChangeError(`The start of version ${version} has come: publish another version instead.`);
  if (found.authorId === actor.id)
    throw new SecondPersonNeededError(
      'You have written this version yourself: another reviewer must cancel it. You may publish a change of it.',
    );
  tx.run(sqlite.deleteFrom('policy_proposal'));
  tx.run(
    sqlite
      .updateTable('policy_start')
      .set({ cancelled_at: at, cancelled_by: actor.displayName, reason })
      .where('version', '=', version),
  );
  recordAction(tx, {
    ...{ at, actor, action: 'policy.cancel', targetType: 'policy_version' },
    ...{ targetId: String(version), detail: { reason, startsAt: found.startsAt } },
  });
  const item = findPolicyVersion(tx, version);
  if (item === undefined) throw new PolicyChangeError(`There is no version ${version}.`);
  return item;
}
