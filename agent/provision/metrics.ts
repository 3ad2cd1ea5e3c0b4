/** The provision API's metrics for Prometheus: how soon channels that follow hear of a change (D235). */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { LAG_BUCKETS } from '../../shared/service/lag.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { LEDGER_VERSION } from '../ledger/storage/migrate.ts';
import type { Change } from './exposure.ts';

export class ProvisionMetrics {
  readonly registry = new Registry();
  readonly #appliedToVisible: Histogram<'event'>;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'causeway_provision_info',
      help: 'Always 1; the version of the program and the schema version that it needs.',
      labelNames: ['version', 'schema'],
      registers,
    }).set({ version: PRODUCT_VERSION, schema: String(LEDGER_VERSION) }, 1);
    this.#appliedToVisible = new Histogram({
      name: 'causeway_provision_applied_to_visible_seconds',
      help: 'Time from a move in the ledger until the channels that follow were told SHOWN, CHANGED or DARK.',
      labelNames: ['event'],
      buckets: LAG_BUCKETS,
      registers,
    });
    for (const event of ['SHOWN', 'CHANGED', 'DARK'] as const) this.#appliedToVisible.zero({ event });
  }

  moveTold(event: Change['event'], seconds: number): void {
    this.#appliedToVisible.observe({ event }, seconds);
  }
}
