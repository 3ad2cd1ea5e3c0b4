/**
 * The vendor's side of the past: the cloud's own three servers over its store, in this process and on the seeded clock.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { recordCommand } from '../../../cloud/accounts/activity-log.ts';
import { EngineDoor, OperatorClient } from '../../../cloud/demo/clients.ts';
import type { Installation } from '../../../cloud/commands/init.ts';
import { issueFor } from '../../../cloud/commands/issue.ts';
import { createEngineDoor } from '../../../cloud/ingest/server.ts';
import { createOperatorServer } from '../../../cloud/operator/server.ts';
import { readAuthority, readSigningKey, pkiPaths } from '../../../cloud/pki/files.ts';
import { keyLock } from '../../../cloud/pki/key-lock.ts';
import { addTenant } from '../../../cloud/pki/registry.ts';
import { readTlsFiles } from '../../../cloud/pki/tls-files.ts';
import { CloudMetrics } from '../../../cloud/operations/metrics.ts';
import { closeServers } from '../../../shared/service/http/drain.ts';
import { GRACE_MS, listen } from '../../../cloud/operations/server.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { PullLog } from '../../../cloud/sync/pull-log.ts';
import { createSyncServer } from '../../../cloud/sync/server.ts';
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import { DEMO } from '../parts.ts';

/** As for the tenant's people (`firm.ts`): a login per withdrawal would delay the start. */
const LIMITS = { idleMs: 27 * 86_400_000, absoluteMs: 27 * 86_400_000 };
const ANYWHERE = { host: '127.0.0.1', port: 0 };
/** Keys of a demo are not encrypted. */
const OPEN = keyLock('', undefined);

export interface Vendor {
  door: EngineDoor;
  operator: OperatorClient;
  /** The address from which tenants pull. */
  syncUrl: URL;
  close(): Promise<void>;
}

/** Assembled as in `cloud/commands/serve.ts`, each on a free port of this machine. */
export async function startVendor(
  store: Store,
  { pki }: Installation,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Vendor> {
  // As in the ledger: nothing is lost by a crash, because an interrupted past is generated again.
  await sql`set synchronous_commit to off`.execute(store.db);
  const token = randomBytes(24).toString('base64url');
  const parts = { store, metrics: new CloudMetrics(() => null), clock, ids, log: false as const };
  const pullLog = new PullLog(store, (error) => {
    throw error;
  });
  const signingKey = readSigningKey(pki.signingKey, OPEN);
  const servers: FastifyInstance[] = [];
  const started = async (name: string, scheme: 'http' | 'https', server: FastifyInstance): Promise<URL> => {
    servers.push(server);
    return new URL(await listen(server, scheme, name, ANYWHERE));
  };
  const sync = createSyncServer({
    ...parts,
    tls: readTlsFiles({ cert: pki.serverCert, key: pki.serverKey, clientCa: pki.clientCa }),
    signingKey: () => signingKey,
    pullLog,
    calculations: true,
  });
  const operator = await createOperatorServer({
    ...parts,
    listenHost: ANYWHERE.host,
    limits: LIMITS,
    consoleFolder: import.meta.dirname,
  });
  return {
    syncUrl: await started('sync', 'https', sync),
    operator: new OperatorClient(await started('operator', 'http', operator), DEMO.operator),
    door: new EngineDoor(await started('engine', 'http', createEngineDoor({ ...parts, token })), token),
    close: async () => {
      await closeServers(servers, GRACE_MS);
      await pullLog.flush();
    },
  };
}

/** Adds another tenant with its own certificate. @returns the files of certificate and key */
export async function addOtherTenant(
  store: Store,
  tenant: { name: string; days: number; pkiFolder: string; now: Date },
): Promise<{ cert: string; key: string }> {
  const { name, days, pkiFolder, now } = tenant;
  const paths = pkiPaths(pkiFolder);
  const added = await addTenant(store.db, { name, environment: 'PRODUCTION' }, now);
  const files = paths.client(added.tenantId);
  const origin = { kind: 'HERE', passphrase: null } as const;
  await recordCommand(store.db, 'TENANT_ADDED', { targetType: 'TENANT', targetId: String(added.tenantId) }, now);
  await issueFor(store, readAuthority(paths.ca, OPEN), added, { files, origin, days, now });
  return files;
}
