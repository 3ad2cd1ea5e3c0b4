/** Alert rules and dashboard of the cloud ask only for metrics that it exports. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { metricsIn, queriesIn } from '../../test/support/monitoring.ts';
import { CloudMetrics } from './metrics.ts';

test('alerts and dashboard name only what is exported', async () => {
  const exported = (await new CloudMetrics(() => null).registry.getMetricsAsJSON()).map(({ name }) => name);
  const folder = path.join(import.meta.dirname, 'monitoring');
  const asked = queriesIn(path.join(folder, 'alerts.json'), path.join(folder, 'dashboard.json')).map(metricsIn);
  expect(asked.length).toBeGreaterThan(10);
  for (const names of asked) expect(names).not.toEqual([]);
  expect(asked.flat().filter((name) => !exported.includes(name))).toEqual([]);
});
