/** Login and logout, and what a user sees and changes about themselves (D9, D10, D18). */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { recordAction } from '../../agent/ledger/audit.ts';
import { registerMember, renameMember } from '../../agent/ledger/member-changes.ts';
import { memberForLogin, rememberLogin, type Member } from '../../agent/ledger/members.ts';
import { hashPassword, UNMATCHED_HASH, verifyPassword } from '../../agent/ledger/passwords.ts';
import { closeSession, liveSession, openSession } from '../../agent/ledger/sessions.ts';
import { permissionsOf } from '../../shared/policy/matrix.ts';
import { fieldErrors } from '../../shared/service/envelope-plugin.ts';
import type { Profile, SessionState } from '../../shared/wire/console.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { profileSchema, sessionStateSchema } from '../../shared/wire/console/session.ts';
import { SESSION_COOKIE } from './access.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { endpoint, publicEndpoint } from './endpoint.ts';
import { displayName, LONGEST, newPassword, newUsername, notTheUserName, requiredText, text } from './schemas.ts';

const loginBody = z.strictObject({
  username: requiredText(LONGEST.username),
  password: text(LONGEST.password),
  /** Makes the first administrator, of this name and with this password, where there is no account yet. */
  setupCode: text(100).optional(),
});

const profileBody = z.strictObject({ displayName });

export const sessionHandlers = {
  'POST /api/v1/auth/login': publicEndpoint({
    summary: 'Log in',
    result: sessionStateSchema,
    body: loginBody,
    handle: async ({ body, context, request, reply }): Promise<SessionState> => {
      const { ledger, clock, limits, loginLimit } = context;
      loginLimit?.begin(body.username, request.ip, ({ limit }) =>
        ledger.write((tx) =>
          recordAction(tx, {
            at: clock.now().toISOString(),
            actor: { kind: 'UNKNOWN', username: body.username },
            action: 'auth.login-refused',
            targetType: 'member',
            targetId: memberForLogin(tx, body.username)?.member.id ?? null,
            detail: { why: 'too many attempts', limit },
          }),
        ),
      );
      if (body.setupCode !== undefined) await makeFirstAdmin(context, body, body.setupCode);
      const asked = memberForLogin(ledger, body.username);
      // A user who does not exist costs the same time as a wrong password.
      const isRight = await verifyPassword(body.password, asked?.passwordHash ?? UNMATCHED_HASH);
      const at = clock.now();
      const iso = at.toISOString();
      const opened = ledger.write((tx) => {
        // Looked at once more: the account may have changed while the password was being verified.
        const found = memberForLogin(tx, body.username);
        if (!isRight || found === undefined || !found.member.active || found.passwordHash !== asked?.passwordHash) {
          recordAction(tx, {
            at: iso,
            actor: { kind: 'UNKNOWN', username: body.username },
            action: 'auth.login-refused',
            targetType: 'member',
            targetId: found?.member.id ?? null,
            detail: {
              why: found === undefined ? 'unknown user' : found.member.active ? 'wrong password' : 'deactivated',
            },
          });
          return null;
        }
        const { member } = found;
        // Whoever logs in anew leaves the session they had in this browser.
        const previous = request.cookies[SESSION_COOKIE];
        if (previous !== undefined) closeSession(tx, previous);
        rememberLogin(tx, member.id, iso);
        recordAction(tx, {
          at: iso,
          actor: { kind: 'MEMBER', id: member.id, displayName: member.displayName, role: member.role },
          action: 'auth.login',
          targetType: 'member',
          targetId: member.id,
          detail: { username: member.username },
        });
        const token = openSession(tx, member.id, at, limits);
        return { token, session: liveSession(tx, token, at, limits) };
      });
      if (opened?.session === undefined) throw new ApiError('AUTH4011');
      loginLimit?.succeed(body.username, request.ip);
      setSessionCookie(reply, context, opened.token);
      return { authenticated: true, role: opened.session.member.role, expiresAt: opened.session.expiresAt };
    },
  }),

  'POST /api/v1/auth/logout': endpoint({
    summary: 'Log out',
    handle: ({ caller, context, reply }): void => {
      context.ledger.write((tx) => {
        closeSession(tx, caller.token);
        recordAction(tx, {
          at: context.clock.now().toISOString(),
          actor: actorOf(caller),
          action: 'auth.logout',
          targetType: 'member',
          targetId: caller.member.id,
          detail: { username: caller.member.username },
        });
      });
      void reply.clearCookie(SESSION_COOKIE, cookieOptions(context));
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
    summary: 'Who is logged in, and what they may do',
    result: profileSchema,
    etag: 'version',
    handle: ({ caller }): Profile => profileOf(caller.member),
  }),

  'PATCH /api/v1/session/profile': endpoint({
    summary: 'Change one’s display name',
    body: profileBody,
    ifMatch: true,
    result: profileSchema,
    etag: 'version',
    handle: ({ body, caller, context, expected }): Profile => {
      const { id } = caller.member;
      const at = context.clock.now().toISOString();
      const { displayName } = body;
      return context.ledger.write((tx) =>
        profileOf(renameMember(tx, { id, displayName, actor: actorOf(caller), at, ...expected })),
      );
    },
  }),
};

/**
 * Registers the first administrator. A code that is wrong, or one that comes too late, changes nothing: what
 * follows is a login like any other. Only whoever has the code learns what a name or password must be.
 *
 * @throws ApiError COMMON400
 */
async function makeFirstAdmin(
  context: ConsoleContext,
  account: z.infer<typeof loginBody>,
  code: string,
): Promise<void> {
  const { ledger, setUp, clock, ids } = context;
  if (!setUp.fits(ledger, code)) return;
  const read = z
    .strictObject({ username: newUsername, password: newPassword })
    .refine(...notTheUserName)
    .safeParse({ username: account.username, password: account.password });
  if (!read.success) throw new ApiError('COMMON400', undefined, fieldErrors(read.error, 'body'));
  const { username, password } = read.data;
  const passwordHash = await hashPassword(password);
  const at = clock.now().toISOString();
  ledger.write((tx) => {
    // Another may have been faster while the password was hashed.
    if (!setUp.fits(tx, code)) return;
    const role = 'TENANT_ADMIN';
    const actor = { kind: 'UNKNOWN', username } as const;
    registerMember(tx, { id: ids.uuid(), username, displayName: username, role, passwordHash, actor, at });
  });
  setUp.done();
}

function profileOf(member: Member): Profile {
  const { id, username, displayName, role, version } = member;
  return { id, username, displayName, role, permissions: permissionsOf(role), version };
}

function cookieOptions(context: ConsoleContext) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: context.secureCookie } as const;
}

/** Without an age: it ends with the browser at the latest, and the server ends it before that. */
function setSessionCookie(reply: FastifyReply, context: ConsoleContext, token: string): void {
  void reply.setCookie(SESSION_COOKIE, token, cookieOptions(context));
}
