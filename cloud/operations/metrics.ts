/** The cloud's metrics, in a registry of its own (never the library's global one). */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { CHECKPOINT_NUMBERS } from '../../shared/service/checkpoints/metrics.ts';
import type { CheckpointState } from '../../shared/service/checkpoints/schedule.ts';
import { LAG_BUCKETS } from '../../shared/service/lag.ts';
import { certificatesOf } from '../../shared/service/tls/pem.ts';
import type { FanOutObserver } from '../publication/fan-out.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { STORE_VERSION } from '../store/migrations/index.ts';
import type { LineAnswer } from '../publication/load.ts';
import type { WithdrawalLag } from '../publication/lag.ts';
import type { Connections } from '../store/open.ts';
import type { ReplicaOutcome } from '../store/replica.ts';
import { lastBackupAt } from './backups.ts';

/**
 * Ends of pulls that wait (D223). `NEWS`: records, or a certificate without standing. `DISPLACED`: a younger pull of the
 * tenant waits. `GONE`: the caller has left.
 */
const WAIT_ENDS = ['NEWS', 'TIME', 'DISPLACED', 'STOPPING', 'GONE'] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

/** Seconds; fan-outs and waits of some hundred ms are where it begins to matter. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** From its issue until a tenant had received a withdrawal, and had applied it as told, in ms; null: not told with this pull. */
export interface Passed {
  received: number | null;
  applied: number | null;
}

/** Values that are read with each reading of the metrics. */
export interface Watched {
  /** The certificates in use, PEM, by what they are of. */
  certificates(): Readonly<Record<string, string>>;
  /** The folder of the store's backups; null: none is named. */
  backups: string | null;
}

export class CloudMetrics implements FanOutObserver {
  readonly registry = new Registry();
  readonly #pulls: Counter<'outcome'>;
  readonly #entries: Counter;
  readonly #bytes: Counter;
  readonly #loads: Counter<'outcome' | 'reason'>;
  readonly #replica: Counter<'outcome'>;
  readonly #waits: Counter<'end'>;
  readonly #waiting: Gauge;
  readonly #ready: Gauge;
  readonly #fanOut: Histogram<'kind'>;
  readonly #passed: Record<keyof Passed, Histogram>;
  readonly #lag: Gauge<'step'>;
  #waitingNow: () => number = () => 0;
  readonly #lockWait: Histogram;

  /**
   * @param pool read whenever the metrics are read
   * @param checkpoints of the audit log; null without any
   */
  constructor(
    pool: () => Connections | null,
    checkpoints: () => CheckpointState | null = () => null,
    watched: Watched = { certificates: () => ({}), backups: null },
  ) {
    const { registry } = this;
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    for (const { name, help, value } of CHECKPOINT_NUMBERS)
      void new Gauge({
        name: `causeway_cloud_audit_checkpoint_${name}`,
        help,
        registers,
        collect() {
          this.set(value(checkpoints()));
        },
      });
    this.#pulls = new Counter({
      name: 'causeway_cloud_pulls_total',
      help: 'Pulls answered, by the code of the answer.',
      labelNames: ['outcome'],
      registers,
    });
    // 0 from the start: a lack of pulls shows as a constant count, not as a missing one.
    this.#pulls.inc({ outcome: 'COMMON200' }, 0);
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
    this.#replica = new Counter({
      name: 'causeway_cloud_replica_bundles_total',
      help: 'Bundles for which the read replica was meant: SERVED by it, or read at the primary because it was BEHIND or AWAY.',
      labelNames: ['outcome'],
      registers,
    });
    this.#waits = new Counter({
      name: 'causeway_cloud_waits_total',
      help: 'Ends of pulls that waited: NEWS, TIME, DISPLACED by a younger pull of the tenant, STOPPING, or the caller was GONE.',
      labelNames: ['end'],
      registers,
    });
    for (const end of WAIT_ENDS) this.#waits.inc({ end }, 0);
    this.#waiting = new Gauge({
      name: 'causeway_cloud_waiting_pulls',
      help: 'Tenants that are connected and wait for news at this process.',
      registers,
      collect: () => this.#waiting.set(this.#waitingNow()),
    });
    this.#loads = new Counter({
      name: 'causeway_cloud_loads_total',
      help: "Loads answered at the engine's door, by outcome, and by the code of what failed.",
      labelNames: ['outcome', 'reason'],
      registers,
    });
    for (const outcome of ['PUBLISHED', 'DRAFT', 'WITHDRAWN', 'SKIPPED'] as const)
      this.#loads.inc({ outcome, reason: '' }, 0);
    this.#ready = new Gauge({
      name: 'causeway_cloud_ready',
      help: '1: the database has just made a write durable, as /ready says; 0: it has not.',
      registers,
    });
    const ends = new Gauge({
      name: 'causeway_cloud_certificate_end_seconds',
      help: "When a certificate of the vendor's own that is in use ends, in seconds since 1970.",
      labelNames: ['certificate'],
      registers,
      collect: () => {
        ends.reset();
        for (const [certificate, pem] of Object.entries(watched.certificates())) {
          const times = certificatesOf(pem).map((one) => one.validToDate.getTime());
          if (times.length > 0) ends.set({ certificate }, Math.min(...times) / 1_000);
        }
      },
    });
    const backup = new Gauge({
      name: 'causeway_cloud_backup_last_seconds',
      help: 'When the newest file in CAUSEWAY_BACKUP_FOLDER was written, in seconds since 1970; 0: there is none.',
      labelNames: ['folder'],
      registers,
      collect: () => {
        const { backups } = watched;
        if (backups !== null) backup.set({ folder: backups }, (lastBackupAt(backups)?.getTime() ?? 0) / 1_000);
      },
    });
    this.#fanOut = new Histogram({
      name: 'causeway_cloud_fan_out_seconds',
      help: 'Time to write the delivery records of one decision, the lock being held.',
      labelNames: ['kind'],
      buckets: BUCKETS,
      registers,
    });
    this.#lockWait = new Histogram({
      name: 'causeway_cloud_fan_out_lock_wait_seconds',
      help: 'Time waited for the lock of the fan-out.',
      buckets: BUCKETS,
      registers,
    });
    const passed = (step: string, how: string): Histogram =>
      new Histogram({
        name: `causeway_cloud_issued_to_${step}_seconds`,
        help: `Time from the issue of a withdrawal until a connected tenant had ${step} it, ${how}; one for each tenant.`,
        buckets: LAG_BUCKETS,
        registers,
      });
    this.#passed = {
      received: passed('received', 'as the cursor of its pulls says'),
      applied: passed('applied', 'as told through the relay'),
    };
    this.#lag = new Gauge({
      name: 'causeway_cloud_withdrawal_waiting_seconds',
      help: 'Since when the oldest withdrawal waits that a connected tenant has not received, or not applied as told; 0: none.',
      labelNames: ['step'],
      registers,
    });
    new Gauge({
      name: 'causeway_cloud_info',
      help: 'Always 1; the version of the program and the schema version that it needs.',
      labelNames: ['version', 'schema'],
      registers,
    }).set({ version: PRODUCT_VERSION, schema: String(STORE_VERSION) }, 1);
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

  waited(end: WaitEnd): void {
    this.#waits.inc({ end });
  }

  /** @param now read whenever the metrics are read */
  waiting(now: () => number): void {
    this.#waitingNow = now;
  }

  loaded({ outcome, reason }: Pick<LineAnswer, 'outcome' | 'reason'>): void {
    this.#loads.inc({ outcome, reason: outcome === 'FAILED' ? (reason ?? '') : '' });
  }

  readAtReplica(outcome: ReplicaOutcome): void {
    this.#replica.inc({ outcome });
  }

  answered(isReady: boolean): void {
    this.#ready.set(isReady ? 1 : 0);
  }

  passed(passed: readonly Passed[]): void {
    for (const times of passed)
      for (const step of ['received', 'applied'] as const)
        if (times[step] !== null) this.#passed[step].observe(times[step] / 1_000);
  }

  /** Null: the database does not say, and the numbers are absent. */
  lags(lag: WithdrawalLag | null): void {
    this.#lag.reset();
    if (lag !== null) for (const step of ['received', 'applied'] as const) this.#lag.set({ step }, lag[step]);
  }

  fannedOut(kind: 'NEW' | 'INVALIDATION', ms: number): void {
    this.#fanOut.observe({ kind }, ms / 1_000);
  }

  waitedForLock(ms: number): void {
    this.#lockWait.observe(ms / 1_000);
  }
}
