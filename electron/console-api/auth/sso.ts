/**
 * Single sign-on (D21): both steps belong to the login, the only surface without a session. The first step gives the
 * provider's address and sets a cookie in the requesting browser. The provider's answer is accepted once, from that
 * browser only, and becomes an ordinary session (D9).
 */
import { cookieName, cookieOptions } from '../../../shared/service/http/session-cookie.ts';
import { sourceAddress } from '../../../shared/service/http/source-address.ts';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { isAccountAltered } from '../../../agent/ledger/audit/single-things.ts';
import { DeactivatedMemberError, memberOfIdentity, memberSignedIn } from '../../../agent/ledger/accounts/identities.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { MemberStateError } from '../../../agent/ledger/accounts/member-changes.ts';
import { closeSessionsOf } from '../../../agent/ledger/accounts/sessions.ts';
import { ApiError, type FailureCode } from '../../../shared/wire/envelope.ts';
import { RETURN_PATH, type SignInRefusal } from '../../../shared/wire/sign-in.ts';
import type { SessionState, SignInBegun } from '../../../shared/wire/console/session.ts';
import type { ConsoleContext } from '../context/context.ts';
import { logIn } from './log-in.ts';
import { namesOf, rolesOf } from './sso-claims.ts';
import { claimOf, isLeftOut } from '../context/claims.ts';
import type { Proven } from '../context/sso-provider.ts';
import { MOST_MS, type SingleSignOn } from '../context/single-sign-on.ts';

/** The cookie of a sign-in in progress. */
const signInCookie = ({ secureCookie }: ConsoleContext): string => cookieName('causeway_sign_in', secureCookie);

interface SignInRequest {
  context: ConsoleContext;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** @throws ApiError COMMON400, COMMON403, COMMON429, COMMON503 */
export async function beginSignIn(
  { context, request, reply }: SignInRequest,
  redirectUri: string,
): Promise<SignInBegun> {
  const sso = offered(context);
  if (!isOurs(redirectUri, context, request))
    throw new ApiError('COMMON400', undefined, [
      { path: 'body.redirectUri', message: `must be ${RETURN_PATH} of this console, or of 127.0.0.1` },
    ]);
  await countAttempt(context, request);
  try {
    const { handle, url } = await sso.begin(redirectUri);
    void reply.setCookie(signInCookie(context), handle, {
      ...cookieOptions(context.secureCookie),
      maxAge: MOST_MS / 1_000,
    });
    return { authorizationUrl: url.href };
  } catch (error) {
    throw refusalOf(error, sso, request.log);
  }
}

/** @throws ApiError AUTH4012, AUTH4032, COMMON403, COMMON429, COMMON503 */
export async function finishSignIn({ context, request, reply }: SignInRequest, query: string): Promise<SessionState> {
  const sso = offered(context);
  const handle = request.cookies[signInCookie(context)];
  let proven: Proven | null;
  try {
    proven = handle === undefined ? null : await sso.finish(handle, query);
  } catch (error) {
    const refusal = refusalOf(error, sso, request.log);
    await context.write((tx) =>
      recordRefusal(tx, { context, request }, refusal.errors?.[0]?.message ?? refusal.code, {}),
    );
    throw refusal;
  }
  if (proven === null) {
    // A browser that has begun no sign-in is not counted yet, and must not fill the log either.
    await countAttempt(context, request);
    await context.write((tx) => recordRefusal(tx, { context, request }, 'EXPIRED', {}));
    throw refused('EXPIRED');
  }
  void reply.clearCookie(signInCookie(context), cookieOptions(context.secureCookie));
  const state = await admit({ context, request, reply }, sso, proven);
  context.loginLimit?.succeed(null, sourceAddress(request));
  return state;
}

/** @throws ApiError COMMON429 for too many attempts from an address */
async function countAttempt(context: ConsoleContext, request: FastifyRequest): Promise<void> {
  await context.loginLimit?.begin(null, sourceAddress(request), ({ limit }) =>
    context.write((tx) => recordRefusal(tx, { context, request }, 'too many attempts', { limit })),
  );
}

/** Creates or finds the member and opens the session. A refusal is put on record. */
async function admit(
  { context, request, reply }: SignInRequest,
  sso: SingleSignOn,
  proven: Proven,
): Promise<SessionState> {
  const { ledger, write, clock, ids } = context;
  const { issuer, subject, claims, signOutUrl } = proven;
  const { roleClaim } = sso.settings;
  const claim = claimOf(claims, roleClaim);
  const roles = rolesOf(claim, sso.settings.roles);
  const [role] = roles;
  const at = clock.now();
  const names = namesOf(claims, proven);
  const refuse = async (refusal: SignInRefusal, memberId: string | null): Promise<SignInRefusal> => {
    await write((tx) => {
      recordRefusal(tx, { context, request }, refusal, { issuer, subject, username: names.usernames[0] }, memberId);
      // A person without a role at the provider loses it in open sessions too.
      if (memberId !== null) closeSessionsOf(tx, memberId, at.toISOString());
    });
    return refusal;
  };
  const known = memberOfIdentity(ledger, proven)?.id ?? null;
  if (claim === undefined && isLeftOut(claims, roleClaim)) throw refused(await refuse('GROUPS_LEFT_OUT', known));
  if (role === undefined) throw refused(await refuse('NO_ROLE', known));
  if (roles.length > 1) throw refused(await refuse('SEVERAL_ROLES', known));
  try {
    const state = await write((tx) => {
      const present = memberOfIdentity(tx, proven);
      if (present !== undefined && isAccountAltered(tx, present.id)) return null;
      const member = memberSignedIn(tx, { issuer, subject, role, ...names }, ids.uuid(), at.toISOString());
      return logIn({ context, request, reply }, tx, member, at, { issuer, signOutUrl });
    });
    if (state === null) throw refused(await refuse('ALTERED', known));
    context.setUp.done();
    return state;
  } catch (error) {
    if (error instanceof DeactivatedMemberError) throw refused(await refuse('DEACTIVATED', known));
    if (error instanceof MemberStateError) throw refused(await refuse('LAST_ADMIN', known));
    throw error;
  }
}

/** @throws ApiError COMMON403 without a provider */
function offered({ sso }: ConsoleContext): SingleSignOn {
  if (sso === null) throw new ApiError('COMMON403', 'There is no single sign-on here.');
  return sso;
}

/** The return page of the console itself, or of a desktop program's own listener (RFC 8252 section 7.3). */
function isOurs(redirectUri: string, { secureCookie }: ConsoleContext, request: FastifyRequest): boolean {
  // The Host header has been checked by now.
  if (redirectUri === `${secureCookie ? 'https' : 'http'}://${request.headers.host}${RETURN_PATH}`) return true;
  const port = /^http:\/\/127\.0\.0\.1:(\d{1,5})\/(.*)$/.exec(redirectUri);
  return port !== null && Number(port[1]) <= 65_535 && `/${port[2]}` === RETURN_PATH;
}

const SENTENCES: Readonly<Record<SignInRefusal, { code: FailureCode; message: string }>> = {
  EXPIRED: { code: 'AUTH4012', message: 'This sign-in was not begun here, took too long or was used already.' },
  REFUSED: { code: 'AUTH4012', message: 'The sign-in service refused: begin again, or ask your administrator.' },
  INVALID: { code: 'AUTH4012', message: "The sign-in service's answer is not valid: sign in again." },
  NO_ROLE: { code: 'AUTH4032', message: 'You signed in, but the sign-in service gives you no role in this console.' },
  GROUPS_LEFT_OUT: {
    code: 'AUTH4032',
    message:
      'You signed in, but you are in more groups than the sign-in service tells: have it give this console its own groups alone, or roles.',
  },
  SEVERAL_ROLES: {
    code: 'AUTH4032',
    message: 'You signed in, but the sign-in service gives you more than one role in this console: only one can be.',
  },
  DEACTIVATED: { code: 'AUTH4032', message: 'Your account in this console is deactivated.' },
  LAST_ADMIN: {
    code: 'AUTH4032',
    message: 'You are the last active Tenant Admin, and the sign-in service gives you another role: name one first.',
  },
  ALTERED: {
    code: 'AUTH4032',
    message:
      'Your account is not as the audit log tells: it was changed past this program. Whoever runs its host looks at "verify", and then restores a backup or runs "console-api audit begin".',
  },
  PASSWORDS_OFF: { code: 'AUTH4032', message: 'Passwords are not accepted here: use single sign-on.' },
  PROVIDER_DOWN: { code: 'COMMON503', message: 'The sign-in service does not answer: try again shortly.' },
};

export function refused(refusal: SignInRefusal): ApiError {
  const { code, message } = SENTENCES[refusal];
  return new ApiError(code, message, [{ path: 'reason', message: refusal }]);
}

/** Maps an error of the provider or the library to an answer; the log has the details. */
function refusalOf(error: unknown, { settings }: SingleSignOn, log: FastifyBaseLogger): ApiError {
  const kind = error instanceof Error ? FAILURES_OF[error.name] : undefined;
  if (kind === undefined) throw error;
  log.warn({ issuer: settings.issuer.href, why: error instanceof Error ? error.message : null }, 'sign-in failed');
  return refused(kind);
}

/** By name: the classes belong to the library, which loads only on demand. */
const FAILURES_OF: Readonly<Record<string, SignInRefusal>> = {
  ProviderDownError: 'PROVIDER_DOWN',
  ProviderRefusedError: 'REFUSED',
  ProofInvalidError: 'INVALID',
};

function recordRefusal(
  tx: LedgerTransaction,
  { context: { clock, sso }, request }: Pick<SignInRequest, 'context' | 'request'>,
  why: string,
  detail: { limit?: string; username?: string; issuer?: string; subject?: string },
  memberId: string | null = null,
): void {
  recordAction(tx, {
    at: clock.now().toISOString(),
    actor: { kind: 'UNKNOWN', username: detail.username ?? '', sourceAddress: sourceAddress(request) },
    action: 'auth.login-refused',
    targetType: 'member',
    targetId: memberId,
    detail: { why, signIn: sso?.settings.issuer.href ?? null, ...detail },
  });
}
