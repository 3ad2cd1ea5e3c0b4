/** The cookie that holds a session's token (D22), and whether it travels encrypted. */
import type { FastifyRequest } from 'fastify';
import { cookieName } from '../../shared/service/http/session-cookie.ts';
import { isByOrigin } from './addresses.ts';

export const OPERATOR_COOKIE = 'causeway_operator';

/** Whether a browser has come by TLS: that of this server, or of the proxy before it. */
export function isOverTls(parts: { tls?: object | null; origin?: URL }, request: FastifyRequest): boolean {
  return (parts.tls ?? null) !== null || isByOrigin(request.headers.host, parts.origin);
}

/** Read from the header, because who asks is looked at before any plugin has. */
export function sessionToken(request: FastifyRequest, isSecure: boolean): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[cookieName(OPERATOR_COOKIE, isSecure)];
}
