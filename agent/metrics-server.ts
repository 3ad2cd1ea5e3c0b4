/** The listener of a part's metrics (D235); apart from its address, so that a part without one loads no server. */
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { MetricsListenError } from '../shared/service/http/metrics-address.ts';
import { answerMetrics, metricsOptions, type MetricsAnswers } from '../shared/service/http/metrics-answers.ts';
import { hostAndPort } from '../shared/service/http/origins.ts';
import type { ListenAddress } from '../shared/service/variables.ts';
import type { Ids } from '../shared/time/clock.ts';

export interface RunningMetrics {
  url: string;
  server: FastifyInstance;
}

/**
 * @param name of the variable with the address
 * @throws MetricsListenError
 */
export async function startMetrics(
  name: string,
  address: ListenAddress,
  { ids, ...answers }: MetricsAnswers & { ids: Ids },
): Promise<RunningMetrics> {
  const server: FastifyInstance = answerMetrics(fastify(metricsOptions(ids)), answers);
  try {
    await server.listen(address);
  } catch (error) {
    await server.close();
    throw new MetricsListenError(name, address, error);
  }
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://${hostAndPort({ host: address.host, port })}`, server };
}
