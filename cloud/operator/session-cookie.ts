/** The cookie that holds a session's token (D22). */
import type { FastifyRequest } from 'fastify';

export const OPERATOR_COOKIE = 'causeway_operator';

/** Read from the header, because who asks is looked at before any plugin has. */
export function sessionToken(request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[OPERATOR_COOKIE];
}
