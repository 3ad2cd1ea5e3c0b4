/** Whether a process grows, by samples of it: pure. The last quarter of its life is held against the second. */

export interface Sample {
  /** Of the monotonic clock. */
  atMs: number;
  memoryMb: number;
  /** Open descriptors of files, pipes and the like. */
  files: number;
  /** Open descriptors of connections. */
  sockets: number;
}

/**
 * Memory settles with the first dossiers and logins. Of a console API it rose by 210 MB in two minutes and a half, and lay between
 * 290 and 384 MB in the four minutes after them, so that a short life has more room.
 */
const ENOUGH_MEMORY = 60;
const MOST_GROWTH = 1.25;
const FREE_MB = 30;
const FREE_MB_OF_SHORT_LIVES = 120;
const SETTLED_MS = 5 * 60_000;
const ENOUGH = 24;
/** The medians of the files did not differ at all in two runs of ten minutes, in which one leak a minute makes five. */
const FREE_FILES = 2;
/**
 * Each cut of the network closes ten connections and more, so that their median moves. Their upper end is where all
 * clients are connected. It moved by two at most over eight minutes, by 14 over a minute after a start.
 */
const UPPER = 0.9;
const LONG_MS = 8 * 60_000;
const FREE_SOCKETS = 4;
const FREE_SOCKETS_OF_SHORT_LIVES = 20;
/** A cloud's pool opens connections to the database as loads meet: their upper end moved by six over six minutes. */
const FREE_SOCKETS_OF_POOL = 10;

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}

/** Whether there are enough samples to judge the memory. */
export const isMemoryJudged = (samples: readonly Sample[]): boolean => samples.length >= ENOUGH_MEMORY;

/**
 * @param hasPool whether the process has a pool of connections
 * @returns what has grown too much, each as a verb phrase
 */
export function growthOf(samples: readonly Sample[], hasPool: boolean): string[] {
  if (samples.length < ENOUGH) return [];
  const quarter = Math.floor(samples.length / 4);
  const quarters = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const grown = (
    what: 'memoryMb' | 'files' | 'sockets',
    share: number,
    mostFrom: (value: number) => number,
    unit: string,
  ): string[] => {
    const [from = 0, to = 0] = quarters.map((each) =>
      quantile(
        each.map((sample) => sample[what]),
        share,
      ),
    );
    return to > mostFrom(from) ? [`grew from ${from.toFixed(0)} to ${to.toFixed(0)} ${unit}`] : [];
  };
  const lifeMs = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
  const ofLong = hasPool ? FREE_SOCKETS_OF_POOL : FREE_SOCKETS;
  const freeSockets = lifeMs >= LONG_MS ? ofLong : FREE_SOCKETS_OF_SHORT_LIVES;
  const freeMb = lifeMs >= SETTLED_MS ? FREE_MB : FREE_MB_OF_SHORT_LIVES;
  return [
    ...(isMemoryJudged(samples) ? grown('memoryMb', 0.5, (from) => from * MOST_GROWTH + freeMb, 'MB') : []),
    ...grown('files', 0.5, (from) => from + FREE_FILES, 'open files'),
    ...grown('sockets', UPPER, (from) => from + freeSockets, 'connections'),
  ];
}
