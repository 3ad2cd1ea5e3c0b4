/**
 * The built pages of a console, as both servers send them: the content security policy and the cache lifetime of a
 * file.
 */
import { join } from 'node:path';
import type { FastifyStaticOptions } from '@fastify/static';

/** Policy of a page: files of the build and our own API; no script or style written at run time. */
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

/** The page with a `meta` element for each value that its server tells it, before any request, as JSON. */
export function tellPage(page: string, told: Readonly<Record<string, unknown>>): string {
  const elements = Object.entries(told).map(([name, value]) => {
    const escaped = JSON.stringify(value).replaceAll(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return `<meta name="${name}" content="${escaped}">`;
  });
  return page.replace('</head>', () => `${elements.join('')}</head>`);
}

/** How `@fastify/static` sends the files of a build that lies in this folder. */
export function builtFiles(folder: string) {
  return {
    root: folder,
    // The build may place a compressed form beside a file.
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, sent) => {
      const file = sent.replace(/\.(?:gz|br|deflate)$/, '');
      // The build puts a content hash into the names of its assets.
      const isHashed = file.startsWith(join(folder, 'assets'));
      void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      // The registered media type of a script; the library still sends the older one.
      if (file.endsWith('.js')) void reply.header('content-type', 'text/javascript; charset=utf-8');
      if (file.endsWith('.html')) void reply.header('content-security-policy', PAGE_POLICY);
    },
  } satisfies FastifyStaticOptions;
}
