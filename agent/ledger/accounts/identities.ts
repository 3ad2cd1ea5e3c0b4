/**
 * Members who sign in by single sign-on (D21). Issuer and subject alone identify a member, who is created at the first
 * sign-in and gets the role of the provider's claim at each one; a member deactivated here stays out (D18).
 */
import type { Role } from '../../../shared/policy/roles.ts';
import { recordAction } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { changeRole, isUsernameTaken, registerMember } from './member-changes.ts';
import { findMember, type Member } from './members.ts';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';

/** A person as the provider knows them. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** The account was deactivated in the console. */
export class DeactivatedMemberError extends Error {
  override name = 'DeactivatedMemberError';
  readonly member: Member;
  constructor(member: Member) {
    super(`${member.username} is deactivated.`);
    this.member = member;
  }
}

export function memberOfIdentity(reader: LedgerReader, { issuer, subject }: Identity): Member | undefined {
  const row = reader.first(
    sqlite
      .selectFrom('member_identity')
      .select('member_id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject),
  );
  return row === undefined ? undefined : findMember(reader, row.member_id);
}

/** Whether a member signs in at a provider, and so has no password here. */
export function hasIdentity(reader: LedgerReader, memberId: string): boolean {
  return (
    reader.first(sqlite.selectFrom('member_identity').select('member_id').where('member_id', '=', memberId)) !==
    undefined
  );
}

/** A provider's claims about a person who signs in. */
export interface SignedIn extends Identity {
  role: Role;
  /** The candidate names of a new member. The first free one of `usernames` is taken. */
  usernames: readonly [string, ...string[]];
  displayName: string;
}

/**
 * The member of an identity, created where none exists, in the role that the provider gives. An unlinked account of the
 * same name stays another person's.
 *
 * @param id for a new member
 * @throws DeactivatedMemberError; MemberStateError where the last active Tenant Admin would get another role
 */
export function memberSignedIn(tx: LedgerTransaction, signedIn: SignedIn, id: string, at: string): Member {
  const known = memberOfIdentity(tx, signedIn);
  if (known !== undefined) {
    if (!known.active) throw new DeactivatedMemberError(known);
    changeRole(tx, { id: known.id, role: signedIn.role, actor: { kind: 'SYSTEM' }, at });
    return { ...known, role: signedIn.role };
  }
  const { issuer, subject, role, displayName, usernames } = signedIn;
  const username = usernames.find((name) => !isUsernameTaken(tx, name)) ?? usernames[0];
  registerMember(tx, { id, username, displayName, role, passwordHash: UNMATCHED_HASH, actor: { kind: 'SYSTEM' }, at });
  tx.run(sqlite.insertInto('member_identity').values({ issuer, subject, member_id: id, linked_at: at }));
  recordAction(tx, {
    at,
    actor: { kind: 'SYSTEM' },
    action: 'member.link',
    targetType: 'member',
    targetId: id,
    detail: { username, issuer, subject },
  });
  const member = findMember(tx, id);
  if (member === undefined) throw new TypeError(`The member ${id} was made and is not there.`);
  return member;
}
