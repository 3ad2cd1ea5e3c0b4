/**
 * Bundles from a read replica (D190). Certificate, retention floor and head are always asked at the primary; the replica
 * gives the bundle where it holds exactly what the primary had told, and otherwise the primary gives that too.
 */
import type { Replica, ReplicaOutcome } from '../store/replica.ts';
import { REPLICA_BUNDLE, type BundleRow } from './bundle-sql.ts';

/** After a failure the replica is left alone for so long, in ms: each pull would wait for it. */
const AWAY_MS = 5_000;

/** What the primary has told about the moment of a pull. */
export interface Told {
  head: number;
  origin: string;
  snapshot: string;
}

interface Watcher {
  /** Told of each bundle. */
  asked(outcome: ReplicaOutcome): void;
  /** Told when the replica stops answering, with its error, and when it answers again, with null. */
  turned(error: unknown): void;
}

export class ReplicaBundles {
  readonly #replica: Pick<Replica, 'prepared'>;
  readonly #watcher: Watcher;
  readonly #now: () => number;
  #isAway = false;
  #askedAgainAt = -Infinity;

  /** @param now a steady clock, in ms */
  constructor(replica: Pick<Replica, 'prepared'>, watcher: Watcher, now = (): number => performance.now()) {
    this.#replica = replica;
    this.#watcher = watcher;
    this.#now = now;
  }

  /** @param values those of `BUNDLE`; @returns null where the primary has to be asked. Never throws. */
  async read({ origin, snapshot, head }: Told, values: readonly unknown[]): Promise<BundleRow | null> {
    if (this.#now() < this.#askedAgainAt) return this.#ends('AWAY', null);
    try {
      const { name, text } = REPLICA_BUNDLE;
      const [row] = await this.#replica.prepared<BundleRow>(name, text, [...values, origin, snapshot, head]);
      if (this.#isAway) this.#watcher.turned(null);
      this.#isAway = false;
      return this.#ends(row === undefined ? 'BEHIND' : 'SERVED', row ?? null);
    } catch (error) {
      this.#askedAgainAt = this.#now() + AWAY_MS;
      if (!this.#isAway) this.#watcher.turned(error);
      this.#isAway = true;
      return this.#ends('AWAY', null);
    }
  }

  #ends(outcome: ReplicaOutcome, row: BundleRow | null): BundleRow | null {
    this.#watcher.asked(outcome);
    return row;
  }
}
