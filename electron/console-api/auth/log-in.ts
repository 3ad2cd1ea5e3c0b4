/** Begins a session, for a password login and for single sign-on alike (D9, D21). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { rememberLogin, type Member } from '../../../agent/ledger/accounts/members.ts';
import { closeSession, liveSession, openSession } from '../../../agent/ledger/accounts/sessions.ts';
import { cookieName, cookieOptions } from '../../../shared/service/http/session-cookie.ts';
import { sourceAddress } from '../../../shared/service/http/source-address.ts';
import type { SessionState } from '../../../shared/wire/console/session.ts';
import { SESSION_COOKIE, sessionToken } from '../http/access.ts';
import type { ConsoleContext } from '../context/context.ts';

/**
 * Opens a session in the transaction that has read the member, puts it on record and sets its cookie.
 *
 * @param at now
 * @param proof for single sign-on: the identity, and the provider's logout address; otherwise the factors proven beside
 * the password
 */
export function logIn(
  { context, request, reply }: { context: ConsoleContext; request: FastifyRequest; reply: FastifyReply },
  tx: LedgerTransaction,
  member: Member,
  at: Date,
  proof: { issuer?: string; signOutUrl?: string | null; secondFactor?: string; recoveryCodesLeft?: number } = {},
): SessionState {
  const { issuer, signOutUrl, ...second } = proof;
  // A new login ends the earlier session of this browser.
  const previous = sessionToken(context, request);
  if (previous !== undefined) closeSession(tx, previous, at.toISOString());
  rememberLogin(tx, member.id, at.toISOString());
  recordAction(tx, {
    at: at.toISOString(),
    actor: {
      kind: 'MEMBER',
      id: member.id,
      displayName: member.displayName,
      role: member.role,
      sourceAddress: sourceAddress(request),
    },
    action: 'auth.login',
    targetType: 'member',
    targetId: member.id,
    detail: { username: member.username, ...(issuer === undefined ? {} : { signIn: issuer }), ...second },
  });
  const token = openSession(tx, member.id, at, context.limits, signOutUrl);
  const session = liveSession(tx, token, at, context.limits);
  if (session === undefined) throw new TypeError('The session that was just opened is not there.');
  // Without a max age: it ends with the browser at the latest, and the server ends it before that.
  const { secureCookie } = context;
  void reply.setCookie(cookieName(SESSION_COOKIE, secureCookie), token, cookieOptions(secureCookie));
  return { authenticated: true, role: member.role, expiresAt: session.expiresAt };
}
