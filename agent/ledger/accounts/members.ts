/** The console's accounts (D18). */
import type { Selectable } from 'kysely';
import type { Role } from '../../../shared/policy/roles.ts';
import type { MemberTable } from '../storage/account-tables.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

export interface Member {
  id: string;
  username: string;
  displayName: string;
  role: Role;
  active: boolean;
  createdAt: string;
  lastLoginAt: string | null;
  version: number;
  /** An administrator has set the password: the member replaces it before any other request. */
  temporaryPassword: boolean;
}

export const MEMBER_COLUMNS = [
  'member.id',
  'username',
  'display_name',
  'role',
  'active',
  'member.created_at',
  'last_login_at',
  'version',
  'temporary_password',
] as const;

/** A member as the table has them, without the password. */
type MemberRow = Selectable<Omit<MemberTable, 'password_hash' | 'factor_reset_at'>>;

export function toMember(row: MemberRow): Member {
  return {
    id: row.id,
    username: row.username,
    displayName: row.display_name,
    role: row.role,
    active: row.active === 1,
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
    version: row.version,
    temporaryPassword: row.temporary_password === 1,
  };
}

export function addMember(
  tx: LedgerTransaction,
  member: {
    id: string;
    username: string;
    displayName: string;
    role: Role;
    passwordHash: string;
    /** Whether an administrator has set the password. */
    temporaryPassword?: boolean;
    at: string;
  },
): void {
  tx.run(
    sqlite.insertInto('member').values({
      id: member.id,
      username: member.username,
      display_name: member.displayName,
      role: member.role,
      password_hash: member.passwordHash,
      temporary_password: member.temporaryPassword === true ? 1 : 0,
      active: 1,
      created_at: member.at,
      last_login_at: null,
      factor_reset_at: null,
    }),
  );
}

const memberOf = prepared((id: string) => sqlite.selectFrom('member').select(MEMBER_COLUMNS).where('id', '=', id));

export function findMember(reader: LedgerReader, id: string): Member | undefined {
  const row = reader.first(memberOf(id));
  return row === undefined ? undefined : toMember(row);
}

/** For the login alone: the member of a user name, with the hash of the password. */
export function memberForLogin(
  reader: LedgerReader,
  username: string,
): { member: Member; passwordHash: string } | undefined {
  const row = reader.first(
    sqlite
      .selectFrom('member')
      .select([...MEMBER_COLUMNS, 'password_hash'])
      .where('username', '=', username),
  );
  return row === undefined ? undefined : { member: toMember(row), passwordHash: row.password_hash };
}

export function rememberLogin(tx: LedgerTransaction, id: string, at: string): void {
  tx.run(sqlite.updateTable('member').set({ last_login_at: at }).where('id', '=', id));
}

/** Replaces the password. `by`: the member, or an administrator, in which case the member must choose a new one. */
export function setPassword(tx: LedgerTransaction, id: string, passwordHash: string, by: 'member' | 'other'): void {
  const temporary_password = by === 'other' ? 1 : 0;
  tx.run(sqlite.updateTable('member').set({ password_hash: passwordHash, temporary_password }).where('id', '=', id));
}

/** Whether the install has an account; one without an account is set up first. */
export function hasMembers(reader: LedgerReader): boolean {
  return reader.first(sqlite.selectFrom('member').select('id').limit(1)) !== undefined;
}
