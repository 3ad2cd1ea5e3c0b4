/** The handlers of the operator's own session (operator API 4, D9, D22). */
import { setTimeout as waitFor } from 'node:timers/promises';
import { z } from 'zod';
import { LoginLimit } from '../../shared/service/accounts/login-limit.ts';
import { refuseGuessable, SHORTEST_PASSWORD } from '../../shared/service/accounts/password-rules.ts';
import { hashPassword } from '../../shared/service/accounts/passwords.ts';
import { ACCOUNT_RULES } from '../../shared/wire/account-rules.ts';
import { cookieName, cookieOptions } from '../../shared/service/http/session-cookie.ts';
import { sourceAddress } from '../../shared/service/http/source-address.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import {
  DISPLAY_NAME_LIMIT,
  type OperatorProfile,
  type OperatorSessionState,
} from '../../shared/wire/operator/operator.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Db, Store } from '../store/open.ts';
import {
  changePassword,
  checkPassword,
  logIn,
  logOut,
  rename,
  type Principal,
  type SessionLimits,
} from './accounts.ts';
import type { ActivityType } from '../store/schema.ts';
import { operatorOf, recordActivity } from './activity-log.ts';
import { holdsUnread } from '../../shared/wire/characters.ts';
import { isBlank, isStorableText } from '../../shared/wire/invisible.ts';
import { known, read, shownName, type Handlers } from './request.ts';
import { isOverTls, OPERATOR_COOKIE, sessionToken } from './session-cookie.ts';

/** PostgreSQL keeps no NUL, and half of a character is no text. */
const given = (longest: number) =>
  z.string().min(1).max(longest).refine(isStorableText, 'must not contain control characters or half of a character');
/** The audit log stores a refused name as typed. */
const username = given(200).refine(
  (name) => !holdsUnread(name),
  'must not contain control characters or invisible ones',
);
export const loginBody = z.strictObject({ username, password: given(1_000), secondFactor: given(200).optional() });
export const passwordBody = z
  .strictObject({
    currentPassword: given(1_000),
    newPassword: given(1_000)
      .refine((value) => value.length >= SHORTEST_PASSWORD, ACCOUNT_RULES.PASSWORD_SHORT)
      .refine((value) => !isBlank(value), ACCOUNT_RULES.BLANK),
  })
  .refine((body) => body.newPassword.normalize('NFKC') !== body.currentPassword.normalize('NFKC'), {
    path: ['newPassword'],
    message: ACCOUNT_RULES.PASSWORD_SAME,
  });
export const profileBody = z.strictObject({
  displayName: shownName(DISPLAY_NAME_LIMIT),
});

interface SessionParts {
  store: Store;
  clock: Clock;
  origin?: URL;
  tls?: object | null;
  limits?: SessionLimits;
  loginLimit?: LoginLimit;
}

type SessionRoute = Extract<keyof Handlers, `${string}/auth/${string}` | `${string}/session${string}`>;

export function sessionHandlers(parts: SessionParts): Pick<Handlers, SessionRoute> {
  const { store, clock, limits, loginLimit = new LoginLimit(clock) } = parts;
  /** @throws ApiError COMMON429, put on record */
  const countAttempt = async (
    username: string,
    address: string,
    record: (reason: string) => Promise<void>,
  ): Promise<void> => {
    const slowedMs = await loginLimit.begin(username, address, ({ limit }) => record(`too many attempts by ${limit}`));
    if (slowedMs > 0) await waitFor(slowedMs);
  };
  return {
    'POST /api/v1/auth/login': async (request, reply) => {
      const { username, ...proof } = read('body', loginBody, request.body);
      const ip = sourceAddress(request);
      const record = (type: ActivityType, operatorId: number | null, reason?: string): Promise<void> =>
        recordActivity(store.db, {
          at: clock.now(),
          actor: { operatorId, name: username, sourceAddress: ip },
          type,
          targetType: 'OPERATOR',
          targetId: username,
          ...(reason === undefined ? {} : { reason }),
        });
      await countAttempt(username, ip, (reason) => record('OPERATOR_LOGIN_REFUSED', null, reason));
      const session = await logIn(store, { username, ...proof }, clock.now(), limits, loginLimit);
      if ('refused' in session) {
        await record('OPERATOR_LOGIN_REFUSED', null, session.refused);
        if (session.refused === 'wrong second factor')
          throw new ApiError('AUTH4013', undefined, [
            { path: 'body.secondFactor', message: ACCOUNT_RULES.SECOND_FACTOR_WRONG },
          ]);
        if (session.refused !== 'second factor asked') throw new ApiError('AUTH4011');
        // The password was right: no further attempt, and no earlier one forgiven.
        loginLimit.discount(username, ip);
        throw new ApiError('AUTH4013');
      }
      loginLimit.succeed(username, ip);
      await record('OPERATOR_LOGGED_IN', session.principal.operatorId);
      const secure = isOverTls(parts, request);
      // A new login ends the session of this browser, also another operator's.
      const previous = sessionToken(request, secure);
      if (previous !== undefined) await logOut(store.db, previous);
      void reply.setCookie(cookieName(OPERATOR_COOKIE, secure), session.token, cookieOptions(secure));
      return success(sessionState(session.principal));
    },
    'POST /api/v1/auth/logout': async (request, reply, principal) => {
      const actor = operatorOf(request, principal);
      const secure = isOverTls(parts, request);
      await logOut(store.db, sessionToken(request, secure) ?? '');
      const about = { targetType: 'OPERATOR', targetId: actor.name };
      await recordActivity(store.db, { at: clock.now(), actor, type: 'OPERATOR_LOGGED_OUT', ...about });
      void reply.clearCookie(cookieName(OPERATOR_COOKIE, secure), cookieOptions(secure));
      return success();
    },
    'GET /api/v1/auth/session': async (_request, _reply, principal) => success(sessionState(known(principal))),
    'GET /api/v1/session': async (_request, _reply, principal) => success(profile(known(principal))),
    'POST /api/v1/session/password': async (request, _reply, principal, confirm) => {
      const { currentPassword, newPassword } = read('body', passwordBody, request.body);
      const { operatorId, username } = known(principal);
      const firmNames = await tenantNames(store.db);
      await refuseGuessable(newPassword, { username, firmNames }, 'body.newPassword');
      const record = (db: Db, type: ActivityType, reason?: string): Promise<void> =>
        recordActivity(db, {
          at: clock.now(),
          actor: operatorOf(request, principal),
          type,
          targetType: 'OPERATOR',
          targetId: username,
          ...(reason === undefined ? {} : { reason }),
        });
      // An unattended session must not allow guessing of passwords either.
      await countAttempt(username, sourceAddress(request), (reason) =>
        record(store.db, 'OPERATOR_PASSWORD_REFUSED', reason),
      );
      const held = await checkPassword(store.db, operatorId, currentPassword);
      const passwordHash = held === null ? null : await hashPassword(newPassword);
      const isChanged = await store.transaction(async (trx) => {
        const token = sessionToken(request, isOverTls(parts, request)) ?? '';
        await confirm(trx);
        const isMade =
          held !== null &&
          passwordHash !== null &&
          (await changePassword(trx, { operatorId, held, passwordHash, token }));
        if (isMade) await record(trx, 'OPERATOR_PASSWORD_CHANGED');
        else await record(trx, 'OPERATOR_PASSWORD_REFUSED', 'wrong password');
        return isMade;
      });
      if (!isChanged)
        throw new ApiError('COMMON400', undefined, [
          { path: 'body.currentPassword', message: ACCOUNT_RULES.PASSWORD_WRONG },
        ]);
      loginLimit.succeed(username, sourceAddress(request));
      return success();
    },
    'PATCH /api/v1/session/profile': async (request, _reply, principal, confirm) => {
      const { displayName } = read('body', profileBody, request.body);
      const { operatorId } = known(principal);
      const actor = operatorOf(request, principal);
      const about = { targetType: 'OPERATOR', targetId: actor.name, reason: displayName };
      await store.transaction(async (trx) => {
        await confirm(trx);
        await rename(trx, operatorId, displayName);
        await recordActivity(trx, { at: clock.now(), actor, type: 'OPERATOR_RENAMED', ...about });
      });
      return success(profile({ ...known(principal), displayName }));
    },
  };
}

/** Names of the firms that this console serves, which no password may contain. */
async function tenantNames(db: Db): Promise<string[]> {
  return (await db.selectFrom('tenant').select('name').execute()).map(({ name }) => name);
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
    outstanding: principal.temporaryPassword ? 'PASSWORD' : null,
  };
}
