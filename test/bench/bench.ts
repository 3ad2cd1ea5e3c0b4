/**
 * The form of a benchmark and its measurement. A benchmark compares the product with a raw limit: the
 * least that the same work can cost on this machine. Both are measured in the same run, turn by
 * turn, so that a noisy machine hits both.
 *
 *   export const fanOut: Bench = {
 *     name: 'fan-out',
 *     about: 'one publication to 10,000 tenants',
 *     run: async (fixture) => {
 *       const url = await (await fixture.postgres()).createDatabase();
 *       const times = await alternate({ product: { run: … }, raw: { run: … } }, { rounds: 50 });
 *       return [ratioRow('NEW to 10,000 tenants', 'ms', median(times.product), median(times.raw), { atMost: 1.3 })];
 *     },
 *   };
 *
 * A new one is added to `registry.ts`.
 */
import type { PostgresServer } from '../support/postgres.ts';

/** Servers, folders and notes for benchmarks. Created at the first call, shared by all, removed at the end. */
export interface BenchFixture {
  /** The tests' PostgreSQL server, with the memory of a small production server. */
  postgres(): Promise<PostgresServer>;
  /** A new empty folder. */
  folder(name: string): string;
  /** Registers clean-up after the benchmark; the last one runs first. */
  after(end: () => unknown): void;
  /** Reports progress. */
  say(line: string): void;
}

export interface Bench {
  /** For `npm run bench -- NAME`. */
  name: string;
  about: string;
  run(fixture: BenchFixture): Promise<Row[]>;
}

/** One line of the table. */
export interface Row {
  what: string;
  /** The unit of `measured` and `limit`: ms, /s, MB … */
  unit: string;
  measured: number;
  /** The raw limit of the same run; null where the target is a plain value. */
  limit: number | null;
  /** measured / limit. */
  ratio: number | null;
  target: string;
  holds: boolean;
}

type Target = { atMost: number } | { atLeast: number };

/** A row whose target concerns measured / limit. */
export function ratioRow(what: string, unit: string, measured: number, limit: number, target: Target): Row {
  const ratio = measured / limit;
  return { what, unit, measured, limit, ratio, ...judge('ratio', ratio, target) };
}

/** A row whose target concerns the measured value itself. */
export function valueRow(what: string, unit: string, measured: number, target: Target): Row {
  return { what, unit, measured, limit: null, ratio: null, ...judge(unit, measured, target) };
}

function judge(of: string, value: number, target: Target): { target: string; holds: boolean } {
  // A value that is not a number meets no target.
  return 'atMost' in target
    ? { target: `${of} ≤ ${target.atMost}`, holds: value <= target.atMost }
    : { target: `${of} ≥ ${target.atLeast}`, holds: value >= target.atLeast };
}

/** The timed work of one side, and its preparation, which is not timed. */
export interface Side {
  before?: () => Promise<unknown>;
  run: () => Promise<unknown>;
}

/** What a side is timed by: the clock, or the processor time of this process, which a busy machine does not lengthen. */
export type Clock = 'WALL' | 'PROCESSOR';

const now = (clock: Clock): number => {
  if (clock === 'WALL') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * Runs each side once per round; each round begins with another side, and the first rounds do not count.
 * @returns the times of each side in ms, in the order of the rounds
 */
export async function alternate<Name extends string>(
  sides: Record<Name, Side>,
  { rounds, warmUp = Math.ceil(rounds / 10), clock = 'WALL' }: { rounds: number; warmUp?: number; clock?: Clock },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + Math.abs(round)) % names.length] as Name;
      const side = sides[name];
      await side.before?.();
      const began = now(clock);
      await side.run();
      const took = now(clock) - began;
      if (round >= 0) times[name].push(took);
    }
  }
  return times;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value below which this share of the values lies, by linear interpolation. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
