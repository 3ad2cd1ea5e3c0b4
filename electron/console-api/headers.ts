/** The headers that tell a browser what an answer may do: next to nothing. */
import type { FastifyInstance } from 'fastify';
import { HSTS } from '../../shared/service/session-cookie.ts';
import { OWN_VERSIONS, VERSION_HEADER, versionsText } from '../../shared/wire/version.ts';

/** For everything but the front's page. */
const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** For the front's page: files of the build and our own API, and nothing written into the page at run time. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  // Page and desktop program say when it does not fit theirs, the login screen included.
  [VERSION_HEADER]: versionsText(OWN_VERSIONS),
} as const;

/** Puts them on every answer; an answer may have set a policy or a caching of its own before. */
export function sendSafeHeaders(server: FastifyInstance, isTls: boolean): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    void reply.headers(isTls ? { ...ALWAYS, ...HSTS } : ALWAYS);
    if (!reply.hasHeader('content-security-policy')) void reply.header('content-security-policy', INERT_POLICY);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    done(null, payload);
  });
}
