/**
 * Health, readiness and metrics for the vendor's operator, on a listener of their own apart from the surfaces of
 * tenants, operators and the engine. They show none of those parties' data and identify no caller: the listener belongs
 * on loopback, or into the network of the monitoring.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { HEALTH_METHODS } from '../../shared/service/http/health.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { STORE_VERSION } from '../store/migrations/index.ts';
import { StoreTakesNoWritesError } from '../store/errors.ts';
import type { Store } from '../store/open.ts';
import { withdrawalLag, type WithdrawalLag } from '../publication/lag.ts';
import type { CloudMetrics } from './metrics.ts';
import { createServer, type ServerParts } from './server.ts';

export interface OperationsParts extends ServerParts {
  store: Store;
  metrics: CloudMetrics;
  /** Longest wait for the database, in ms; for tests. */
  patienceMs?: number;
}

/** A balancer asks every few seconds, and a slower database cannot serve pulls. */
const PATIENCE_MS = 2_000;
/** Silent connections are given up before this: where all are silent for so long, a new process does no worse. */
const SILENT_MS = 60_000;

export function createOperationsServer(parts: OperationsParts): FastifyInstance {
  const server = createServer('metrics', parts, () => undefined, { limits: { connections: 64 } });
  server.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('cache-control', 'no-store');
    return payload;
  });
  const health = { method: [...HEALTH_METHODS] };
  server.route({
    ...health,
    url: '/health',
    handler: async () => {
      const silentMs = parts.store.silentMs();
      if (silentMs > SILENT_MS)
        throw new ApiError(
          'COMMON503',
          `No connection to the database has been answered for ${Math.floor(silentMs / 1_000)} s: see that its host runs and can be reached.`,
        );
      return success({ status: 'alive', version: PRODUCT_VERSION });
    },
  });
  const patienceMs = parts.patienceMs ?? PATIENCE_MS;
  // One write at a time for any number of requests: a silent database must not hold one connection for each.
  let asking: Promise<number> | null = null;
  const requireReady = async (log: FastifyBaseLogger): Promise<void> => {
    if (asking === null) {
      asking = writeAndRead(parts.store).finally(() => (asking = null));
      asking.catch(() => undefined);
    }
    const version = await patiently(asking, patienceMs, log);
    if (version < STORE_VERSION) {
      throw new ApiError(
        'COMMON503',
        `The store has schema version ${version}, and this program needs ${STORE_VERSION}: it has been replaced or restored; restart the cloud.`,
      );
    }
  };
  const lagNow = (log: FastifyBaseLogger): Promise<WithdrawalLag | null> =>
    patiently(withdrawalLag(parts.store.db, parts.clock.now()), patienceMs, log).catch(() => null);
  server.route({
    ...health,
    url: '/ready',
    handler: async (request) => {
      await requireReady(request.log);
      return success({ status: 'ready' });
    },
  });
  server.get('/metrics', async (request, reply) => {
    const isReady = await requireReady(request.log).then(
      () => true,
      () => false,
    );
    parts.metrics.answered(isReady);
    parts.metrics.lags(isReady ? await lagNow(request.log) : null);
    void reply.type(parts.metrics.registry.contentType);
    return parts.metrics.registry.metrics();
  });
  return server;
}

/**
 * The schema's version, from a transaction that leaves a record in the write-ahead log: it is answered when the database
 * has made it as durable as any write, by its standby too where it waits for one.
 */
async function writeAndRead(store: Store): Promise<number> {
  const { rows } = await store.transaction(async (trx) => {
    await sql`select pg_logical_emit_message(true, 'causeway', 'ready')`.execute(trx);
    const asked = await sql<{ version: number | null; readOnly: string }>`
      select max(version) as version, current_setting('transaction_read_only') as "readOnly" from schema_migration`.execute(
      trx,
    );
    // The server counts a message as no write where only transactions are read-only.
    if (asked.rows[0]?.readOnly === 'on')
      throw new StoreTakesNoWritesError(new Error('its transactions are read-only'));
    return asked;
  });
  return rows[0]?.version ?? 0;
}

/** @throws ApiError COMMON503 for a silent or read-only database */
async function patiently<T>(asked: Promise<T>, ms: number, log: FastifyBaseLogger): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([asked, impatience]);
  } catch (error) {
    log.warn({ err: error }, 'the database does not answer, or takes no writes');
    throw new ApiError(
      'COMMON503',
      error instanceof StoreTakesNoWritesError
        ? error.message
        : 'The database does not answer: see that it runs, can be reached, and waits for no standby that is gone.',
    );
  } finally {
    clearTimeout(late);
  }
}
