/**
 * How the cloud is doing, for whoever runs it: a listener of its own, so that none of this lies beside
 * the surfaces of tenants, operators and the engine. It shows nothing of theirs and asks nobody who
 * they are: it belongs on loopback, or into the network of the monitoring.
 *
 * Written out: the table of migrations is no table of the schema.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { STORE_VERSION } from '../store/migrations/index.ts';
import type { Store } from '../store/open.ts';
import type { CloudMetrics } from './metrics.ts';
import { createServer, type ServerParts } from './server.ts';

export interface OperationsParts extends ServerParts {
  store: Store;
  metrics: CloudMetrics;
  /** Longest wait for the database, in ms; for tests. */
  patienceMs?: number;
}

/** A balancer asks every few seconds, and a database that takes longer is none that serves pulls. */
const PATIENCE_MS = 2_000;

export function createOperationsServer(parts: OperationsParts): FastifyInstance {
  const server = createServer('metrics', parts, () => undefined, { limits: { connections: 64 } });
  server.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('cache-control', 'no-store');
    return payload;
  });
  server.get('/health', async () => success({ status: 'alive', version: PRODUCT_VERSION }));
  server.get('/ready', async (request) => {
    const version = await schemaVersion(parts, request.log);
    if (version < STORE_VERSION) {
      throw new ApiError(
        'COMMON503',
        `The store has schema version ${version}, and this program needs ${STORE_VERSION}: it has been replaced or restored; restart the cloud.`,
      );
    }
    return success({ status: 'ready' });
  });
  server.get('/metrics', async (_request, reply) => {
    void reply.type(parts.metrics.registry.contentType);
    return parts.metrics.registry.metrics();
  });
  return server;
}

/** @throws ApiError COMMON503 when the database does not tell */
async function schemaVersion(
  { store, patienceMs = PATIENCE_MS }: OperationsParts,
  log: FastifyBaseLogger,
): Promise<number> {
  let late: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  const asked = sql<{ version: number | null }>`select max(version) as version from schema_migration`.execute(store.db);
  try {
    const { rows } = await Promise.race([asked, impatience]);
    return rows[0]?.version ?? 0;
  } catch (error) {
    log.warn({ err: error }, 'the database cannot be asked');
    throw new ApiError('COMMON503', 'The database cannot be asked: see that it runs and can be reached.');
  } finally {
    clearTimeout(late);
    asked.catch(() => undefined);
  }
}
