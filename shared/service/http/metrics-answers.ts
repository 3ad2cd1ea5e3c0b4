/**
 * A part's metrics for Prometheus at an address of their own, so that a collector needs no login and reaches nothing else.
 * Plain HTTP: it belongs on loopback, or into the network of the monitoring.
 */
import type { FastifyInstance } from 'fastify';
import type { Ids } from '../../time/clock.ts';
import { ApiError, success } from '../../wire/envelope.ts';
import { OWN_VERSIONS, PRODUCT_VERSION, VERSION_HEADER, versionsText } from '../../wire/version.ts';
import { answerInEnvelopes } from './envelope-plugin.ts';
import { HEALTH_METHODS } from './health.ts';
import { serverOptions } from './server-options.ts';

export interface MetricsAnswers {
  registry: { contentType: string; metrics(): Promise<string> };
  /** What the part's `/health` calls itself, by which the doctor tells the parts apart. */
  status: 'alive' | 'UP' | 'receiving';
  /** Turns an error of the part into its answer. */
  answerable?: (error: unknown) => unknown;
}

/** The options of such a server. */
export const metricsOptions = (ids: Ids): ReturnType<typeof serverOptions> =>
  serverOptions({ ids, limits: { connections: 64 }, refused: () => undefined });

/** Gives a server `GET /health` and `GET /metrics`, open to any caller, and nothing else. */
export function answerMetrics(
  server: FastifyInstance,
  { registry, status, answerable }: MetricsAnswers,
): FastifyInstance {
  answerInEnvelopes(server, answerable);
  server.addHook('onSend', async (_request, reply, payload) => {
    // The doctor tells this listener from another program's by the version.
    void reply.headers({ 'cache-control': 'no-store', [VERSION_HEADER]: versionsText(OWN_VERSIONS) });
    return payload;
  });
  server.setNotFoundHandler(() => {
    throw new ApiError('COMMON403', 'There is no such surface here.');
  });
  server.route({
    method: [...HEALTH_METHODS],
    url: '/health',
    handler: async () => success({ status, version: PRODUCT_VERSION }),
  });
  server.get('/metrics', async (_request, reply) => {
    void reply.type(registry.contentType);
    return registry.metrics();
  });
  return server;
}
