/** The options that the Fastify servers of both sides share, down to the socket. */
import type { Server as HttpServer } from 'node:http';
import type { FastifyServerOptions } from 'fastify';
import { createListener, type ListenerOptions } from './listener.ts';

export function serverOptions(
  options: ListenerOptions,
): Pick<
  FastifyServerOptions<HttpServer>,
  | 'serverFactory'
  | 'clientErrorHandler'
  | 'genReqId'
  | 'requestIdHeader'
  | 'exposeHeadRoutes'
  | 'return503OnClosing'
  | 'forceCloseConnections'
> {
  return {
    serverFactory: (handler) => createListener(options, handler),
    // The listener answers instead.
    clientErrorHandler: () => undefined,
    genReqId: () => options.ids.uuid(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    // A client that is already connected gets its answer in the envelope, with `connection: close`.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  };
}
