/** The console API as a server: the steps that every request passes, on any route. */
import fastify, { LogController, type FastifyInstance, type FastifyRequest } from 'fastify';
import cookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import type { Writable } from 'node:stream';
import type { ConsoleRoute } from '../../shared/policy/console-routes.ts';
import { builtFiles } from '../../shared/service/http/pages.ts';
import { compressAnswers } from '../../shared/service/http/compressed.ts';
import { sendSafeHeaders } from '../../shared/service/http/safe-headers.ts';
import { OWN_VERSIONS, VERSION_HEADER, versionsText } from '../../shared/wire/version.ts';
import { answerInEnvelopes } from '../../shared/service/http/envelope-plugin.ts';
import type { ListenerLimits } from '../../shared/service/http/listener.ts';
import { serverOptions } from '../../shared/service/http/server-options.ts';
import type { ServerTls } from '../../shared/service/tls/server-tls.ts';
import { sourceAddress } from '../../shared/service/http/source-address.ts';
import type { Ids } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import type { DemoOffer, SignInOffer } from '../../shared/wire/sign-in.ts';
import { refuseUnknown, sentTarget } from './http/access.ts';
import type { ConsoleContext } from './context/context.ts';
import { answerable } from './http/failures.ts';
import { requestedFile, sendStaticFile } from './http/static-files.ts';
import { linesByTurn } from './http/log-lines.ts';
import type { ConsoleMetrics, Surface } from './http/metrics.ts';
import { foreignReason, isCrossSite, ownOrigins, type ReachedAt } from '../../shared/service/http/origins.ts';
import { admitOwnWindowOnly } from './http/own-window.ts';
import { pathOf } from '../../shared/service/http/target.ts';
import { LONGEST_PARAMETER, routableTarget } from './http/paths.ts';
import { registerRoutes } from './routes.ts';

/** The largest request body, in bytes: the longest text with every character escaped, and some room. */
const MOST_BODY = 256 * 1024;
const KEEP_ALIVE_MS = 5_000;
const EVENTS_PATH = '/api/v1/events' satisfies ConsoleRoute['path'];

export interface AppParts {
  ids: Ids;
  /** The address of the server, once it listens. */
  address: () => ReachedAt;
  /** Certificate and key, PEM, of a TLS server. */
  tls?: Pick<ServerTls, 'cert' | 'key'>;
  /** For tests: limits other than the listener's own. */
  limits?: Partial<ListenerLimits>;
  /** The secret required in every request when the server belongs to one window. */
  windowSecret?: string;
  /** Folder of the built pages. */
  pages: string;
  /** The page's line about single sign-on; null without it. */
  signIn: SignInOffer | null;
  /** Whether its login offers to register the first administrator. */
  isSetUpOpen: () => boolean;
  /** What the page of a demo offers; absent outside of one. */
  demo?: () => DemoOffer;
  /** False in tests; a stream in tests of the log itself. */
  log: boolean | Writable;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: readonly string[];
  /** Counts every answer. */
  metrics?: Pick<ConsoleMetrics, 'answered'>;
}

/** Builds the server without listening. */
export function buildApp(parts: AppParts, context: ConsoleContext): FastifyInstance {
  const server: FastifyInstance = fastify({
    ...serverOptions({
      ids: parts.ids,
      limits: { keepAliveMs: KEEP_ALIVE_MS, ...parts.limits },
      ...(parts.tls === undefined ? {} : { tls: { cert: parts.tls.cert, key: parts.tls.key } }),
      refused: (refusal) => server.log.info(refusal, 'connection refused before a request was read'),
    }),
    logger:
      parts.log === false
        ? false
        : { level: 'info', base: { part: 'console-api' }, stream: parts.log === true ? linesByTurn() : parts.log },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MOST_BODY,
    trustProxy: parts.trustedProxies === undefined ? false : [...parts.trustedProxies],
    rewriteUrl: (request) => routableTarget(request.url ?? ''),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
  });
  answerInEnvelopes(server, answerable);
  sendSafeHeaders(server, () => parts.tls !== undefined);
  // Tells page and desktop program the version, so that they detect a mismatch, also on the login screen.
  server.addHook('onSend', async (_request, reply, payload) => {
    void reply.header(VERSION_HEADER, versionsText(OWN_VERSIONS));
    return payload;
  });
  compressAnswers(server);
  if (parts.windowSecret !== undefined) admitOwnWindowOnly(server, parts.windowSecret);
  takeJsonAlone(server);
  void server.register(cookie);
  // The plugin gets no route of its own: a missing file is refused like any other path. The folder may be built later.
  void server.register(fastifyStatic, { ...builtFiles(parts.pages), serve: false, suppressWarning: true });
  refuseForeign(server, parts.address);
  server.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info(
      {
        method: request.method,
        path: pathOf(sentTarget(request)),
        status: reply.statusCode,
        ms,
        from: sourceAddress(request),
      },
      'answered',
    );
    parts.metrics?.answered(surfaceOf(request), routeOf(request), reply.statusCode, reply.elapsedTime);
    done();
  });
  // A hook of the plugin reads cookies: the hooks and routes below must come after it.
  void server.after(() => {
    server.addHook('onRequest', async (request, reply) => {
      if (!request.is404) return;
      const asked = requestedFile(request);
      if (asked !== null && (await sendStaticFile(parts, asked, reply))) return reply;
      return refuseUnknown(context, request);
    });
    registerRoutes(server, context);
  });
  return server;
}

/** The policy route that a request matched; empty for none. */
const routeOf = (request: FastifyRequest): string => (request.is404 ? '' : (request.routeOptions.url ?? ''));

function surfaceOf(request: FastifyRequest): Surface {
  if (request.is404 && requestedFile(request) !== null) return 'static';
  if (request.routeOptions.url === EVENTS_PATH) return 'events';
  return request.method === 'GET' ? 'read' : 'write';
}

/** Accepts only JSON in UTF-8 as a body; any other type is 415 before it is read. */
function takeJsonAlone(server: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Many clients send the content type even without a body.
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      return done(new ApiError('COMMON400', 'The request body is not UTF-8.'));
    }
    return parse(request, text, done);
  });
}

/** Refuses requests that are not meant for this server, before anything else (D9). */
function refuseForeign(server: FastifyInstance, address: () => ReachedAt): void {
  server.addHook('onRequest', async (request) => {
    const foreign = foreignReason(request.headers, ownOrigins(address()));
    if (foreign !== null) throw new ApiError('COMMON403', foreign);
    if (requestedFile(request) === null && isCrossSite(request.headers)) {
      throw new ApiError('COMMON403', 'The request comes from a page of another site.');
    }
  });
}
