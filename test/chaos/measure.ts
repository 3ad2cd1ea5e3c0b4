/** Memory and open files of the running processes, and whether they grow. */
import { readdirSync, readFileSync } from 'node:fs';

interface Sample {
  memoryMb: number;
  files: number;
}

/** A process that ran for so many samples is judged by its last quarter against its second. */
const ENOUGH_FILES = 24;
/** Memory settles in the first minute, with the first dossiers and logins. */
const ENOUGH_MEMORY = 60;
const MOST_GROWTH = 1.25;
const FREE_MB = 30;
const FREE_FILES = 25;

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

export class Measurements {
  readonly #samples = new Map<string, Sample[]>();

  /** @param name names the process among all that ran */
  take(name: string, pid: number): void {
    try {
      const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
      const files = readdirSync(`/proc/${pid}/fd`).length;
      const key = `${name} (${pid})`;
      this.#samples.set(key, [...(this.#samples.get(key) ?? []), { memoryMb, files }]);
    } catch {
      // The process has ended meanwhile.
    }
  }

  /** The largest values by part, in MB and open files. */
  peaks(): string[] {
    const peaks = new Map<string, Sample>();
    for (const [key, samples] of this.#samples) {
      const name = key.replace(/(?: of tenant)? ?\d* \(\d+\)$/, '');
      const before = peaks.get(name) ?? { memoryMb: 0, files: 0 };
      peaks.set(name, {
        memoryMb: Math.max(before.memoryMb, ...samples.map(({ memoryMb }) => memoryMb)),
        files: Math.max(before.files, ...samples.map(({ files }) => files)),
      });
    }
    return [...peaks].map(([name, { memoryMb, files }]) => `${name}: ${memoryMb.toFixed(0)} MB, ${files} files`);
  }

  /** The processes whose memory was judged: they ran long enough. */
  judged(): number {
    return [...this.#samples.values()].filter(({ length }) => length >= ENOUGH_MEMORY).length;
  }

  breaches(): string[] {
    return [...this.#samples].flatMap(([name, samples]) => {
      const quarter = Math.floor(samples.length / 4);
      const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
      return (['memoryMb', 'files'] as const).flatMap((what) => {
        if (samples.length < (what === 'files' ? ENOUGH_FILES : ENOUGH_MEMORY)) return [];
        const [from, to] = [median(early.map((each) => each[what])), median(late.map((each) => each[what]))];
        const most = from * MOST_GROWTH + (what === 'files' ? FREE_FILES : FREE_MB);
        return to > most ? [`${name} grew from ${from.toFixed(0)} to ${to.toFixed(0)} ${what}`] : [];
      });
    });
  }
}
