/**
 * Restricts what a browser may do with an answer. Own code instead of `@fastify/helmet` (README): these headers also go
 * on answers that bypass all hooks, and HSTS is decided per request, also behind a proxy.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HSTS } from './session-cookie.ts';

/** Policy for every answer except a page. */
const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** For answers that bypass all hooks. */
export const INERT_HEADERS = { ...ALWAYS, 'content-security-policy': INERT_POLICY } as const;

/** Sets the headers on every answer; an answer may have set its own policy or caching before. */
export function sendSafeHeaders(server: FastifyInstance, isOverTls: (request: FastifyRequest) => boolean): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    void reply.headers(isOverTls(request) ? { ...ALWAYS, ...HSTS } : ALWAYS);
    if (!reply.hasHeader('content-security-policy')) void reply.header('content-security-policy', INERT_POLICY);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    done(null, payload);
  });
}
