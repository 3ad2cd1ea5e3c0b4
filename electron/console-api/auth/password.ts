/**
 * The caller's own password (D9, D18): a change requires the present one and ends all other sessions of the account.
 */
import { z } from 'zod';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { hasIdentity } from '../../../agent/ledger/accounts/identities.ts';
import { MemberMovedOnError } from '../../../agent/ledger/accounts/member-changes.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { findMember, memberForLogin, setPassword } from '../../../agent/ledger/accounts/members.ts';
import { refuseGuessable } from '../../../shared/service/accounts/password-rules.ts';
import { hashPassword, verifyPassword } from '../../../shared/service/accounts/passwords.ts';
import { closeOtherSessions } from '../../../agent/ledger/accounts/sessions.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { LONGEST, newPassword, text } from '../http/schemas.ts';

const passwordBody = z
  .strictObject({ currentPassword: text(LONGEST.password), newPassword })
  .refine((body) => body.newPassword.normalize('NFKC') !== body.currentPassword.normalize('NFKC'), {
    path: ['newPassword'],
    message: ACCOUNT_RULES.PASSWORD_SAME,
  });

export const passwordHandlers = {
  'POST /api/v1/session/password': endpoint({
    summary: 'Change one’s own password; every other session of the account ends',
    body: passwordBody,
    ifMatch: true,
    handle: async ({ body, caller, context, expected, write }): Promise<void> => {
      const { username } = caller.member;
      if (hasIdentity(context.ledger, caller.member.id))
        throw new ApiError('COMMON409', 'You sign in by single sign-on and have no password here.');
      await refuseGuessable(body.newPassword, { username, firmNames: context.firmNames }, 'body.newPassword');
      const { ledger, loginLimit } = context;
      // An unattended session must not allow password guessing either.
      const slowed = await loginLimit?.begin(username, caller.sourceAddress, ({ limit }) =>
        write((tx) =>
          record(tx, caller, context, 'member.password-refused', { username, why: 'too many attempts', limit }),
        ),
      );
      if (slowed !== undefined && slowed > 0) await context.pause(slowed);
      const known = memberForLogin(ledger, username)?.passwordHash;
      const isRight = known !== undefined && (await verifyPassword(body.currentPassword, known));
      const passwordHash = isRight ? await hashPassword(body.newPassword) : null;
      const isChanged = await write((tx) => {
        const { version } = findMember(tx, caller.member.id) ?? caller.member;
        if (expected.expectedVersion !== undefined && expected.expectedVersion !== version) {
          throw new MemberMovedOnError(version);
        }
        // Checked again: another session may have changed it during the verification.
        const isSame = memberForLogin(tx, username)?.passwordHash === known;
        if (passwordHash === null || !isSame) {
          record(tx, caller, context, 'member.password-refused', { username });
          return false;
        }
        setPassword(tx, caller.member.id, passwordHash, 'member');
        const endedSessions = closeOtherSessions(tx, {
          memberId: caller.member.id,
          token: caller.token,
          at: context.clock.now().toISOString(),
        });
        record(tx, caller, context, 'member.password', { username, endedSessions });
        return true;
      });
      if (!isChanged) {
        throw new ApiError('COMMON400', undefined, [
          { path: 'body.currentPassword', message: ACCOUNT_RULES.PASSWORD_WRONG },
        ]);
      }
      loginLimit?.succeed(username, caller.sourceAddress);
    },
  }),
};

function record(
  tx: LedgerTransaction,
  caller: Caller,
  { clock }: ConsoleContext,
  action: string,
  detail: Record<string, unknown>,
): void {
  const at = clock.now().toISOString();
  recordAction(tx, { at, actor: actorOf(caller), action, targetType: 'member', targetId: caller.member.id, detail });
}
