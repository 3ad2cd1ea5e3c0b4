/**
 * A day of many tenants as a model: queues of work in front of the cloud's processes and of PostgreSQL, second by second,
 * with the costs that a bench has measured. Pure: the same seed gives the same day.
 */
import { Seeded } from '../../../support/seeded.ts';

/** What one thing costs in processor time, in µs, and what it moves. */
export interface Costs {
  handshake: number;
  /** A pull with nothing new; of the cloud's process and of PostgreSQL. */
  emptyPull: { cloud: number; database: number };
  /** A pull of one entry. */
  entryPull: { cloud: number; database: number };
  /** Each further entry of a bundle. */
  furtherEntry: { cloud: number; database: number };
  /** A publication without records, and a record of it for one tenant. */
  publication: number;
  record: number;
  /** Bytes of an answer without news, and of an entry. */
  emptyBytes: number;
  entryBytes: number;
  /** Kilobytes of a process for a connection that waits. */
  connectionKb: number;
}

export interface Fleet {
  tenants: number;
  processes: number;
  /** Cores of PostgreSQL; each process has one. */
  databaseCores: number;
  pollSeconds: number;
  publications: number;
  /** Share of the tenants with a slow line, and its round trip in seconds. */
  slowShare: number;
  slowSeconds: number;
  /** Share of the tenants that were away, and the records that each has missed. */
  awayShare: number;
  missed: number;
}

export interface Day {
  /** From the commit of a publication to its arrival at a tenant that is not slow, in seconds. */
  lag: { p50: number; p99: number };
  slowLag: { p50: number; p99: number };
  /** The longest wait for one of the cloud's processes, and for PostgreSQL, in seconds. */
  longestWait: { cloud: number; database: number };
  /** Cores in use over the trading hours, and in the busiest minute. */
  cloudCores: { mean: number; peak: number };
  databaseCoresUsed: { mean: number; peak: number };
  /** Until the last of all tenants has a connection again, when all connect at once. */
  reconnectSeconds: number;
  /** Until the tenants that were away have everything. */
  caughtUpSeconds: number;
  connectionsPerProcess: number;
  memoryGbPerProcess: number;
  gigabytesOut: number;
}

const DAY = 86_400;
/** 09:00 to 15:30, in which publications come. */
const OPENS = 9 * 3_600;
const CLOSES = OPENS + 6.5 * 3_600;
/** Those that were away come back, and everybody connects again after a restart, at these times. */
const BACK = 10 * 3_600;
const RESTART = 13 * 3_600;
/** Entries of one pull of a backlog. */
const BACKLOG_LIMIT = 500;
const SAMPLED_TENANTS = 200;
const MICROS = 1_000_000;

/** Work in front of servers that are alike: what arrives is done in its order. */
class Queue {
  readonly #perSecond: number;
  readonly #waits: Float64Array;
  readonly used: Float64Array;
  #left = 0;

  /** @param servers how many cores work on it */
  constructor(servers: number) {
    this.#perSecond = servers * MICROS;
    this.#waits = new Float64Array(DAY);
    this.used = new Float64Array(DAY);
  }

  /** @param micros that arrive in this second */
  second(at: number, micros: number): void {
    this.#left += micros;
    this.#waits[at] = this.#left / this.#perSecond;
    const done = Math.min(this.#left, this.#perSecond);
    this.used[at] = done / MICROS;
    this.#left -= done;
  }

  /** How long work of this second waits until it is done, in seconds. */
  wait(at: number): number {
    return this.#waits[Math.min(DAY - 1, at)] ?? 0;
  }

  longest(): number {
    return this.#waits.reduce((most, each) => Math.max(most, each), 0);
  }
}

export function simulateDay(costs: Costs, fleet: Fleet, seed: number): Day {
  const random = new Seeded(seed);
  const { tenants, processes, databaseCores, pollSeconds } = fleet;
  const published = Array.from({ length: fleet.publications }, () => OPENS + random.next() * (CLOSES - OPENS)).toSorted(
    (one, other) => one - other,
  );
  const cloud = new Queue(processes);
  const database = new Queue(databaseCores);
  const publishing = publicationTimes(published, (costs.publication + costs.record * tenants) / MICROS);
  const away = Math.round(tenants * fleet.awayShare);
  const pullsToCatchUp = Math.ceil(fleet.missed / BACKLOG_LIMIT);
  let backlogPulls = away * pullsToCatchUp;
  let caughtUpAt = BACK;
  let bytes = 0;
  const perSecond = tenants / pollSeconds;
  let next = 0;
  for (let second = 0; second < DAY; second += 1) {
    // What was committed in the last period is what a pull of this second finds.
    while (next < publishing.length && (publishing[next]?.commit ?? DAY) <= second) next += 1;
    let recent = 0;
    for (let at = next - 1; at >= 0 && second - (publishing[at]?.commit ?? 0) < pollSeconds; at -= 1) recent += 1;
    const cost = (of: 'cloud' | 'database'): number =>
      recent === 0 ? costs.emptyPull[of] : costs.entryPull[of] + (recent - 1) * costs.furtherEntry[of];
    let [atCloud, atDatabase] = [perSecond * cost('cloud'), perSecond * cost('database')];
    bytes += perSecond * (recent === 0 ? costs.emptyBytes : recent * costs.entryBytes);
    for (let at = next; at < publishing.length && Math.floor(publishing[at]?.commit ?? DAY) === second; at += 1)
      atDatabase += costs.publication + costs.record * tenants;
    if (second >= BACK && backlogPulls > 0) {
      // Each asks for the next bundle when it has the one before: as many at once as were away.
      const now = Math.min(backlogPulls, away);
      const each = (of: 'cloud' | 'database'): number =>
        costs.entryPull[of] + (BACKLOG_LIMIT - 1) * costs.furtherEntry[of];
      const room = Math.max(1, (processes * MICROS - atCloud) / Math.max(1, each('cloud')));
      const databaseRoom = Math.max(1, (databaseCores * MICROS - atDatabase) / Math.max(1, each('database')));
      const done = Math.min(now, Math.floor(Math.min(room, databaseRoom)) || 1);
      backlogPulls -= done;
      atCloud += done * each('cloud');
      atDatabase += done * each('database');
      bytes += done * BACKLOG_LIMIT * costs.entryBytes;
      caughtUpAt = second + 1;
    }
    if (second === RESTART) atCloud += tenants * costs.handshake;
    cloud.second(second, atCloud);
    database.second(second, atDatabase);
  }
  const lag: number[] = [];
  const slowLag: number[] = [];
  for (const { begun, commit } of publishing)
    for (let tenant = 0; tenant < SAMPLED_TENANTS; tenant += 1) {
      const polls = commit + random.next() * pollSeconds;
      const second = Math.floor(polls);
      const served = polls + cloud.wait(second) + database.wait(second);
      const isSlow = tenant < SAMPLED_TENANTS * fleet.slowShare;
      // A slow line takes the question and the answer a round trip, and the next one for its connection.
      if (isSlow) slowLag.push(served + 2 * fleet.slowSeconds - begun);
      else lag.push(served - begun);
    }
  const hours = (of: Float64Array): Float64Array => of.subarray(OPENS, CLOSES);
  return {
    lag: { p50: quantile(lag, 0.5), p99: quantile(lag, 0.99) },
    slowLag: { p50: quantile(slowLag, 0.5), p99: quantile(slowLag, 0.99) },
    longestWait: { cloud: cloud.longest(), database: database.longest() },
    cloudCores: { mean: mean(hours(cloud.used)), peak: busiestMinute(cloud.used) },
    databaseCoresUsed: { mean: mean(hours(database.used)), peak: busiestMinute(database.used) },
    reconnectSeconds: (tenants * costs.handshake) / MICROS / processes,
    caughtUpSeconds: caughtUpAt - BACK,
    connectionsPerProcess: tenants / processes,
    memoryGbPerProcess: (tenants / processes) * (costs.connectionKb / 1_048_576),
    gigabytesOut: bytes / 1_000_000_000,
  };
}

/** One publication after the other, under the fan-out lock: `begun` when it came, `commit` when it was done. */
export function publicationTimes(came: readonly number[], takesSeconds: number): { begun: number; commit: number }[] {
  let free = 0;
  return came.map((begun) => {
    free = Math.max(free, begun) + takesSeconds;
    return { begun, commit: free };
  });
}

const mean = (values: Float64Array): number => values.reduce((sum, each) => sum + each, 0) / values.length;

function busiestMinute(values: Float64Array): number {
  let most = 0;
  for (let at = 0; at + 60 <= values.length; at += 60) most = Math.max(most, mean(values.subarray(at, at + 60)));
  return most;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
