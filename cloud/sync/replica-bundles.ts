/**
 * Bundles from a read replica (D177). Certificate, retention floor and head are always asked at the primary; the replica
 * gives the bundle where it holds exactly what the primary had told, and otherwise the primary gives that too.
 *
 * The condition and the rows of the function come from one snapshot.
 */
import type { Replica, ReplicaOutcome } from '../store/replica.ts';
import { BUNDLE_CALL, BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import type { BundleRow } from '../entries/collected-bundle.ts';
import { take, valuesOf, type BundleRequest, type BundleSettings } from './pull-batcher.ts';
import { holdsMoment, type Moment } from './certificate-sql.ts';

/** After a failure the replica is left alone for so long, in ms: each pull would wait for it. */
const AWAY_MS = 5_000;

const BUNDLE_OF_MOMENT = `select f.* from (select where ${holdsMoment('$6::text', '$7::text')} offset 0) h cross join lateral (${BUNDLE_CALL}) f`;

/** What the primary has told about the moment of a pull. */
export interface PrimaryMoment extends Moment {
  head: number;
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

  /** Collects a bundle; false: the primary has to be asked, for another one. Never throws. */
  async read(told: PrimaryMoment, asked: BundleRequest, settings: BundleSettings): Promise<boolean> {
    if (this.#now() < this.#askedAgainAt) return this.#ends('AWAY');
    try {
      const values = [...valuesOf([asked], settings), told.origin, told.snapshot];
      take(await this.#replica.prepared<BundleRow>(BUNDLE_ENTRIES, BUNDLE_OF_MOMENT, values), [asked]);
      if (this.#isAway) this.#watcher.turned(null);
      this.#isAway = false;
      // A commit that waits for a synchronous standby may be seen here before the primary shows it, and be lost.
      const { retentionFloor, head } = asked.bundle;
      return this.#ends(retentionFloor !== null && head === told.head ? 'SERVED' : 'BEHIND');
    } catch (error) {
      this.#askedAgainAt = this.#now() + AWAY_MS;
      if (!this.#isAway) this.#watcher.turned(error);
      this.#isAway = true;
      return this.#ends('AWAY');
    }
  }

  #ends(outcome: ReplicaOutcome): boolean {
    this.#watcher.asked(outcome);
    return outcome === 'SERVED';
  }
}
