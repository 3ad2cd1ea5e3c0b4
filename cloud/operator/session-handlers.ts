/** The rows about the operator's own session (document 2 section 4, D9, D22). */
import { setTimeout as waitFor } from 'node:timers/promises';
import { z } from 'zod';
import { LoginLimit } from '../../shared/service/login-limit.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { DISPLAY_NAME_LIMIT, type OperatorProfile, type OperatorSessionState } from '../../shared/wire/operator.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Store } from '../store/open.ts';
import { isByOrigin } from './addresses.ts';
import { logIn, logOut, rename, type Principal } from './accounts.ts';
import type { ActivityType } from '../store/schema.ts';
import { operatorOf, recordActivity } from './activity-log.ts';
import { isStorableText, known, read, shownName, type Handlers } from './request.ts';
import { OPERATOR_COOKIE, sessionToken } from './session-cookie.ts';

/** PostgreSQL keeps no NUL, and half of a character is no text. */
const given = (longest: number) =>
  z.string().min(1).max(longest).refine(isStorableText, 'must not contain control characters or half of a character');
const loginBody = z.strictObject({ username: given(200), password: given(1_000) });
const profileBody = z.strictObject({
  displayName: shownName(DISPLAY_NAME_LIMIT),
});

const COOKIE_OPTIONS = { path: '/', httpOnly: true, sameSite: 'strict' } as const;

interface SessionParts {
  store: Store;
  clock: Clock;
  origin?: URL;
}

type SessionRoute = Extract<keyof Handlers, `${string}/auth/${string}` | `${string}/session` | `${string}/profile`>;

export function sessionHandlers({ store, clock, origin }: SessionParts): Pick<Handlers, SessionRoute> {
  const loginLimit = new LoginLimit(clock);
  return {
    'POST /api/v1/auth/login': async (request, reply) => {
      const { username, password } = read('body', loginBody, request.body);
      const { ip } = request;
      const record = (type: ActivityType, operatorId: number | null, reason?: string): Promise<void> =>
        recordActivity(store.db, {
          at: clock.now(),
          actor: { operatorId, name: username, sourceAddress: ip },
          type,
          targetType: 'OPERATOR',
          targetId: username,
          ...(reason === undefined ? {} : { reason }),
        });
      const slowedMs = await loginLimit.begin(username, ip, ({ limit }) =>
        record('OPERATOR_LOGIN_REFUSED', null, `too many attempts by ${limit}`),
      );
      if (slowedMs > 0) await waitFor(slowedMs);
      const session = await logIn(store.db, username, password, clock.now());
      if ('refused' in session) {
        await record('OPERATOR_LOGIN_REFUSED', null, session.refused);
        throw new ApiError('AUTH4011');
      }
      loginLimit.succeed(username, ip);
      await record('OPERATOR_LOGGED_IN', session.principal.operatorId);
      void reply.setCookie(OPERATOR_COOKIE, session.token, {
        ...COOKIE_OPTIONS,
        secure: isByOrigin(request.headers.host, origin),
      });
      return success(sessionState(session.principal));
    },
    'POST /api/v1/auth/logout': async (request, reply, principal) => {
      const actor = operatorOf(request, principal);
      await logOut(store.db, sessionToken(request) ?? '');
      const about = { targetType: 'OPERATOR', targetId: actor.name };
      await recordActivity(store.db, { at: clock.now(), actor, type: 'OPERATOR_LOGGED_OUT', ...about });
      void reply.clearCookie(OPERATOR_COOKIE, COOKIE_OPTIONS);
      return success();
    },
    'GET /api/v1/auth/session': async (_request, _reply, principal) => success(sessionState(known(principal))),
    'GET /api/v1/session': async (_request, _reply, principal) => success(profile(known(principal))),
    'PATCH /api/v1/session/profile': async (request, _reply, principal) => {
      const { displayName } = read('body', profileBody, request.body);
      const { operatorId } = known(principal);
      await rename(store.db, operatorId, displayName);
      return success(profile({ ...known(principal), displayName }));
    },
  };
}

function sessionState(principal: Principal): OperatorSessionState {
  return { authenticated: true, role: 'OPERATOR', expiresAt: principal.expiresAt.toISOString() };
}

function profile(principal: Principal): OperatorProfile {
  return {
    id: String(principal.operatorId),
    username: principal.username,
    displayName: principal.displayName,
    role: 'OPERATOR',
  };
}
