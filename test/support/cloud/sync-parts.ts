/** The parts of a bundle endpoint under test: those beside store and certificates, and these themselves. */
import {
  certificateFacts,
  issueClient,
  issueServer,
  makeAuthority,
  type KeyedCertificate,
} from '../../../cloud/pki/certificates.ts';
import { registerCertificate } from '../../../cloud/pki/registry.ts';
import { CloudMetrics } from '../../../cloud/operations/metrics.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { PullLog } from '../../../cloud/sync/pull-log.ts';
import type { SyncParts } from '../../../cloud/sync/server.ts';

export function syncParts(store: Store) {
  const metrics = new CloudMetrics(() => store.connections());
  const pullLog = new PullLog(
    store,
    (error) => {
      throw error;
    },
    (passed) => metrics.passed(passed),
  );
  return { store, metrics, pullLog, signingKey: null, calculations: false };
}

/** The present: certificates are judged by TLS itself, which knows no other clock. */
export const NOW = new Date();
export const YEAR = { from: NOW, days: 365 };

/** An authority, and the server's certificate of it. */
export async function syncAuthority(): Promise<{ authority: KeyedCertificate; tls: SyncParts['tls'] }> {
  const authority = await makeAuthority('test CA', YEAR);
  return {
    authority,
    tls: { ...(await issueServer(authority, ['localhost', '127.0.0.1'], YEAR)), clientCa: authority.cert },
  };
}

/** A certificate of a tenant's, issued and registered. */
export async function registeredCertificate(
  store: Store,
  authority: KeyedCertificate,
  tenantId: number,
  days = YEAR.days,
): Promise<KeyedCertificate> {
  const pair = await issueClient(authority, `tenant ${tenantId}`, { from: NOW, days });
  await registerCertificate(store.db, tenantId, certificateFacts(pair.cert), NOW);
  return pair;
}
