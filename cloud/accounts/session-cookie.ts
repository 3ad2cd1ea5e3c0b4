/** The cookie that holds a session's token (D22), and whether it travels encrypted. */
import type { FastifyRequest } from 'fastify';
import { cookieName } from '../../shared/service/http/session-cookie.ts';
import { isByOrigin } from './addresses.ts';

export const OPERATOR_COOKIE = 'causeway_operator';

/** Whether the browser's connection is encrypted: by this server's TLS, or by the proxy before it. */
export function isOverTls(parts: { tls?: object | null; origin?: URL }, request: FastifyRequest): boolean {
  return (parts.tls ?? null) !== null || isByOrigin(request.headers.host, parts.origin);
}

/** Read from the header, because the caller is identified before any plugin runs. */
export function sessionToken(request: FastifyRequest, isSecure: boolean): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[cookieName(OPERATOR_COOKIE, isSecure)];
}
