/**
 * The metrics of the running Intake, at a listener of their own: what only it can measure (D235). The state of the ledger is in
 * `intake metrics`, which also tells it while the Intake does not run.
 */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { LAG_BUCKETS } from '../../shared/service/lag.ts';
import type { LedgerReader } from '../ledger/storage/ledger.ts';
import { EntryLags, OldestUnapplied, type EntryKind, type Unapplied } from './apply/entry-lags.ts';

/** The gauges of what waits to be applied, here and in the file. @param read at each reading of the metrics */
export function unappliedMetrics(registry: Registry, read: () => Unapplied): void {
  const gauge = (name: string, help: string, of: keyof Unapplied): void =>
    void new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read()[of]);
      },
    });
  gauge(
    'causeway_sync_unapplied_seconds',
    'Since when the oldest entry waits that is received and not applied; 0: none.',
    'entry',
  );
  gauge(
    'causeway_sync_unapplied_withdrawal_seconds',
    'Since when the oldest withdrawal waits that is received and whose text is not off; 0: none.',
    'withdrawal',
  );
}

export class LiveMetrics {
  readonly registry = new Registry();
  readonly lags: EntryLags;

  constructor(ledger: LedgerReader, clock: { now(): Date }) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const step = (name: string, help: string): Histogram<'kind'> => {
      const histogram = new Histogram({ name, help, labelNames: ['kind'], buckets: LAG_BUCKETS, registers });
      for (const kind of ['NEW', 'INVALIDATION'] satisfies EntryKind[]) histogram.zero({ kind });
      return histogram;
    };
    const committed = step(
      'causeway_intake_issued_to_committed_seconds',
      "Time from the issue of an entry, by the vendor's clock, until it was committed here, by this host's.",
    );
    const applied = step(
      'causeway_intake_committed_to_applied_seconds',
      'Time from the commit of an entry until it was applied.',
    );
    this.lags = new EntryLags(clock.now(), (kind, { issuedToCommitted, committedToApplied }) => {
      if (issuedToCommitted !== null) committed.observe({ kind }, issuedToCommitted);
      applied.observe({ kind }, committedToApplied);
    });
    const oldest = new OldestUnapplied();
    unappliedMetrics(this.registry, () => oldest.at(ledger, clock.now()));
  }
}
