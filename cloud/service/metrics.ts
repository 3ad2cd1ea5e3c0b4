/** What the cloud counts and measures about itself, in a registry of its own (never the library's global one). */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Connections } from '../store/open.ts';

export class CloudMetrics {
  readonly registry = new Registry();
  readonly #pulls: Counter<'outcome'>;
  readonly #entries: Counter;
  readonly #bytes: Counter;

  /** @param pool asked whenever the metrics are read */
  constructor(pool: () => Connections | null) {
    const { registry } = this;
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    this.#pulls = new Counter({
      name: 'causeway_cloud_pulls_total',
      help: 'Pulls answered, by the code of the answer.',
      labelNames: ['outcome'],
      registers,
    });
    this.#entries = new Counter({
      name: 'causeway_cloud_pulled_entries_total',
      help: 'Entries in the bundles that were sent.',
      registers,
    });
    this.#bytes = new Counter({
      name: 'causeway_cloud_pulled_bytes_total',
      help: 'Bytes of the bodies that were sent to pulls that were served.',
      registers,
    });
    const connections = new Gauge({
      name: 'causeway_cloud_database_connections',
      help: 'Connections to the database, and how many requests wait for one.',
      labelNames: ['state'],
      registers,
      collect: () => {
        const now = pool();
        if (now === null) return;
        for (const state of ['total', 'idle', 'waiting'] as const) connections.set({ state }, now[state]);
      },
    });
  }

  /** @param outcome COMMON200 or the code of the failure; @param bytes of the body */
  pulled(outcome: string, entries: number, bytes: number): void {
    this.#pulls.inc({ outcome });
    this.#entries.inc(entries);
    this.#bytes.inc(bytes);
  }
}
