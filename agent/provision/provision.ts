/** The provision API as a whole: opens the ledger, listens, and closes everything in order. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { closeServers } from '../../shared/service/http/drain.ts';
import { METRICS_LISTEN } from '../../shared/service/http/metrics-address.ts';
import { startMetrics, type RunningMetrics } from '../metrics-server.ts';
import { PROGRESS_VARIABLE } from '../../shared/service/long-work/supervise.ts';
import { FollowedTls, pairFiles, TLS_VARIABLES, type PairFiles } from '../../shared/service/tls/server-tls.ts';
import { variable, type ListenAddress, type Values } from '../../shared/service/variables.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import { refuseDemo } from '../ledger/demo/close-demo.ts';
import { seedDemo } from '../ledger/demo/seed.ts';
import { asLedgerError } from '../ledger/storage/errors.ts';
import { RecordKeyFile, recordKeyFile } from '../ledger/made/record-key.ts';
import { MIGRATED, openLedger } from '../ledger/storage/ledger.ts';
import { WriteLockWatch } from '../ledger/storage/write-lock.ts';
import { ProvisionMetrics } from './metrics.ts';
import { createProvision } from './server.ts';
import { TrafficCounter } from './traffic.ts';

export const PROVISION_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger; it is made where there is none', variable.text),
  CAUSEWAY_PROVISION_LISTEN: variable.defaulted(
    'where the channels ask, host:port; port 0 takes a free one',
    { host: '127.0.0.1', port: 4310 },
    variable.listenAddress,
  ),
  CAUSEWAY_PROVISION_METRICS_LISTEN: METRICS_LISTEN,
  CAUSEWAY_PROVISION_CERT: TLS_VARIABLES.cert,
  CAUSEWAY_PROVISION_KEY: TLS_VARIABLES.key,
  CAUSEWAY_PROVISION_BEHIND_PROXY: TLS_VARIABLES.behindProxy,
  ...PROGRESS_VARIABLE,
  CAUSEWAY_DEMO: variable.defaulted(
    '1 seeds an empty ledger with the demo’s accounts, policy and channels',
    '0',
    variable.oneOf('0', '1'),
  ),
};

/** The files of its TLS; null for plain HTTP. @throws ConfigurationError */
export function provisionFiles(values: Values<typeof PROVISION_VARIABLES>): PairFiles | null {
  return pairFiles('CAUSEWAY_PROVISION', {
    listen: values.CAUSEWAY_PROVISION_LISTEN,
    cert: values.CAUSEWAY_PROVISION_CERT,
    key: values.CAUSEWAY_PROVISION_KEY,
    behindProxy: values.CAUSEWAY_PROVISION_BEHIND_PROXY,
  });
}

/** The address cannot be bound; the message is one sentence that says what to do. */
export class ListenError extends Error {
  override name = 'ListenError';
  constructor({ host, port }: ListenAddress, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const why =
      code === 'EADDRINUSE'
        ? 'is in use by another program'
        : `cannot be listened on (${cause instanceof Error ? cause.message : String(cause)})`;
    super(
      `The address ${host}:${port} in CAUSEWAY_PROVISION_LISTEN ${why}: end that program, or give another address (port 0 takes a free one).`,
      { cause },
    );
  }
}

export interface Provision {
  url: string;
  /** Null without a listener of its own. */
  metricsUrl: string | null;
  /** Finishes running requests, writes the last counts, closes the ledger. */
  close(): Promise<void>;
}

/** For running requests, in ms. */
const GRACE_MS = 3_000;
const LAST_COUNTS_MS = 3_000;

/** @throws LedgerError, ListenError, MetricsListenError, ConfigurationError */
export async function startProvision(
  values: Values<typeof PROVISION_VARIABLES>,
  parts: { clock: Clock; ids: Ids; log: Logger },
): Promise<Provision> {
  const { clock, ids, log } = parts;
  const file = values.CAUSEWAY_LEDGER;
  const files = provisionFiles(values);
  const tls = files === null ? null : new FollowedTls(files);
  await refuseTaken(values.CAUSEWAY_PROVISION_LISTEN);
  // Its one thread answers the channels: a commit that waits for the disk would keep them waiting (D164).
  const ledger = openLedger(file, { synced: false, leavesLog: true });
  if (ledger.migrated !== null) log.info(ledger.migrated, MIGRATED);
  const metrics = new ProvisionMetrics();
  let numbers: RunningMetrics | null = null;
  try {
    if (values.CAUSEWAY_DEMO === '1') seedDemo(ledger, clock, ids);
    else await refuseDemo(ledger, file);
    const traffic = new TrafficCounter({ ledger, clock, log });
    const writeLock = new WriteLockWatch(ledger).begin();
    const recordKey = new RecordKeyFile(recordKeyFile(file));
    const server = createProvision({
      ledger,
      traffic,
      clock,
      ids,
      log,
      recordKey,
      writeLock,
      onMove: (event, seconds) => metrics.moveTold(event, seconds),
      ...(tls === null ? {} : { tls: tls.current }),
    });
    const address = values.CAUSEWAY_PROVISION_METRICS_LISTEN;
    if (address !== undefined)
      numbers = await startMetrics('CAUSEWAY_PROVISION_METRICS_LISTEN', address, {
        registry: metrics.registry,
        ids,
        status: 'UP',
      });
    const url = await listen(server, tls === null ? 'http' : 'https', values.CAUSEWAY_PROVISION_LISTEN);
    tls?.follow(server.server, log);
    log.info({ name: 'provision', url }, 'listening');
    if (numbers !== null) log.info({ name: 'metrics', url: numbers.url }, 'listening');
    const servers = numbers === null ? [server] : [server, numbers.server];
    return {
      url,
      metricsUrl: numbers?.url ?? null,
      close: async () => {
        tls?.stop();
        writeLock.end();
        await closeServers(servers, GRACE_MS);
        await traffic.close(LAST_COUNTS_MS);
        ledger.close();
      },
    };
  } catch (error) {
    await numbers?.server.close();
    ledger.close();
    throw asLedgerError(file, error);
  }
}

/**
 * Checks the port before the ledger is opened, because opening creates a missing one: a failed start leaves nothing
 * behind.
 */
async function refuseTaken(address: ListenAddress): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(address);
    await once(probe, 'listening');
  } catch (error) {
    throw new ListenError(address, error);
  }
  probe.close();
  await once(probe, 'close');
}

async function listen(server: FastifyInstance, scheme: 'http' | 'https', address: ListenAddress): Promise<string> {
  try {
    await server.listen(address);
  } catch (error) {
    await server.close();
    throw new ListenError(address, error);
  }
  const { port } = server.server.address() as AddressInfo;
  return `${scheme}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`;
}
