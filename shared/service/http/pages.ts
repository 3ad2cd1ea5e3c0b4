/** The built pages of a console, as both servers send them: who may add what to a page, and how long a file is kept. */
import { join } from 'node:path';
import type { FastifyStaticOptions } from '@fastify/static';

/** For a page: files of the build and our own API, and nothing written into the page at run time. */
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

/** How `@fastify/static` sends the files of a build that lies in this folder. */
export function builtFiles(folder: string) {
  return {
    root: folder,
    // Beside a file of the build may stand its compressed form.
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, sent) => {
      const file = sent.replace(/\.(?:gz|br|deflate)$/, '');
      // The build puts a hash of the content into the names of its assets.
      const isHashed = file.startsWith(join(folder, 'assets'));
      void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      // The registered type of a script; the library still says the older one.
      if (file.endsWith('.js')) void reply.header('content-type', 'text/javascript; charset=utf-8');
      if (file.endsWith('.html')) void reply.header('content-security-policy', PAGE_POLICY);
    },
  } satisfies FastifyStaticOptions;
}
