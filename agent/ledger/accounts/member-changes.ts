/** The Tenant Admin's changes of accounts (D18): each with its audit row, in the caller's transaction. */
import { sql } from 'kysely';
import type { Role } from '../../../shared/policy/roles.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import { fold } from '../../screening/letters/fold.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { actorNames } from '../audit/browse.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { addMember, findMember, setPassword, type Member } from './members.ts';
import { closeSessionsOf } from './sessions.ts';

export class UnknownMemberError extends Error {
  override name = 'UnknownMemberError';
  constructor(id: string) {
    super(`There is no member ${id}.`);
  }
}

/** The state of the accounts forbids the change (409); the message says why. */
export class MemberStateError extends Error {
  override name = 'MemberStateError';
  /** The form field concerned, and the rule; null where the accounts as a whole are concerned. */
  readonly field: { path: 'body.username' | 'body.displayName'; message: string } | null;
  constructor(message: string, field: MemberStateError['field'] = null) {
    super(message);
    this.field = field;
  }
}

/** The member has been changed since the caller read them (412). */
export class MemberMovedOnError extends Error {
  override name = 'MemberMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`The member is at version ${version} now.`);
    this.version = version;
  }
}

export interface MemberChange {
  id: string;
  actor: Actor;
  at: string;
  expectedVersion?: number;
}

interface AccountChange {
  set?: { active?: 0; role?: Role; factor_reset_at?: string };
  action: `member.${string}`;
  /** Beside the login name. */
  detail?: Readonly<Record<string, string>>;
}

/** Members by user name, unpaged, because there are few. */
export function listMembers(
  reader: LedgerReader,
  { page, size }: { page: number; size: number },
): { rows: Member[]; total: number } {
  const ids = reader.all(sqlite.selectFrom('member').select('id').orderBy('username'));
  const rows = ids.slice((page - 1) * size, page * size).flatMap(({ id }) => findMember(reader, id) ?? []);
  return { rows, total: ids.length };
}

const actsOfOther = (name: string, but: string) =>
  sqlite
    .selectFrom('console_action_log')
    .select('seq')
    .where('actor_id', 'is not', null)
    .where('actor', '=', name)
    .where('actor_id', '<>', but)
    .limit(1);

/**
 * A person's name in history and log must differ from every other: two names that look the same count as one. The names
 * of deactivated accounts, and earlier names of renamed ones, stay taken, because past acts stay on record under them.
 */
function isNameTaken(reader: LedgerReader, displayName: string, but = ''): boolean {
  const looks = (name: string): string => fold(name).codes.join();
  const sought = looks(displayName);
  const isHeld = reader
    .all(sqlite.selectFrom('member').select(['id', 'display_name']))
    .some((member) => member.id !== but && looks(member.display_name) === sought);
  if (isHeld) return true;
  return actorNames(reader, { accounts: true })
    .filter((name) => looks(name) === sought)
    .some((name) => reader.first(actsOfOther(name, but)) !== undefined);
}

function refuseTakenName(reader: LedgerReader, displayName: string, but?: string): void {
  if (!isNameTaken(reader, displayName, but)) return;
  throw new MemberStateError(
    `Another account has the display name ${displayName}, or one that looks like it: add what tells the two apart.`,
    { path: 'body.displayName', message: ACCOUNT_RULES.NAME_TAKEN },
  );
}

/** Whether an account has this user name, in upper or lower case. */
export function isUsernameTaken(reader: LedgerReader, username: string): boolean {
  const taken = sqlite
    .selectFrom('member')
    .select('id')
    .where(sql<boolean>`lower(username) = lower(${username})`);
  return reader.first(taken) !== undefined;
}

/**
 * Registers an account. Where the program registers it by itself, with no person to choose another display name, a
 * taken display name gets the user name appended.
 *
 * @throws MemberStateError where an account has the user name, in upper or lower case, or the display name
 */
export function registerMember(
  tx: LedgerTransaction,
  member: {
    id: string;
    username: string;
    displayName: string;
    role: Role;
    passwordHash: string;
    actor: Actor;
    at: string;
  },
): void {
  const { actor, at, ...asked } = member;
  if (isUsernameTaken(tx, member.username)) {
    throw new MemberStateError(`The user name ${member.username} is taken.`, {
      path: 'body.username',
      message: ACCOUNT_RULES.USERNAME_TAKEN,
    });
  }
  const isPerson = actor.kind === 'MEMBER';
  if (isPerson) refuseTakenName(tx, asked.displayName);
  const { username, role } = asked;
  const displayName =
    isPerson || !isNameTaken(tx, asked.displayName) ? asked.displayName : `${asked.displayName} (${username})`;
  // An administrator has chosen the password and knows it.
  addMember(tx, { ...asked, displayName, temporaryPassword: isPerson, at });
  recordAction(tx, {
    at,
    actor,
    action: 'member.register',
    targetType: 'member',
    targetId: member.id,
    detail: { username, displayName, role },
  });
}

/**
 * Gives an account another display name. The present name is no change and leaves no trace.
 *
 * @returns the account afterwards
 * @throws UnknownMemberError, MemberStateError, MemberMovedOnError
 */
export function renameMember(tx: LedgerTransaction, change: MemberChange & { displayName: string }): Member {
  const member = memberToChange(tx, change);
  const { displayName } = change;
  if (member.displayName === displayName) return member;
  refuseTakenName(tx, displayName, member.id);
  const version = member.version + 1;
  tx.run(sqlite.updateTable('member').set({ display_name: displayName, version }).where('id', '=', member.id));
  recordAction(tx, {
    at: change.at,
    actor: change.actor,
    action: 'profile.rename',
    targetType: 'member',
    targetId: member.id,
    detail: { from: member.displayName, to: displayName },
  });
  return { ...member, displayName, version };
}

/**
 * Deactivates an account and ends its sessions.
 *
 * @throws UnknownMemberError, MemberStateError, MemberMovedOnError
 */
export function deactivateMember(tx: LedgerTransaction, change: MemberChange): void {
  const member = memberToChange(tx, change);
  if (!member.active) throw new MemberStateError(`${member.username} is deactivated already.`);
  refuseWithoutAdmin(tx, member);
  closeSessionsOf(tx, member.id, change.at);
  changeAccount(tx, member, change, { set: { active: 0 }, action: 'member.deactivate', detail: { role: member.role } });
}

/**
 * Sets a password that the account's owner has to replace at the next login, and ends the account's sessions.
 *
 * @throws UnknownMemberError, MemberStateError, MemberMovedOnError
 */
export function resetPassword(tx: LedgerTransaction, change: MemberChange & { passwordHash: string }): void {
  const member = memberToChange(tx, change);
  if (!member.active) throw new MemberStateError(`${member.username} is deactivated.`);
  setPassword(tx, member.id, change.passwordHash, 'other');
  closeSessionsOf(tx, member.id, change.at);
  changeAccount(tx, member, change, { action: 'member.password-reset' });
}

/**
 * Gives an account another role. The present role is no change and leaves no trace.
 *
 * @returns whether the role has changed
 * @throws UnknownMemberError, MemberStateError, MemberMovedOnError
 */
export function changeRole(tx: LedgerTransaction, change: MemberChange & { role: Role }): boolean {
  const member = memberToChange(tx, change);
  if (!member.active) throw new MemberStateError(`${member.username} is deactivated.`);
  if (member.role === change.role) return false;
  refuseWithoutAdmin(tx, member);
  const { role } = change;
  changeAccount(tx, member, change, { set: { role }, action: 'member.role', detail: { from: member.role, to: role } });
  return true;
}

/** Writes an administrator's change of an account: its columns, the next version, and the row of the audit log. */
export function changeAccount(
  tx: LedgerTransaction,
  member: Member,
  { at, actor }: MemberChange,
  { set = {}, action, detail = {} }: AccountChange,
): void {
  tx.run(
    sqlite
      .updateTable('member')
      .set((eb) => ({ ...set, version: eb('version', '+', 1) }))
      .where('id', '=', member.id),
  );
  const about = { username: member.username, ...detail };
  recordAction(tx, { at, actor, action, targetType: 'member', targetId: member.id, detail: about });
}

/** @throws UnknownMemberError, MemberMovedOnError */
export function memberToChange(tx: LedgerTransaction, { id, expectedVersion }: MemberChange): Member {
  const member = findMember(tx, id);
  if (member === undefined) throw new UnknownMemberError(id);
  if (expectedVersion !== undefined && expectedVersion !== member.version) {
    throw new MemberMovedOnError(member.version);
  }
  return member;
}

/** At least one member must remain who can register others. */
function refuseWithoutAdmin(tx: LedgerTransaction, leaving: Member): void {
  if (leaving.role !== 'TENANT_ADMIN') return;
  const another = tx.first(
    sqlite
      .selectFrom('member')
      .select('id')
      .where('role', '=', 'TENANT_ADMIN')
      .where('active', '=', 1)
      .where('id', '!=', leaving.id),
  );
  if (another === undefined) {
    throw new MemberStateError(`${leaving.username} is the last active Tenant Admin: name another one first.`);
  }
}
