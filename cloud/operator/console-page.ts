/**
 * Serves the built operator console: its files by name, and its page at `/` and at the addresses of its screens for a
 * browser. The page is the same for every user and holds no data, so it needs no session. Any other path stays with the
 * route policy.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { builtFiles } from '../../shared/service/http/pages.ts';
import { ApiError } from '../../shared/wire/envelope.ts';

/** The console's addresses: names and escaped ids, never below `/api`. */
const SCREEN = /^(?!\/api(?:\/|$))(?:\/(?:[\w.!~*'()-]|%[\dA-F]{2})+)+$/i;

const NOT_BUILT =
  'The pages of the operator console are not built: `npm run package -- --pages` builds them. The API works without them.';

/** @param folder of the build; without it the server reports that there is none */
export async function serveConsolePage(server: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    server.log.warn({ folder }, NOT_BUILT);
    server.get('/', () => {
      throw new ApiError('COMMON503', NOT_BUILT);
    });
    return;
  }
  await server.register(async (scope) => {
    // One route per file that exists at the start, so that any other path stays with the policy.
    await scope.register(fastifyStatic, { ...builtFiles(folder), prefix: '/', wildcard: false });
    // A browser's navigation requests a screen; other clients learn that the path does not exist.
    scope.get('/*', (request, reply) => {
      const path = request.url.split('?')[0] ?? '';
      const isScreen = SCREEN.test(path) && request.headers.accept?.includes('text/html') === true;
      return isScreen ? reply.sendFile('index.html') : reply.callNotFound();
    });
  });
}
