/** The tables of accounts as types: members, their sessions and identities, and their saved views. */
import type { Generated } from 'kysely';
import type { Role } from '../../../shared/policy/roles.ts';

export interface MemberTable {
  id: string;
  username: string;
  display_name: string;
  role: Role;
  password_hash: string;
  active: number;
  created_at: string;
  last_login_at: string | null;
  version: Generated<number>;
  /** 1 where an administrator has set the password. */
  temporary_password: Generated<number>;
  /** When an administrator removed the second factor; null once another one is set up. */
  factor_reset_at: string | null;
}

/** The authenticator app that a member has set up; unconfirmed until its first code was given. */
export interface SecondFactorTable {
  member_id: string;
  secret: string;
  confirmed_at: string | null;
  /** The time step of the last accepted code. */
  last_step: Generated<number>;
}

export interface RecoveryCodeTable {
  member_id: string;
  code_hash: string;
}

export interface SecondFactorSettingTable {
  reviewers: number;
  version: number;
}

export interface SessionTable {
  /** SHA-256 of the token in hex: a reader of the ledger cannot use its sessions. */
  token_hash: string;
  member_id: string;
  created_at: string;
  last_seen_at: string;
  /** The address that ends the session at the provider of single sign-on as well; null for a password's session. */
  sign_out_url: string | null;
  /** The seal of the host that began it (`sessionProof`); null where that host had no record key. */
  proof: string | null;
}

/** A member who signs in by single sign-on. */
export interface MemberIdentityTable {
  issuer: string;
  subject: string;
  member_id: string;
  linked_at: string;
}

export interface SavedViewTable {
  id: string;
  member_id: string;
  screen: 'explanations' | 'review';
  name: string;
  search: string;
  saved_at: string;
}
