/**
 * A part's metrics for Prometheus at an address of their own, so that a collector needs no login and reaches nothing else.
 * Plain HTTP: it belongs on loopback, or into the network of the monitoring.
 */
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Ids } from '../../time/clock.ts';
import { ApiError, success } from '../../wire/envelope.ts';
import { OWN_VERSIONS, PRODUCT_VERSION, VERSION_HEADER, versionsText } from '../../wire/version.ts';
import type { ListenAddress } from '../variables.ts';
import { answerInEnvelopes } from './envelope-plugin.ts';
import { HEALTH_METHODS } from './health.ts';
import { MetricsListenError } from './metrics-address.ts';
import { hostAndPort } from './origins.ts';
import { serverOptions } from './server-options.ts';

export interface MetricsServerParts {
  registry: Pick<Registry, 'contentType' | 'metrics'>;
  ids: Ids;
  /** What the part's `/health` calls itself, by which the doctor tells the parts apart. */
  status: 'alive' | 'UP' | 'receiving';
  /** Turns an error of the part into its answer. */
  answerable?: (error: unknown) => unknown;
}

/** `GET /health` and `GET /metrics`, open to any caller. Not yet listening. */
export function createMetricsServer({ registry, ids, status, answerable }: MetricsServerParts): FastifyInstance {
  const server: FastifyInstance = fastify(
    serverOptions({ ids, limits: { connections: 64 }, refused: () => undefined }),
  );
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

export interface RunningMetrics {
  url: string;
  server: FastifyInstance;
}

/** @throws MetricsListenError */
export async function startMetrics(
  name: string,
  address: ListenAddress,
  parts: MetricsServerParts,
): Promise<RunningMetrics> {
  const server = createMetricsServer(parts);
  try {
    await server.listen(address);
  } catch (error) {
    await server.close();
    throw new MetricsListenError(name, address, error);
  }
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://${hostAndPort({ host: address.host, port })}`, server };
}
