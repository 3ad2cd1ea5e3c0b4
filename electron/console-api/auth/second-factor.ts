/** The second factor: the setting for reviewers, its set-up by its owner, its reset by an administrator. */
import { z } from 'zod';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  resetSecondFactor,
  secondFactorSetting,
  setSecondFactorSetting,
} from '../../../agent/ledger/accounts/second-factors.ts';
import { enrolmentUri } from '../../../shared/service/accounts/second-factor.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import type { ConsoleMember } from '../../../shared/wire/console/console.ts';
import { memberSchema } from '../../../shared/wire/console/members.ts';
import {
  recoveryCodesSchema,
  secondFactorBegunSchema,
  secondFactorSettingSchema,
  type RecoveryCodes,
  type SecondFactorBegun,
  type SecondFactorSetting,
} from '../../../shared/wire/console/second-factor.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { memberNow } from '../accounts/members.ts';
import { idPath, LONGEST, text } from '../http/schemas.ts';

export const secondFactorHandlers = {
  'GET /api/v1/members/second-factor': endpoint({
    summary: 'Whether reviewers who log in by password are asked for a second factor',
    result: secondFactorSettingSchema,
    etag: 'version',
    handle: ({ context }): SecondFactorSetting => secondFactorSetting(context.ledger),
  }),

  'PUT /api/v1/members/second-factor': endpoint({
    summary: 'Ask reviewers who log in by password for a second factor, or no more',
    body: z.strictObject({ reviewers: z.boolean() }),
    ifMatch: true,
    result: secondFactorSettingSchema,
    etag: 'version',
    handle: ({ body, caller, context, expected, write }): Promise<SecondFactorSetting> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        setSecondFactorSetting(tx, { ...body, actor: actorOf(caller), at, ...expected });
        return secondFactorSetting(tx);
      });
    },
  }),

  'DELETE /api/v1/members/{id}/second-factor': endpoint({
    summary: 'Take a user’s second factor away; their sessions end, and the next login sets up another one',
    path: idPath,
    ifMatch: true,
    result: memberSchema,
    etag: 'version',
    handle: ({ path, caller, context, expected, write }): Promise<ConsoleMember> => {
      if (path.id === caller.member.id)
        throw new ApiError('COMMON403', 'Another administrator resets your second factor.');
      return write((tx) => {
        const at = context.clock.now().toISOString();
        resetSecondFactor(tx, { id: path.id, actor: actorOf(caller), at, ...expected });
        return memberNow(tx, path.id);
      });
    },
  }),

  'POST /api/v1/session/second-factor': endpoint({
    summary: 'Begin to set up one’s own second factor; a set-up that was begun before counts no more',
    result: secondFactorBegunSchema,
    handle: async ({ caller, context, write }): Promise<SecondFactorBegun> => {
      const secret = await write((tx) =>
        beginSecondFactor(tx, { member: caller.member, actor: actorOf(caller), at: context.clock.now().toISOString() }),
      );
      return { secret, uri: enrolmentUri(secret, caller.member.username) };
    },
  }),

  'POST /api/v1/session/second-factor/confirm': endpoint({
    summary: 'Finish the set-up with a first code; the answer shows the recovery codes once',
    body: z.strictObject({ code: text(LONGEST.username) }),
    result: recoveryCodesSchema,
    handle: async ({ body, caller, context, write }): Promise<RecoveryCodes> => {
      const { clock, loginLimit } = context;
      const { member, token } = caller;
      const refuse = (detail: { why: string; limit?: string }): Promise<unknown> =>
        write((tx) =>
          recordAction(tx, {
            at: clock.now().toISOString(),
            actor: actorOf(caller),
            action: 'member.second-factor-refused',
            targetType: 'member',
            targetId: member.id,
            detail: { username: member.username, ...detail },
          }),
        );
      const slowed = await loginLimit?.begin(member.username, caller.sourceAddress, ({ limit }) =>
        refuse({ why: 'too many attempts', limit }),
      );
      if (slowed !== undefined && slowed > 0) await context.pause(slowed);
      const recoveryCodes = await write((tx) =>
        confirmSecondFactor(tx, { member, token, code: body.code, at: clock.now(), actor: actorOf(caller) }),
      );
      if (recoveryCodes === null) {
        await refuse({ why: 'wrong code' });
        throw new ApiError('COMMON400', undefined, [{ path: 'body.code', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG }]);
      }
      loginLimit?.succeed(member.username, caller.sourceAddress);
      return { recoveryCodes };
    },
  }),
};
