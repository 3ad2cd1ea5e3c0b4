/** The address of a part's metrics, apart from the server that has it: a part without one loads no server. */
import { variable, type ListenAddress } from '../variables.ts';
import { hostAndPort } from './origins.ts';

export const METRICS_LISTEN = variable.optional(
  'where Prometheus asks for numbers (/metrics), for the network of the monitoring alone; not set: nowhere',
  variable.listenAddress,
);

/** The address cannot be listened on; the message is one sentence that says what to do. */
export class MetricsListenError extends Error {
  override name = 'MetricsListenError';
  constructor(name: string, address: ListenAddress, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `${name}: ${hostAndPort(address)} cannot be listened on (${why}): end the program that has it, or give another address.`,
      { cause },
    );
  }
}
