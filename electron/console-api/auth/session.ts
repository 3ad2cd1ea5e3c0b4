/** Login and logout, and the caller's own profile (D9, D10, D18, D21). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { isAccountAltered } from '../../../agent/ledger/audit/single-things.ts';
import { markOf } from '../../../agent/ledger/storage/watch.ts';
import { hasIdentity } from '../../../agent/ledger/accounts/identities.ts';
import { registerMember, renameMember } from '../../../agent/ledger/accounts/member-changes.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { memberForLogin, type Member } from '../../../agent/ledger/accounts/members.ts';
import { hashPassword, UNMATCHED_HASH, verifyPassword } from '../../../shared/service/accounts/passwords.ts';
import { closeSession, signOutUrlOf } from '../../../agent/ledger/accounts/sessions.ts';
import {
  factorResetAt,
  hasSecondFactor,
  needsSecondFactor,
  takeSecondFactor,
} from '../../../agent/ledger/accounts/second-factors.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import { refuseGuessable } from '../../../shared/service/accounts/password-rules.ts';
import { permissionsOf, type FunctionId } from '../../../shared/policy/matrix.ts';
import { cookieName, cookieOptions } from '../../../shared/service/http/session-cookie.ts';
import { fieldErrors } from '../../../shared/service/http/envelope-plugin.ts';
import { sourceAddress } from '../../../shared/service/http/source-address.ts';
import type { Profile, SessionState } from '../../../shared/wire/console/console.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { holdsUnread } from '../../../shared/wire/characters.ts';
import {
  profileSchema,
  sessionStateSchema,
  signedOutSchema,
  signInBegunSchema,
  type SignedOut,
  type SignInBegun,
} from '../../../shared/wire/console/session.ts';
import { countOwnChange, outstandingOf, SESSION_COOKIE } from '../http/access.ts';
import { actorOf, type ConsoleContext } from '../context/context.ts';
import { endpoint, publicEndpoint } from '../http/endpoint.ts';
import { logIn } from './log-in.ts';
import { displayName, LONGEST, newPassword, newUsername, requiredText, text } from '../http/schemas.ts';
import { beginSignIn, finishSignIn, refused } from './sso.ts';

const passwordLogin = z.strictObject({
  method: z.literal('PASSWORD').optional(),
  // A refused name stands in the audit log as typed.
  username: requiredText(LONGEST.username).refine(
    (name) => !holdsUnread(name),
    'must not contain control characters or invisible ones',
  ),
  password: text(LONGEST.password),
  /** A code of the authenticator app, or a recovery code, if one is required (AUTH4013). */
  secondFactor: text(100).optional(),
  /** Creates the first administrator, with this name and password, while no account exists. */
  setupCode: text(100).optional(),
});

const loginBody = z.discriminatedUnion('method', [
  passwordLogin,
  /** Requests the provider's sign-in address; the browser returns to `redirectUri`. */
  z.strictObject({ method: z.literal('SSO_BEGIN'), redirectUri: text(200) }),
  /** `returned` is the query with which the browser returned, unchanged. */
  z.strictObject({ method: z.literal('SSO_FINISH'), returned: text(8_000) }),
]);

const profileBody = z.strictObject({ displayName });

export const sessionHandlers = {
  'POST /api/v1/auth/login': publicEndpoint({
    summary: 'Log in',
    result: z.union([sessionStateSchema, signInBegunSchema]),
    body: loginBody,
    handle: ({ body, ...asked }): Promise<SessionState | SignInBegun> => {
      if (body.method === 'SSO_BEGIN') return beginSignIn(asked, body.redirectUri);
      if (body.method === 'SSO_FINISH') return finishSignIn(asked, body.returned);
      return logInByPassword(asked, body);
    },
  }),

  'POST /api/v1/auth/logout': endpoint({
    summary: 'Log out',
    result: signedOutSchema,
    handle: async ({ caller, context, reply, write }): Promise<SignedOut> => {
      const signOutUrl = await write((tx) => {
        const url = signOutUrlOf(tx, caller.token);
        const at = context.clock.now();
        closeSession(tx, caller.token, at.toISOString());
        recordAction(tx, {
          at: at.toISOString(),
          actor: actorOf(caller),
          action: 'auth.logout',
          targetType: 'member',
          targetId: caller.member.id,
          detail: { username: caller.member.username },
        });
        return url;
      });
      const { secureCookie } = context;
      void reply.clearCookie(cookieName(SESSION_COOKIE, secureCookie), cookieOptions(secureCookie));
      return { signOutUrl };
    },
  }),

  'GET /api/v1/auth/session': endpoint({
    summary: 'The session: role and end',
    result: sessionStateSchema,
    handle: ({ caller }): SessionState => ({
      authenticated: true,
      role: caller.member.role,
      expiresAt: caller.expiresAt,
    }),
  }),

  'GET /api/v1/session': endpoint({
    summary: 'The member who is logged in, with their permissions',
    result: profileSchema,
    etag: 'version',
    handle: ({ caller, context }): Profile => profileOf(context, caller.member),
  }),

  'PATCH /api/v1/session/profile': endpoint({
    summary: 'Change one’s display name',
    body: profileBody,
    ifMatch: true,
    result: profileSchema,
    etag: 'version',
    handle: ({ body, caller, context, expected, write }): Promise<Profile> => {
      countOwnChange(context, caller);
      const { id } = caller.member;
      const at = context.clock.now().toISOString();
      const { displayName } = body;
      return write((tx) =>
        profileOf(context, renameMember(tx, { id, displayName, actor: actorOf(caller), at, ...expected })),
      );
    },
  }),
};

/** @throws ApiError AUTH4011, AUTH4013, AUTH4032, COMMON400, COMMON429 */
async function logInByPassword(
  asked: { context: ConsoleContext; request: FastifyRequest; reply: FastifyReply },
  given: z.infer<typeof passwordLogin>,
): Promise<SessionState> {
  const { context, request } = asked;
  const { ledger, write, clock, loginLimit, sso } = context;
  const { username, password, setupCode, secondFactor } = given;
  const address = sourceAddress(request);
  const recordRefused = (tx: LedgerTransaction, member: Member | undefined, detail: { why: string; limit?: string }) =>
    recordAction(tx, {
      at: clock.now().toISOString(),
      actor: { kind: 'UNKNOWN', username, sourceAddress: address },
      action: 'auth.login-refused',
      targetType: 'member',
      targetId: member?.id ?? null,
      detail,
    });
  const recordAsked = (tx: LedgerTransaction, { id }: Member) =>
    recordAction(tx, {
      at: clock.now().toISOString(),
      actor: { kind: 'UNKNOWN', username, sourceAddress: address },
      action: 'auth.second-factor-asked',
      targetType: 'member',
      targetId: id,
      detail: {},
    });
  const recordAsGiven = (detail: { why: string; limit?: string }) =>
    write((tx) => recordRefused(tx, memberForLogin(tx, username)?.member, detail));
  const slowed = await loginLimit?.begin(username, address, ({ limit }) =>
    recordAsGiven({ why: 'too many attempts', limit }),
  );
  if (sso !== null && !sso.settings.passwords) {
    await recordAsGiven({ why: 'PASSWORDS_OFF' });
    throw refused('PASSWORDS_OFF');
  }
  if (slowed !== undefined && slowed > 0) await context.pause(slowed);
  if (setupCode !== undefined) await makeFirstAdmin(context, given, setupCode, address);
  const known = memberForLogin(ledger, username);
  // An unknown user costs the same time as a wrong password.
  const isRight = await verifyPassword(password, known?.passwordHash ?? UNMATCHED_HASH);
  const at = clock.now();
  const opened = await write((tx) => {
    // Read again: the account may have changed during the verification.
    const found = memberForLogin(tx, username);
    if (isRight && found !== undefined && found.member.active && found.passwordHash === known?.passwordHash) {
      if (isAccountAltered(tx, found.member.id)) {
        recordRefused(tx, found.member, { why: 'ALTERED' });
        return { refused: 'ALTERED' } as const;
      }
      const second = provenSecond(tx, found.member, { code: secondFactor, at, loginLimit });
      if ('refused' in second) {
        if (second.refused !== null) recordRefused(tx, found.member, { why: second.refused });
        else recordAsked(tx, found.member);
        return second;
      }
      return logIn(asked, tx, found.member, at, second);
    }
    const why = found === undefined ? 'unknown user' : found.member.active ? 'wrong password' : 'deactivated';
    recordRefused(tx, found?.member, { why });
    return null;
  });
  if (opened === null) throw new ApiError('AUTH4011');
  if ('refused' in opened) {
    if (opened.refused === 'ALTERED') throw refused('ALTERED');
    if (opened.refused !== null)
      throw new ApiError('AUTH4013', undefined, [
        { path: 'body.secondFactor', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG },
      ]);
    // The password was right: this counts as no attempt, and clears none.
    loginLimit?.discount(username, address);
    throw new ApiError('AUTH4013');
  }
  loginLimit?.succeed(username, address);
  return opened;
}

/**
 * The factors that a member has proven beside the password.
 *
 * @returns the factor for the audit log, or null if no code was sent
 * @throws ApiError COMMON429
 */
function provenSecond(
  tx: LedgerTransaction,
  member: Member,
  { code, at, loginLimit }: { code: string | undefined; at: Date } & Pick<ConsoleContext, 'loginLimit'>,
): { secondFactor?: string; recoveryCodesLeft?: number } | { refused: 'wrong second factor' | null } {
  // A member without a factor sets it up in the session, which allows nothing else before that.
  if (!needsSecondFactor(tx, member) || !hasSecondFactor(tx, member.id)) return {};
  if (code === undefined) return { refused: null };
  loginLimit?.beginCode(member.username);
  const taken = takeSecondFactor(tx, member.id, code, at);
  if (taken === null) return { refused: 'wrong second factor' };
  loginLimit?.succeedCode(member.username);
  return { secondFactor: taken.by, ...(taken.by === 'recovery code' ? { recoveryCodesLeft: taken.left } : {}) };
}

/**
 * Registers the first administrator. A wrong or late code changes nothing: an ordinary login follows. Only a caller
 * with the code learns the rules for name and password.
 *
 * @throws ApiError COMMON400
 */
async function makeFirstAdmin(
  context: ConsoleContext,
  account: z.infer<typeof passwordLogin>,
  code: string,
  address: string,
): Promise<void> {
  const { ledger, write, setUp, clock, ids } = context;
  if (!setUp.fits(ledger, code)) return;
  const read = z
    .strictObject({ username: newUsername, password: newPassword })
    .safeParse({ username: account.username, password: account.password });
  if (!read.success) throw new ApiError('COMMON400', undefined, fieldErrors(read.error, 'body'));
  const { username, password } = read.data;
  await refuseGuessable(password, { username, firmNames: context.firmNames }, 'body.password');
  const passwordHash = await hashPassword(password);
  const at = clock.now().toISOString();
  await write((tx) => {
    // Another caller may have been faster while the password was hashed.
    if (!setUp.fits(tx, code)) return;
    const role = 'TENANT_ADMIN';
    const actor = { kind: 'UNKNOWN', username, sourceAddress: address } as const;
    registerMember(tx, { id: ids.uuid(), username, displayName: username, role, passwordHash, actor, at });
  });
  setUp.done();
}

function profileOf({ ledger, clock }: ConsoleContext, member: Member): Profile {
  const { id, username, displayName, role, version } = member;
  // A member who signs in at a provider has no password here.
  const isOut = (functionId: FunctionId): boolean => functionId === 'session.password' && hasIdentity(ledger, id);
  const permissions = permissionsOf(role).filter((functionId) => !isOut(functionId));
  return {
    id,
    username,
    displayName,
    role,
    permissions,
    version,
    outstanding: outstandingOf(ledger, member),
    secondFactorResetAt: factorResetAt(ledger, id),
    mark: markOf(ledger, clock),
  };
}
