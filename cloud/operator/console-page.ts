/**
 * Serves the built operator console: its files by name, and its page at `/` and at the addresses of its screens for a
 * browser. The page is the same for every user and holds no data, so it needs no session. Any other path stays with the
 * route policy.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { builtFiles, PAGE_POLICY, tellPage } from '../../shared/service/http/pages.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { DEMO_NAME, type DemoOffer } from '../../shared/wire/sign-in.ts';

/** The console's addresses: names and escaped ids, never below `/api`. */
const SCREEN = /^(?!\/api(?:\/|$))(?:\/(?:[\w.!~*'()-]|%[\dA-F]{2})+)+$/i;

const NOT_BUILT =
  'The pages of the operator console are not built: `npm run package -- --pages` builds them. The API works without them.';

/**
 * @param folder of the build; without it the server reports that there is none
 * @param demo what the page of a demo offers; absent outside of one (D231)
 */
export async function serveConsolePage(server: FastifyInstance, folder: string, demo?: DemoOffer): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    server.log.warn({ folder }, NOT_BUILT);
    server.get('/', () => {
      throw new ApiError('COMMON503', NOT_BUILT);
    });
    return;
  }
  await server.register(async (scope) => {
    if (demo !== undefined)
      scope.addHook('onRequest', async (request, reply) => {
        if (request.url !== '/' && !isScreen(request)) return undefined;
        const page = await readFile(join(folder, 'index.html'), 'utf8');
        void reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' });
        return reply.type('text/html; charset=utf-8').send(tellPage(page, { [DEMO_NAME]: demo }));
      });
    // One route per file that exists at the start, so that any other path stays with the policy.
    await scope.register(fastifyStatic, { ...builtFiles(folder), prefix: '/', wildcard: false });
    scope.get('/*', (request, reply) => (isScreen(request) ? reply.sendFile('index.html') : reply.callNotFound()));
  });
}

/** Whether a browser's navigation requests a screen; other clients learn that the path does not exist. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  return SCREEN.test(url.split('?')[0] ?? '') && headers.accept?.includes('text/html') === true;
}
