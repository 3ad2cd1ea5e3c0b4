/**
 * The operators' accounts and sessions (operator API 5, D9, D22), kept in the store.
 *
 * Of two instances that write at once the later moment stays (`greatest`).
 */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Store } from '../store/open.ts';
import type { LoginLimit } from '../../shared/service/accounts/login-limit.ts';
import { stepOf } from '../../shared/service/accounts/second-factor.ts';
import { hashPassword, UNMATCHED_HASH, verifyPassword } from '../../shared/service/accounts/passwords.ts';

/** The precision of a session's last use: a write per request would cost more than it is worth. */
const SEEN_STEP_MS = 60 * 1000;

/** When a session ends: after a time without a request, and after a time in any case. */
export interface SessionLimits {
  idleMs: number;
  absoluteMs: number;
}

export const SESSION_LIMITS: SessionLimits = { idleMs: 30 * 60 * 1000, absoluteMs: 12 * 60 * 60 * 1000 };

export interface Principal {
  operatorId: number;
  username: string;
  displayName: string;
  /** Another person has set the password: the operator replaces it before any other request. */
  temporaryPassword: boolean;
  /** When the session ends if it is not used again. */
  expiresAt: Date;
}

/** Creates an account. @returns false when the name is taken: the existing account stays */
export async function createOperator(
  db: Db,
  account: { username: string; displayName: string; password: string; temporaryPassword?: boolean },
  at: Date,
): Promise<boolean> {
  const made = await db
    .insertInto('operator_account')
    .values({
      username: account.username,
      display_name: account.displayName,
      password_hash: await hashPassword(account.password),
      temporary_password: account.temporaryPassword === true,
      created_at: at,
      last_login_at: null,
    })
    .onConflict((conflict) => conflict.column('username').doNothing())
    .executeTakeFirst();
  return made.numInsertedOrUpdatedRows === 1n;
}

export async function hasOperator(db: Db, username: string): Promise<boolean> {
  return (
    (await db
      .selectFrom('operator_account')
      .select('operator_id')
      .where('username', '=', username)
      .executeTakeFirst()) !== undefined
  );
}

/** An account as `operator list` shows it. */
export interface OperatorRow {
  username: string;
  displayName: string;
  active: boolean;
  secondFactor: boolean;
  createdAt: Date;
  lastLoginAt: Date | null;
}

export async function listOperators(db: Db): Promise<OperatorRow[]> {
  const rows = await db.selectFrom('operator_account').selectAll().orderBy('operator_id').execute();
  return rows.map((row) => ({
    username: row.username,
    displayName: row.display_name,
    active: row.active,
    secondFactor: row.second_factor !== null,
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
  }));
}

/**
 * Sets a password that its owner has to replace, and ends every session of the account. @returns false when there is no
 * such account
 */
export async function setOperatorPassword(db: Db, username: string, password: string): Promise<boolean> {
  return changeOperator(db, username, { password_hash: await hashPassword(password), temporary_password: true });
}

/** Enables or disables an account; either way its sessions end. @returns false when there is no such account */
export async function setOperatorActive(db: Db, username: string, active: boolean): Promise<boolean> {
  return changeOperator(db, username, { active });
}

/**
 * Requires codes of this secret at each login from now on, or none; either way the account's sessions end. @returns
 * false when there is no such account
 */
export async function setSecondFactor(db: Db, username: string, secret: string | null): Promise<boolean> {
  return changeOperator(db, username, { second_factor: secret, second_factor_step: 0 });
}

async function changeOperator(
  db: Db,
  username: string,
  changes:
    | { password_hash: string; temporary_password: boolean }
    | { active: boolean }
    | { second_factor: string | null; second_factor_step: number },
): Promise<boolean> {
  const changed = await db
    .updateTable('operator_account')
    .set(changes)
    .where('username', '=', username)
    .returning('operator_id')
    .executeTakeFirst();
  if (changed === undefined) return false;
  await db.deleteFrom('operator_session').where('operator_id', '=', changed.operator_id).execute();
  return true;
}

/**
 * Checks the password, and the second factor of an account that has one, and opens a session. An unknown name takes as
 * long as a wrong password.
 *
 * @returns the reason of a refusal, for the audit log: the caller gets the same answer in each case but those of the
 * second factor
 * @throws ApiError COMMON429
 */
export async function logIn(
  { db, transaction }: Pick<Store, 'db' | 'transaction'>,
  { username, password, secondFactor }: { username: string; password: string; secondFactor?: string | undefined },
  at: Date,
  limits = SESSION_LIMITS,
  codes: Pick<LoginLimit, 'beginCode' | 'succeedCode'> | null = null,
): Promise<{ token: string; principal: Principal } | { refused: LoginRefusal }> {
  const account = await db
    .selectFrom('operator_account')
    .selectAll()
    .where('username', '=', username)
    .executeTakeFirst();
  const fits = await verifyPassword(password, account?.password_hash ?? UNMATCHED_HASH);
  if (account === undefined) return { refused: 'unknown user' };
  if (!account.active) return { refused: 'deactivated' };
  if (!fits) return { refused: 'wrong password' };
  if (account.second_factor !== null) {
    if (secondFactor === undefined) return { refused: 'second factor asked' };
    codes?.beginCode(username);
    if (!(await takeCode(db, account, secondFactor, at))) return { refused: 'wrong second factor' };
    codes?.succeedCode(username);
  }
  const token = randomBytes(32).toString('base64url');
  const absolute = new Date(at.getTime() + limits.absoluteMs);
  const isOpened = await transaction(async (trx) => {
    // Reads the account once more: it may have changed during the verification of the password. A later change waits
    // for this row, and then ends the session that is opened here.
    const same = await trx
      .updateTable('operator_account')
      .set({ last_login_at: at })
      .where('operator_id', '=', account.operator_id)
      .where('password_hash', '=', account.password_hash)
      .where('active', '=', true)
      .where('second_factor', 'is not distinct from', account.second_factor)
      .executeTakeFirst();
    if (same.numUpdatedRows !== 1n) return false;
    await trx.deleteFrom('operator_session').where('expires_at', '<', at).execute();
    await trx
      .insertInto('operator_session')
      .values({
        token_hash: tokenHash(token),
        operator_id: account.operator_id,
        created_at: at,
        last_seen_at: at,
        expires_at: absolute,
      })
      .execute();
    return true;
  });
  if (!isOpened) return { refused: 'changed meanwhile' };
  return { token, principal: principalOf(account, at, absolute, limits) };
}

type LoginRefusal =
  | 'unknown user'
  | 'wrong password'
  | 'deactivated'
  | 'second factor asked'
  | 'wrong second factor'
  | 'changed meanwhile';

/** Accepts a code once, across all instances. */
async function takeCode(
  db: Db,
  account: { operator_id: number; second_factor: string | null; second_factor_step: number },
  code: string,
  at: Date,
): Promise<boolean> {
  const { operator_id: id, second_factor: secret, second_factor_step: last } = account;
  const step = secret === null ? null : stepOf(secret, code, at, last);
  if (step === null) return false;
  const taken = await db
    .updateTable('operator_account')
    .set({ second_factor_step: step })
    .where('operator_id', '=', id)
    .where('second_factor', '=', secret)
    .where('second_factor_step', '<', step)
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
}

/** The operator of a valid token, or null. */
export async function findSession(db: Db, token: string, at: Date, limits = SESSION_LIMITS): Promise<Principal | null> {
  const hash = tokenHash(token);
  const idleSince = new Date(at.getTime() - limits.idleMs);
  const row = await db
    .selectFrom('operator_session as s')
    .innerJoin('operator_account as a', 'a.operator_id', 's.operator_id')
    .select(['a.operator_id', 'a.username', 'a.display_name', 'a.temporary_password', 's.last_seen_at', 's.expires_at'])
    .where('s.token_hash', '=', hash)
    .where('a.active', '=', true)
    .where('s.expires_at', '>', at)
    .where('s.last_seen_at', '>', idleSince)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (at.getTime() - row.last_seen_at.getTime() >= Math.min(SEEN_STEP_MS, limits.idleMs / 10)) {
    await sql`update operator_session set last_seen_at = greatest(last_seen_at, ${at}) where token_hash = ${hash}`.execute(
      db,
    );
  }
  return principalOf(row, at, row.expires_at, limits);
}

export async function logOut(db: Db, token: string): Promise<void> {
  await db.deleteFrom('operator_session').where('token_hash', '=', tokenHash(token)).execute();
}

/** Checks an operator's present password; returns its hash, for the change itself. */
export async function checkPassword(db: Db, operatorId: number, password: string): Promise<string | null> {
  const account = await db
    .selectFrom('operator_account')
    .select('password_hash')
    .where('operator_id', '=', operatorId)
    .executeTakeFirst();
  const held = account?.password_hash ?? UNMATCHED_HASH;
  return (await verifyPassword(password, held)) ? held : null;
}

/**
 * Sets an operator's own password and ends every other session of the account.
 *
 * @param held the hash that is replaced; another one means that the password has been changed meanwhile
 * @param token of the session that stays
 * @returns whether it was replaced
 */
export async function changePassword(
  db: Db,
  { operatorId, held, passwordHash, token }: { operatorId: number; held: string; passwordHash: string; token: string },
): Promise<boolean> {
  const changed = await db
    .updateTable('operator_account')
    .set({ password_hash: passwordHash, temporary_password: false })
    .where('operator_id', '=', operatorId)
    .where('password_hash', '=', held)
    .where('active', '=', true)
    .executeTakeFirst();
  if (changed.numUpdatedRows !== 1n) return false;
  await db
    .deleteFrom('operator_session')
    .where('operator_id', '=', operatorId)
    .where('token_hash', '!=', tokenHash(token))
    .execute();
  return true;
}

/** Sets the operator's display name in the head of the console; the user name stays. */
export async function rename(db: Db, operatorId: number, displayName: string): Promise<void> {
  await db
    .updateTable('operator_account')
    .set({ display_name: displayName })
    .where('operator_id', '=', operatorId)
    .execute();
}

function principalOf(
  account: { operator_id: number; username: string; display_name: string; temporary_password: boolean },
  at: Date,
  absolute: Date,
  { idleMs }: SessionLimits,
): Principal {
  return {
    operatorId: account.operator_id,
    username: account.username,
    displayName: account.display_name,
    temporaryPassword: account.temporary_password,
    expiresAt: new Date(Math.min(at.getTime() + idleMs, absolute.getTime())),
  };
}

/** The store keeps only the hash: a reader of the store cannot take over a session. */
function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
