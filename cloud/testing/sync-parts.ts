/** What a bundle endpoint under test takes beside its store and certificates. */
import { CloudMetrics } from '../service/metrics.ts';
import type { Store } from '../store/open.ts';
import { PullLog } from '../sync/pull-log.ts';

export function syncParts(store: Store) {
  const metrics = new CloudMetrics(() => store.connections());
  const pullLog = new PullLog(store, (error) => {
    throw error;
  });
  return { store, metrics, pullLog, signingKey: null, calculations: false };
}
