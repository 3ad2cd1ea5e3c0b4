/** Operators' accounts whose passwords cost next to nothing to hash. */
import { cheapHash } from '../shared/accounts.ts';
import type { Db } from '../../../cloud/store/open.ts';

export async function addOperator(
  db: Db,
  account: { username: string; displayName: string; password: string },
  at: Date,
): Promise<void> {
  await db
    .insertInto('operator_account')
    .values({
      username: account.username,
      display_name: account.displayName,
      password_hash: cheapHash(account.password),
      temporary_password: false,
      created_at: at,
      last_login_at: null,
    })
    .onConflict((conflict) => conflict.column('username').doNothing())
    .execute();
}
