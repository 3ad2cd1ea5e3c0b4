/** Second factors of members, and whether they are asked for: each change with its audit row, in the caller's transaction. */
import { newRecoveryCodes, newSecret, recoveryHash, stepOf } from '../../../shared/service/accounts/second-factor.ts';
import type { SecondFactorSetting } from '../../../shared/wire/console/second-factor.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { hasIdentity } from './identities.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { changeAccount, memberToChange, type MemberChange, MemberStateError } from './member-changes.ts';
import { findMember, type Member } from './members.ts';
import { closeOtherSessions, closeSessionsOf } from './sessions.ts';

/** Another user has changed the setting meanwhile. */
export class SettingMovedOnError extends Error {
  override name = 'SettingMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`The setting is at version ${version} now.`);
    this.version = version;
  }
}

const settingOf = prepared(() => sqlite.selectFrom('second_factor_setting').select(['reviewers', 'version']));

export function secondFactorSetting(reader: LedgerReader): SecondFactorSetting {
  const row = reader.first(settingOf());
  return { reviewers: row?.reviewers === 1, version: row?.version ?? 1 };
}

/** The present value leaves no trace. @throws SettingMovedOnError */
export function setSecondFactorSetting(
  tx: LedgerTransaction,
  request: { reviewers: boolean; actor: Actor; at: string; expectedVersion?: number },
): void {
  const { reviewers, actor, at, expectedVersion } = request;
  const { reviewers: from, version } = secondFactorSetting(tx);
  if (expectedVersion !== undefined && expectedVersion !== version) throw new SettingMovedOnError(version);
  if (from === reviewers) return;
  tx.run(sqlite.updateTable('second_factor_setting').set({ reviewers: reviewers ? 1 : 0, version: version + 1 }));
  if (reviewers)
    for (const { id } of tx.all(sqlite.selectFrom('second_factor').select('member_id as id')))
      endUnproven(tx, { id, at });
  const detail = { from, to: reviewers };
  recordAction(tx, { at, actor, action: 'member.second-factor-asked', targetType: 'member', targetId: null, detail });
}

/**
 * Ends the sessions of an account that has a factor and must give it from now on: they were opened with the password
 * alone. An account without one sets it up before its session gives access.
 */
export function endUnproven(tx: LedgerTransaction, { id, at }: { id: string; at: string }): void {
  const member = findMember(tx, id);
  if (member === undefined || !needsSecondFactor(tx, member) || !hasSecondFactor(tx, id)) return;
  closeSessionsOf(tx, id, at);
}

const factorOf = prepared((id: string) =>
  sqlite.selectFrom('second_factor').select(['secret', 'confirmed_at', 'last_step']).where('member_id', '=', id),
);

export function hasSecondFactor(reader: LedgerReader, id: string): boolean {
  const factor = reader.first(factorOf(id));
  return factor !== undefined && factor.confirmed_at !== null;
}

/** Whether a member needs a second factor; for single sign-on the provider decides by its own rules. */
export function needsSecondFactor(reader: LedgerReader, { id, role }: Pick<Member, 'id' | 'role'>): boolean {
  return role === 'COMPLIANCE_REVIEWER' && secondFactorSetting(reader).reviewers && !hasIdentity(reader, id);
}

/**
 * Starts the set-up again: the secret takes effect once a code of it was given.
 *
 * @throws MemberStateError for a member who has a factor, or does not need one
 */
export function beginSecondFactor(
  tx: LedgerTransaction,
  { member, actor, at }: { member: Member; actor: Actor; at: string },
): string {
  if (!needsSecondFactor(tx, member)) throw new MemberStateError('This account needs no second factor.');
  if (hasSecondFactor(tx, member.id))
    throw new MemberStateError('There is a second factor already: an administrator can reset it.');
  const secret = newSecret();
  tx.run(
    sqlite
      .insertInto('second_factor')
      .values({ member_id: member.id, secret, confirmed_at: null })
      .onConflict((conflict) => conflict.column('member_id').doUpdateSet({ secret, confirmed_at: null, last_step: 0 })),
  );
  recordAction(tx, {
    at,
    actor,
    action: 'member.second-factor-begun',
    targetType: 'member',
    targetId: member.id,
    detail: { username: member.username },
  });
  return secret;
}

/**
 * Activates a secret by its first code. Every other session of the account ends.
 *
 * @returns the recovery codes, the only copy; null for a wrong code
 * @throws MemberStateError where no set-up has begun
 */
export function confirmSecondFactor(
  tx: LedgerTransaction,
  { member, code, at, actor, token }: { member: Member; code: string; at: Date; actor: Actor; token: string },
): string[] | null {
  const factor = tx.first(factorOf(member.id));
  if (factor === undefined || factor.confirmed_at !== null)
    throw new MemberStateError('The set-up of a second factor has not been started: start it first.');
  const step = stepOf(factor.secret, code, at, factor.last_step);
  if (step === null) return null;
  const iso = at.toISOString();
  tx.run(
    sqlite.updateTable('second_factor').set({ confirmed_at: iso, last_step: step }).where('member_id', '=', member.id),
  );
  tx.run(sqlite.updateTable('member').set({ factor_reset_at: null }).where('id', '=', member.id));
  const codes = newRecoveryCodes();
  for (const one of codes)
    tx.run(sqlite.insertInto('recovery_code').values({ member_id: member.id, code_hash: recoveryHash(one) }));
  closeOtherSessions(tx, { memberId: member.id, token, at: iso });
  recordAction(tx, {
    at: iso,
    actor,
    action: 'member.second-factor',
    targetType: 'member',
    targetId: member.id,
    detail: { username: member.username, recoveryCodes: codes.length },
  });
  return codes;
}

/** Accepts a code, or a recovery code, once. @returns which kind it was; null for a wrong or used one */
export function takeSecondFactor(
  tx: LedgerTransaction,
  id: string,
  code: string,
  at: Date,
): { by: 'code' } | { by: 'recovery code'; left: number } | null {
  const factor = tx.first(factorOf(id));
  if (factor === undefined || factor.confirmed_at === null) return null;
  const step = stepOf(factor.secret, code, at, factor.last_step);
  if (step !== null) {
    tx.run(sqlite.updateTable('second_factor').set({ last_step: step }).where('member_id', '=', id));
    return { by: 'code' };
  }
  const used = tx.run(
    sqlite.deleteFrom('recovery_code').where('member_id', '=', id).where('code_hash', '=', recoveryHash(code)),
  );
  if (used === 0) return null;
  const left = tx.all(sqlite.selectFrom('recovery_code').select('code_hash').where('member_id', '=', id)).length;
  return { by: 'recovery code', left };
}

/**
 * Removes a member's factor and ends the account's sessions; the next login sets up another one.
 *
 * @throws UnknownMemberError, MemberStateError, MemberMovedOnError
 */
export function resetSecondFactor(tx: LedgerTransaction, change: MemberChange): void {
  const member = memberToChange(tx, change);
  if (!hasSecondFactor(tx, member.id)) throw new MemberStateError(`${member.username} has no second factor.`);
  for (const table of ['second_factor', 'recovery_code'] as const)
    tx.run(sqlite.deleteFrom(table).where('member_id', '=', member.id));
  closeSessionsOf(tx, member.id, change.at);
  changeAccount(tx, member, change, { set: { factor_reset_at: change.at }, action: 'member.second-factor-reset' });
}

/** When an administrator removed a member's factor that is not yet set up again. */
export function factorResetAt(reader: LedgerReader, id: string): string | null {
  return (
    reader.first(sqlite.selectFrom('member').select('factor_reset_at').where('id', '=', id))?.factor_reset_at ?? null
  );
}
