/**
 * Access: session first (401), then the policy (403), before a byte of the body is read (D6), and both again after the
 * body has arrived. Every request reads the ledger, so that logout, deactivation and a change of role take effect at
 * once (D9).
 */
import type { FastifyRequest } from 'fastify';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { findMember, type Member } from '../../../agent/ledger/accounts/members.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { hasSecondFactor, needsSecondFactor } from '../../../agent/ledger/accounts/second-factors.ts';
import { liveSession, touchSession, type SealingReader } from '../../../agent/ledger/accounts/sessions.ts';
import { cookieName } from '../../../shared/service/http/session-cookie.ts';
import type { ConsoleRoute } from '../../../shared/policy/console-routes.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import { sourceAddress } from '../../../shared/service/http/source-address.ts';
import { recognise } from '../../../shared/service/http/unfinished.ts';
import { AUTOMATIC_HEADER } from '../../../shared/wire/console/console.ts';
import type { Outstanding } from '../../../shared/wire/console/session.ts';
import { ApiError, type FailureCode } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { pathOf } from '../../../shared/service/http/target.ts';
import { isExactly } from './paths.ts';

export const SESSION_COOKIE = 'causeway_session';

/** The session token of a request, if any. */
export const sessionToken = ({ secureCookie }: Pick<ConsoleContext, 'secureCookie'>, request: FastifyRequest) =>
  request.cookies[cookieName(SESSION_COOKIE, secureCookie)];

/** The use of a session is recorded at most this often, in ms; more often only where the idle time is short. */
const TOUCH_MS = 60_000;

/** Most characters of an unknown path that the audit log keeps. */
const KEPT_PATH = 200;

/**
 * Lets a request to a route through or refuses it.
 *
 * @returns the caller; null for the public surface
 * @throws ApiError COMMON401, COMMON403, AUTH4033, AUTH4034
 */
export async function admit(
  context: ConsoleContext,
  route: ConsoleRoute,
  request: FastifyRequest,
): Promise<Caller | null> {
  if (!isExactly(route.path, pathOf(sentTarget(request)))) return refuseUnknown(context, request);
  if (route.functionId === 'public') return null;
  const caller = authenticate(context, request, isByItself(route, request));
  if (!isGranted(route.functionId, caller.member.role)) {
    await recordRefusal(context, caller, request, route.path);
    throw new ApiError('COMMON403');
  }
  refuseUnfinished(route, caller.member, context.ledger);
  return caller;
}

const UNFINISHED = { PASSWORD: 'AUTH4033', SECOND_FACTOR: 'AUTH4034' } as const satisfies Record<
  Outstanding,
  FailureCode
>;

/** The step that a member must take first. */
export function outstandingOf(reader: LedgerReader, member: Member): Outstanding | null {
  if (member.temporaryPassword) return 'PASSWORD';
  return needsSecondFactor(reader, member) && !hasSecondFactor(reader, member.id) ? 'SECOND_FACTOR' : null;
}

/** @throws ApiError AUTH4033, AUTH4034 */
function refuseUnfinished(route: ConsoleRoute, member: Member, reader: LedgerReader): void {
  const outstanding = outstandingOf(reader, member);
  if (outstanding !== null && route.atLogin !== true) throw new ApiError(UNFINISHED[outstanding]);
}

/**
 * Checks session and role of an admitted request again: either may have changed meanwhile. Changes nothing, so that it
 * can run inside a write.
 *
 * @returns the caller as they are now
 * @throws ApiError COMMON401, COMMON403
 */
export function confirmed(
  { clock, limits }: ConsoleContext,
  route: ConsoleRoute,
  caller: Caller | null,
  reader: SealingReader,
): Caller | null {
  if (caller === null || route.functionId === 'public') return null;
  const session = liveSession(reader, caller.token, clock.now(), limits);
  if (session === undefined) throw new ApiError('COMMON401');
  if (!isGranted(route.functionId, session.member.role)) throw new ApiError('COMMON403');
  refuseUnfinished(route, session.member, reader);
  return { ...caller, member: session.member };
}

/** Refuses a path outside the policy. Without a session the answer is 401 in any case, and reveals no path. */
export async function refuseUnknown(context: ConsoleContext, request: FastifyRequest): Promise<never> {
  const caller = authenticate(context, request, false);
  await recordRefusal(context, caller, request, pathOf(sentTarget(request)).slice(0, KEPT_PATH));
  throw new ApiError('COMMON403');
}

/** The original target, before the router's rewriting. */
export function sentTarget(request: FastifyRequest): string {
  return request.originalUrl;
}

/**
 * Whether a screen, not a user, caused the request: it does not renew the idle time (D9). The client declares this
 * itself, which can only shorten its session. An event stream reconnects automatically.
 */
function isByItself(route: ConsoleRoute, request: FastifyRequest): boolean {
  return route.functionId === 'events.view' || request.headers[AUTOMATIC_HEADER] !== undefined;
}

function authenticate(context: ConsoleContext, request: FastifyRequest, isAutomatic: boolean): Caller {
  const token = sessionToken(context, request);
  if (token === undefined || token === '') throw new ApiError('COMMON401');
  const { ledger, clock, limits } = context;
  const now = clock.now();
  const session = liveSession(ledger, token, now, limits);
  if (session === undefined) throw new ApiError('COMMON401');
  const unseenMs = now.getTime() - new Date(session.lastSeenAt).getTime();
  const isTouched = !isAutomatic && unseenMs >= Math.min(TOUCH_MS, limits.idleMs / 10);
  if (isTouched) touch(context, request, { token, person: session.member.id }, now);
  const live = isTouched ? liveSession(ledger, token, now, limits) : session;
  if (live === undefined) throw new ApiError('COMMON401');
  recognise(request.raw.socket);
  return { member: live.member, token, expiresAt: live.expiresAt, sourceAddress: sourceAddress(request) };
}

/** Records the last use of a session. A read does not wait for it while another process writes. */
function touch(
  { write, touching }: ConsoleContext,
  request: FastifyRequest,
  { token, person }: { token: string; person: string },
  at: Date,
): void {
  if (touching.has(token)) return;
  touching.add(token);
  write((tx) => touchSession(tx, token, at.toISOString()), person)
    .catch((error: unknown) => request.log.warn({ err: error }, 'the last use of a session was not stored'))
    .finally(() => touching.delete(token));
}

/**
 * Refused writes of one session that are recorded within the window; further ones are COMMON429, so that a client cannot
 * fill the log.
 */
const MOST_REFUSALS = 30;
const WINDOW_MS = 15 * 60_000;

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Records a write that the caller's role may not make. Refused reads are not recorded.
 */
export async function recordRefusal(
  context: ConsoleContext,
  caller: Caller,
  request: FastifyRequest,
  path: string,
): Promise<void> {
  if (READING.has(request.method)) return;
  countRefusal(context, caller.token);
  await context.write(
    (tx) =>
      recordAction(tx, {
        at: context.clock.now().toISOString(),
        // Read again: the role may have changed while the body arrived.
        actor: actorOf({ ...caller, member: findMember(tx, caller.member.id) ?? caller.member }),
        action: 'access.refused',
        // A refused action on accounts is account information (D17).
        targetType: path.startsWith('/api/v1/members') ? 'member' : 'route',
        targetId: null,
        detail: { method: request.method, path },
      }),
    caller.member.id,
  );
}

/** @throws ApiError COMMON429 when a session was refused too often */
function countRefusal({ refusals, clock }: ConsoleContext, token: string): void {
  count(
    refusals,
    { key: token, most: MOST_REFUSALS, clock },
    'You have sent too many requests that your role does not permit',
  );
}

/**
 * A user's changes to their own views and name within the window: every role may make them, and each is a permanent row
 * of the log.
 */
const MOST_OWN_CHANGES = 300;

/** @throws ApiError COMMON429 when a user has changed their own data too often */
export function countOwnChange({ ownChanges, clock }: ConsoleContext, { member }: Caller): void {
  count(ownChanges, { key: member.id, most: MOST_OWN_CHANGES, clock }, 'You have changed too many views or names');
}

/** @throws ApiError COMMON429 */
function count(
  counts: ConsoleContext['refusals'],
  { key, most, clock }: { key: string; most: number } & Pick<ConsoleContext, 'clock'>,
  told: string,
): void {
  const now = clock.now().getTime();
  for (const [each, { until }] of counts) if (until <= now) counts.delete(each);
  const counted = counts.get(key) ?? { count: 0, until: now + WINDOW_MS };
  if (counted.count >= most)
    throw new ApiError(
      'COMMON429',
      `${told}: wait and try again.`,
      undefined,
      Math.ceil((counted.until - now) / 1_000),
    );
  counted.count += 1;
  counts.set(key, counted);
}
