/**
 * The headers that tell a browser what an answer may do: next to nothing. Ours and not `@fastify/helmet`'s (README): they
 * stand on answers that come past all hooks too, and a year of TLS is told by request, behind a proxy as well.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HSTS } from './session-cookie.ts';

/** For everything but a page. */
const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** For answers that come past all hooks. */
export const INERT_HEADERS = { ...ALWAYS, 'content-security-policy': INERT_POLICY } as const;

/** Puts them on every answer; an answer may have set a policy or a caching of its own before. */
export function sendSafeHeaders(server: FastifyInstance, isOverTls: (request: FastifyRequest) => boolean): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    void reply.headers(isOverTls(request) ? { ...ALWAYS, ...HSTS } : ALWAYS);
    if (!reply.hasHeader('content-security-policy')) void reply.header('content-security-policy', INERT_POLICY);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    done(null, payload);
  });
}
